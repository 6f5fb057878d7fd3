"""What an edit changes for other pods."""

from __future__ import annotations

from scheduler_lab.engine.evidence import N_, Text, text
from scheduler_lab.engine.explain.fixes.situation import Json

SHOWN = 4


def effects(before: Json, after: Json, known: set[str]) -> tuple[list[Text], int]:
    """Sentences about other pods than the `known`, and how many (from the first) are about pods that come off worse."""
    old, new = _nodes(before), _nodes(after)
    evicted = set(after.get("deleted", [])) - set(before.get("deleted", []))
    worse, better, moved = [], [], []
    for pod, node in old.items():
        if pod in known:
            continue
        now = new.get(pod, "")
        if node and not now:
            template = (
                N_("%(pod)s is preempted: it loses its place on %(node)s.")
                if pod in evicted
                else N_("%(pod)s loses its place on %(node)s.")
            )
            worse.append(text(template, pod=pod, node=node))
        elif node and now != node:
            moved.append(text(N_("%(pod)s goes to %(now)s instead of %(node)s."), pod=pod, node=node, now=now))
        elif now and not node:
            better.append(text(N_("%(pod)s gets a node too: %(node)s."), pod=pod, node=now))
    harm = _cut(worse)
    return [*harm, *_cut(better), *_cut(moved)], len(harm)


def _nodes(record: Json) -> dict[str, str]:
    return {pod: state.get("nodeName", "") for pod, state in record.get("pods", {}).items()}


def _cut(sentences: list[Text]) -> list[Text]:
    if len(sentences) <= SHOWN:
        return sentences
    rest = len(sentences) - SHOWN + 1
    return [*sentences[: SHOWN - 1], text(N_("The same goes for %(count)d more pods."), count=rest)]
