"""TaintToleration: a node's taints that the pod does not tolerate."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Remove
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES
from scheduler_lab.engine.explain.fixes.model import DRASTIC, INTENDED, LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation, node_ref
from scheduler_lab.engine.manifests.located import parse_path
from scheduler_lab.engine.objects.affinity import Taint

_CONDITION = "node.kubernetes.io/"
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def taints(situation: Situation) -> Iterator[Candidate]:
    """Tolerate all that keeps the pod off a node, or take it off the node."""
    seen: set[tuple[str, ...]] = set()
    removed = 0
    for rejection in situation.by("TaintToleration"):
        untolerated = _untolerated(situation, rejection)
        if not untolerated:
            continue
        found = [taint for _, taint in untolerated]
        names = tuple(sorted(_text(taint) for taint in found))
        if names not in seen and len(seen) < SHOWN_NODES:
            seen.add(names)
            yield _tolerate(situation, found)
        if removed < SHOWN_NODES:
            removed += 1
            yield _remove(rejection.node, untolerated)


def _untolerated(situation: Situation, rejection: Rejection) -> list[tuple[int, Taint]]:
    node = situation.nodes.get(rejection.node)
    indexes = [parse_path(path)[-1] for path in rejection.paths("Node", rejection.node) if "taints[" in path]
    if node is None:
        return []
    return [(i, node.spec.taints[i]) for i in indexes if isinstance(i, int) and i < len(node.spec.taints)]


def _tolerate(situation: Situation, found: list[Taint]) -> Candidate:
    tolerations = [
        {"key": t.key, "operator": "Equal", "value": t.value, "effect": t.effect}
        if t.value
        else {"key": t.key, "operator": "Exists", "effect": t.effect}
        for t in found
    ]
    broken = any(taint.key.startswith(_CONDITION) for taint in found)
    if broken:
        why = text(N_("The node reports trouble with this taint. A pod that tolerates it goes there all the same."))
    elif any(taint.key in _CONTROL_PLANE for taint in found):
        why = text(N_("The taint keeps the control plane to itself. Tolerate it only where that is meant."))
    else:
        why = text(N_("A toleration lets the pod onto nodes with the taint; it does not draw it there."))
    return Candidate(
        "tolerate",
        "pod",
        text(N_("Tolerate the taint %(taint)s"), taint=", ".join(map(_text, found))),
        why,
        tuple(Append(situation.pod_ref, ("spec", "tolerations"), toleration) for toleration in tolerations),
        DRASTIC if broken else SMALL,
    )


def _remove(node: str, untolerated: list[tuple[int, Taint]]) -> Candidate:
    found = [taint for _, taint in untolerated]
    changes = tuple(
        Remove(node_ref(node), ("spec", "taints", i)) for i, _ in sorted(untolerated, reverse=True, key=_index)
    )
    names = {"taint": ", ".join(map(_text, found)), "node": node}
    if all(taint.key.startswith(_CONDITION) for taint in found):
        return Candidate(
            "recover-node",
            "cluster",
            text(N_("Let %(node)s recover, so that it loses the taint %(taint)s"), **names),
            text(N_("The node controller sets this taint while a condition of %(node)s is bad."), node=node),
            changes,
            INTENDED,
        )
    return Candidate(
        "remove-taint",
        "cluster",
        text(N_("Remove the taint %(taint)s from %(node)s"), **names),
        text(N_("Without the taint, %(node)s takes every pod that fits."), node=node),
        changes,
        LARGE,
    )


def _index(item: tuple[int, Taint]) -> int:
    return item[0]


def _text(taint: Taint) -> str:
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"
