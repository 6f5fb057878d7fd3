"""A scheduler that contends for another scheduler's lease, and so never leads."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Ref, Set
from scheduler_lab.engine.explain.fixes.model import INTENDED, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation


def shared_leases(situation: Situation) -> Iterator[Candidate]:
    """A lease of its own, for the scheduler whose name the pod has."""
    idle = [entry for entry in situation.record.get("x-unserved", []) if entry["pod"] == situation.pod_key]
    name = str(idle[0].get("scheduler", "")) if idle else ""
    ref = Ref("Scheduler", "", name)
    if situation.book.get(ref) is None:
        return
    for lease in situation.record.get("x-leases", []):
        if name in lease.get("shared", []):
            yield Candidate(
                "shared-lease",
                "cluster",
                text(N_("Give %(name)s a lease of its own"), name=name),
                text(
                    N_("The lease %(lease)s is held by %(holder)s, so %(name)s never schedules."),
                    lease=f"{lease['namespace']}/{lease['name']}",
                    holder=lease["holder"],
                    name=name,
                ),
                (Set(ref, ("spec", "configuration", "leaderElection", "resourceName"), name),),
                INTENDED,
            )
