"""TaintToleration: a node's taints that the pod does not tolerate."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Change, Remove
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, then
from scheduler_lab.engine.explain.fixes.model import DRASTIC, INTENDED, LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation, node_ref
from scheduler_lab.engine.objects.affinity import Taint

_CONDITION = "node.kubernetes.io/"
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def taints(situation: Situation) -> Iterator[Candidate]:
    """Tolerate all that keeps the pod off a node, or take it off the node."""
    seen: set[tuple[str, ...]] = set()
    removed = 0
    for rejection in situation.by("TaintToleration"):
        found = [_parsed(row[0]) for row in rejection.failed_rows]
        if not found:
            continue
        names = tuple(sorted(map(_text, found)))
        if names not in seen and len(seen) < SHOWN_NODES:
            seen.add(names)
            yield _tolerate(situation, found)
        if removed < SHOWN_NODES:
            removed += 1
            yield from _remove(situation, rejection.node, found)


def _parsed(said: str) -> Taint:
    """A taint from key=value:effect or key:effect."""
    rest, _, effect = said.rpartition(":")
    key, _, value = rest.partition("=")
    return Taint(key=key, value=value, effect=effect)


def _tolerate(situation: Situation, found: list[Taint]) -> Candidate:
    tolerations = [
        {"key": t.key, "operator": "Equal", "value": t.value, "effect": t.effect}
        if t.value
        else {"key": t.key, "operator": "Exists", "effect": t.effect}
        for t in found
    ]
    rank = SMALL
    broken = any(taint.key.startswith(_CONDITION) for taint in found)
    if broken:
        why = text(N_("The node reports trouble with this taint. A pod that tolerates it goes there all the same."))
    elif any(taint.key in _CONTROL_PLANE for taint in found):
        rank = LARGE
        why = text(N_("The taint keeps the control plane to itself. Tolerate it only where that is meant."))
    else:
        why = text(N_("A toleration lets the pod onto nodes with the taint; it does not draw it there."))
    return Candidate(
        "tolerate",
        "pod",
        text(N_("Tolerate the taint %(taint)s"), taint=", ".join(map(_text, found))),
        why,
        tuple(Append(situation.pod_ref, ("spec", "tolerations"), toleration) for toleration in tolerations),
        DRASTIC if broken else rank,
    )


def _remove(situation: Situation, node: str, found: list[Taint]) -> Iterator[Candidate]:
    """Without the taints where they are written, and a step for those that a step put there."""
    item = situation.nodes.get(node)
    written = [_text(taint) for taint in item.spec.taints] if item is not None else []
    indexes = sorted((written.index(name) for taint in found if (name := _text(taint)) in written), reverse=True)
    changes: list[Change] = [Remove(node_ref(node), ("spec", "taints", index)) for index in indexes]
    for taint in found:
        if _text(taint) not in written:
            step = then(situation, {"untaint": {"node": node, "key": taint.key, "effect": taint.effect}})
            if step is None:
                return
            changes.append(step)
    names = {"taint": ", ".join(map(_text, found)), "node": node}
    if all(taint.key.startswith(_CONDITION) for taint in found):
        yield Candidate(
            "recover-node",
            "cluster",
            text(N_("Let %(node)s recover, so that it loses the taint %(taint)s"), **names),
            text(N_("The node controller sets this taint while a condition of %(node)s is bad."), node=node),
            tuple(changes),
            INTENDED,
        )
        return
    yield Candidate(
        "remove-taint",
        "cluster",
        text(N_("Remove the taint %(taint)s from %(node)s"), **names),
        text(N_("Without the taint, %(node)s takes every pod that fits."), node=node),
        tuple(changes),
        LARGE,
    )


def _text(taint: Taint) -> str:
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"
