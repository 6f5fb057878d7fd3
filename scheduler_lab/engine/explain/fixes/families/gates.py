"""SchedulingGates: the pod is held back until its gates are removed."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Remove
from scheduler_lab.engine.explain.fixes.model import INTENDED, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation


def gates(situation: Situation) -> Iterator[Candidate]:
    """Remove all scheduling gates."""
    written = situation.spec_pod.spec.scheduling_gates
    if not written:
        return
    names = ", ".join(gate.name for gate in written)
    yield Candidate(
        "scheduling-gates",
        "pod",
        text(N_("Remove the scheduling gates (%(gates)s)"), gates=names),
        text(N_("A pod with gates is not even queued. Whoever set a gate is to remove it when its condition holds.")),
        (Remove(situation.pod_ref, ("spec", "schedulingGates")),),
        INTENDED,
    )
