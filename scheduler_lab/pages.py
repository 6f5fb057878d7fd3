"""What the lab's templates are given."""

from __future__ import annotations

import json
from typing import Any

from scheduler_lab import examples, runs
from scheduler_lab.complaints import complaints
from scheduler_lab.forms import LabForm
from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present import result
from scheduler_lab.present.links import Selection
from scheduler_lab.runs import Run
from scheduler_lab.scenarios import Scenario

FIRST_TRIES = 3
MOST_EXPLAINED = 100
"""Nodes of a cycle up to which all its evidence is gathered at once, and beyond which one node's."""


def result_context(run: Run, selection: Selection, *, embed: bool = False) -> dict[str, Any]:
    """The context of a result, for the lab page (lab/answer.html) and for a question's page (lab/embed.html)."""
    outcome = with_evidence(run, selection)
    view = result.build(outcome, run.text, run.digest, selection, embed=embed) if outcome.record else None
    return {
        "run": run,
        "result": view,
        "complaints": complaints(run.outcome, run.text),
        "embed": embed,
    }


def with_evidence(run: Run, selection: Selection) -> RunOutcome:
    """The outcome with the evidence that the selection shows, gathered when somebody looks at a phase or a cell."""
    cycles = run.outcome.record.get("cycles", []) if run.outcome.record else []
    at = selection.cycle - 1
    if not 0 <= at < len(cycles) or not (selection.phase or selection.plugin):
        return run.outcome
    large = len(cycles[at].get("filter", {})) > MOST_EXPLAINED
    if large and selection.node not in cycles[at]["filter"]:
        return run.outcome
    found = runs.evidence_for(run, [at, selection.node if large else None])
    return found if found.record and not found.stopped else run.outcome


def lab_context(
    *,
    text: str,
    run: Run | None = None,
    selection: Selection | None = None,
    scenario: Scenario | None = None,
    notice: str = "",
) -> dict[str, Any]:
    """The context of the whole lab page."""
    context: dict[str, Any] = {
        "section": "lab",
        "form": LabForm(initial={"text": text}),
        "text": text,
        "text_json": json.dumps(text, ensure_ascii=False),
        "scenario": scenario,
        "notice": notice,
        "topics": examples.by_topic(),
        "tries": examples.all_examples()[:FIRST_TRIES],
    }
    if run is not None:
        context |= result_context(run, selection or Selection())
    return context
