"""NodeUnschedulable: cordoned nodes."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Change, Remove
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, then
from scheduler_lab.engine.explain.fixes.model import DRASTIC, INTENDED, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation, node_ref

TAINT = "node.kubernetes.io/unschedulable"


def unschedulable(situation: Situation) -> Iterator[Candidate]:
    """Uncordon a node, or tolerate that it is cordoned."""
    rejected = situation.by("NodeUnschedulable")
    for rejection in rejected[:SHOWN_NODES]:
        changes = _uncordon(situation, rejection.node)
        if not changes:
            continue
        yield Candidate(
            "uncordon",
            "cluster",
            text(N_("Uncordon %(node)s"), node=rejection.node),
            text(N_("%(node)s is cordoned: it takes no new pod until it is uncordoned."), node=rejection.node),
            changes,
            INTENDED,
        )
    if rejected:
        toleration = {"key": TAINT, "operator": "Exists", "effect": "NoSchedule"}
        yield Candidate(
            "tolerate-cordon",
            "pod",
            text(N_("Tolerate cordoned nodes")),
            text(N_("DaemonSet pods do this. For others it defeats the purpose of the cordon.")),
            (Append(situation.pod_ref, ("spec", "tolerations"), toleration),),
            DRASTIC,
        )


def _uncordon(situation: Situation, name: str) -> tuple[Change, ...]:
    """The node as it is written without the cordon, or a step that takes away what a step did."""
    node = situation.nodes.get(name)
    if node is None or not node.spec.unschedulable:
        step = then(situation, {"uncordon": name})
        return (step,) if step is not None else ()
    taints = [
        Remove(node_ref(name), ("spec", "taints", index))
        for index, taint in reversed(list(enumerate(node.spec.taints)))
        if taint.key == TAINT
    ]
    return (*taints, Remove(node_ref(name), ("spec", "unschedulable")))
