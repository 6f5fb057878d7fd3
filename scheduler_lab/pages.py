"""What the lab's templates are given."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from scheduler_lab import examples, runs
from scheduler_lab.complaints import complaints
from scheduler_lab.forms import LabForm
from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present import result, verdict_lines
from scheduler_lab.present.attempts import all_facts
from scheduler_lab.present.comparison import Comparison, compare
from scheduler_lab.present.links import Selection
from scheduler_lab.present.verdict_lines import Decided
from scheduler_lab.runs import Run
from scheduler_lab.scenarios import Scenario

FIRST_TRIES = 3
MOST_EXPLAINED = 40
"""Nodes of a cycle up to which all its evidence is gathered at once, and beyond which one node's."""
NO_NODE = "-"
"""A name that no node can have: the evidence of the cycle without that of its nodes."""


QUICK_SECONDS = 0.5
"""A run that took less is explained before anybody asks."""
SLOW_SECONDS = 1.0
"""A run that took longer is not run again for its evidence before a page is shown."""


def result_context(run: Run, selection: Selection, *, embed: bool = False, later: bool = False) -> dict[str, Any]:
    """The context of a result, for the lab page (lab/answer.html) and for a question's page (lab/embed.html).

    `later`: the evidence is slow to gather, so the page asks for it once it is shown.
    """
    selection = result.settled(run.outcome.record or {}, selection)
    outcome = run.outcome if later else with_evidence(run, selection)
    view = result.build(outcome, run.text, run.digest, selection, embed=embed) if outcome.record else None
    return {
        "run": run,
        "result": view,
        "complaints": complaints(run.outcome, run.text),
        "embed": embed,
        "later": later,
        "explained": view is not None and explains_all(run, view.links.selection),
        "comparison": comparison_with(run, selection.against) if view and not embed else None,
    }


def explains_all(run: Run, selection: Selection) -> bool:
    """Whether all verdicts of the selected cycle can be explained at once, and soon."""
    quick = run.outcome.seconds < SLOW_SECONDS
    return quick and _target(run, replace(selection, phase="Filter", node="")) is not None


def comparison_with(run: Run, digest: str) -> Comparison | None:
    """What is different from the run of that hash, None without such a run."""
    other = runs.find(digest) if digest and digest != run.digest else None
    if other is None or other.outcome.record is None or run.outcome.record is None:
        return None
    return compare(other, run)


def with_evidence(run: Run, selection: Selection) -> RunOutcome:
    """The outcome with the evidence that the selection shows, gathered when somebody looks at a phase or a cell."""
    target = _target(run, selection)
    found = runs.evidence_for(run, target) if target else None
    return found if found and found.record and not found.stopped else run.outcome


def evidence_is_slow(run: Run, selection: Selection) -> bool:
    """Whether the evidence that the selection shows has to be gathered first, and that takes a while."""
    target = _target(run, selection) if run.outcome.seconds > SLOW_SECONDS else None
    return target is not None and runs.evidence_for(run, target, only_kept=True) is None


def decided_by_line(run: Run, selection: Selection) -> Decided | None:
    """The lines that decided something in a cycle; None where there is no such cycle or it has too many nodes."""
    target = _target(run, replace(selection, phase="Filter"))
    if target is None:
        return None
    outcome = runs.evidence_for(run, target)
    if outcome is None or outcome.record is None:
        return None
    facts = all_facts(outcome.record)[target[0]]
    return verdict_lines.build(facts, outcome, run.text, run.digest, selection)


def _target(run: Run, selection: Selection) -> list[Any] | None:
    """Whose evidence the selection shows, as runs.evidence_for takes it; None for nobody's."""
    cycles = run.outcome.record.get("cycles", []) if run.outcome.record else []
    at = selection.cycle - 1
    asked = selection.phase or selection.plugin
    if not 0 <= at < len(cycles) or not (asked or run.outcome.seconds < QUICK_SECONDS):
        return None
    large = len(cycles[at].get("filter", {})) > MOST_EXPLAINED
    if not large:
        return [at, None]
    if selection.node in cycles[at]["filter"]:
        return [at, selection.node]
    one_for_all = selection.phase not in ("", "Filter", "Score") or bool(selection.phase and cycles[at].get("x-calls"))
    return [at, NO_NODE] if one_for_all else None


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
