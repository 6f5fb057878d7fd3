"""Scripted extenders that turned nodes down after Filter."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Remove
from scheduler_lab.engine.explain.edits.homes import ref_of
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES
from scheduler_lab.engine.explain.fixes.model import SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.lab import Extender, ExtenderFilter


def extenders(situation: Situation) -> Iterator[Candidate]:
    """Let the extender pass a node, or not fail."""
    if not situation.cycle.get("extenders"):
        return
    failing = {call["extender"] for call in situation.cycle.get("x-calls", []) if call.get("error")}
    for item in situation.book.objects.values():
        if isinstance(item, Extender):
            yield from _passing(item)
            if item.name in failing:
                yield from _answering(item)


def _passing(item: Extender) -> Iterator[Candidate]:
    if item.filter is None:
        return
    for member, failed in (
        ("failed", item.filter.failed),
        ("failedAndUnresolvable", item.filter.failed_and_unresolvable),
    ):
        for node in list(failed)[:SHOWN_NODES]:
            yield Candidate(
                "extender-node",
                "cluster",
                text(N_("Let the extender %(name)s pass %(node)s"), name=item.name or "—", node=node),
                text(N_("The extender is asked after Filter, and turned %(node)s down."), node=node),
                (Remove(ref_of(item), ("filter", member, node)),),
                SMALL,
            )


def _answering(item: Extender) -> Iterator[Candidate]:
    own = item.filter or ExtenderFilter()
    failures = {
        ("filter", "error"): bool(own.error),
        ("filter", "httpStatus"): bool(own.http_status),
        ("httpStatus",): bool(item.http_status),
        ("latencySeconds",): item.latency_seconds > 0,
    }
    for path in (path for path, given in failures.items() if given):
        yield Candidate(
            "extender-error",
            "cluster",
            text(N_("Let the extender %(name)s answer"), name=item.name or "—"),
            text(N_("An extender that fails ends the attempt, unless it is ignorable.")),
            (Remove(ref_of(item), path),),
            SMALL,
        )
