"""Scripted extenders that turned nodes down after Filter."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Remove
from scheduler_lab.engine.explain.edits.homes import ref_of
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES
from scheduler_lab.engine.explain.fixes.model import SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.lab import Extender


def extenders(situation: Situation) -> Iterator[Candidate]:
    """Let the extender pass a node, or not fail."""
    if not situation.cycle.get("extenders"):
        return
    for item in situation.book.objects.values():
        if not isinstance(item, Extender) or item.filter is None:
            continue
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
        for member in ("error", "httpStatus"):
            if item.filter.error if member == "error" else item.filter.http_status:
                yield Candidate(
                    "extender-error",
                    "cluster",
                    text(N_("Let the extender %(name)s answer"), name=item.name or "—"),
                    text(N_("An extender that fails ends the attempt, unless it is ignorable.")),
                    (Remove(ref_of(item), ("filter", member)),),
                    SMALL,
                )
