"""What to tell a learner when a run gave no result, or gave one with warnings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.outcome import RunOutcome, RunProblem
from scheduler_lab.present.details import spoken
from scheduler_lab.present.texts import fill, translated
from scheduler_lab.runner import Limits

MOST = 50


@dataclass(frozen=True)
class Complaint:
    """One problem at its line (0: the text as a whole), with the line itself as written."""

    error: bool
    message: str
    suggestion: str
    line: int
    column: int
    document: int
    path: str
    source: str


@dataclass(frozen=True)
class Complaints:
    items: list[Complaint]
    hidden: int
    summary: str
    stopped: str = ""

    @property
    def has_errors(self) -> bool:
        return any(item.error for item in self.items)

    @property
    def marks(self) -> list[dict[str, Any]]:
        """What the editor needs to annotate its lines (rows count from 0, as Ace counts)."""
        return [
            {
                "row": max(0, item.line - 1),
                "column": max(0, item.column - 1),
                "text": f"{item.message} {item.suggestion}".strip(),
                "type": "error" if item.error else "warning",
            }
            for item in self.items
        ]

    @property
    def marks_json(self) -> str:
        return json.dumps(self.marks, ensure_ascii=False)

    def __bool__(self) -> bool:
        return bool(self.items or self.stopped)


SEVERITIES = ("error", "refused", "warning")


def complaints(outcome: RunOutcome, text: str) -> Complaints:
    """The problems of a run, errors first and each in the order of its line; at most MOST of them."""
    ordered = sorted(outcome.problems, key=lambda p: (SEVERITIES.index(p.severity), p.line or 0, p.column or 0))
    lines = text.split("\n") if len(text) < 2_000_000 else []
    items = [_complaint(problem, lines) for problem in ordered[:MOST]]
    return Complaints(items, max(0, len(ordered) - MOST), _summary(outcome), stop_sentence(outcome))


def _complaint(problem: RunProblem, lines: list[str]) -> Complaint:
    source = lines[problem.line - 1].strip()[:120] if 0 < problem.line <= len(lines) else ""
    params = {key: spoken(value) if isinstance(value, str) else value for key, value in problem.params.items()}
    message = (fill(problem.template, params) if problem.template else translated(problem.message)) or problem.message
    if problem.severity == "refused":
        message = _("A real API server would refuse this: %(why)s") % {"why": message}
    return Complaint(
        problem.severity == "error",
        message,
        _("Did you mean %(value)s?") % {"value": problem.suggestion} if problem.suggestion else "",
        problem.line,
        problem.column,
        problem.document,
        problem.path,
        source,
    )


def _summary(outcome: RunOutcome) -> str:
    errors, warnings = len(outcome.errors), len(outcome.warnings)
    parts = []
    if errors:
        parts.append(ngettext("%(count)s error", "%(count)s errors", errors) % {"count": errors})
    if warnings:
        parts.append(ngettext("%(count)s warning", "%(count)s warnings", warnings) % {"count": warnings})
    return ", ".join(parts)


def stop_sentence(outcome: RunOutcome) -> str:
    """Why a run was stopped and what helps; "" when it was not."""
    seconds = float(getattr(settings, "LAB_RUN_SECONDS", Limits.seconds))
    sentences = {
        "time": _(
            "The run was stopped after %(seconds)s seconds. Fewer pods or nodes, or a smaller maxCycles in "
            "lab/v1 Options, make it shorter."
        )
        % {"seconds": f"{seconds:g}"},
        "memory": _("The run was stopped because it needed too much memory. Fewer pods or nodes need less."),
        "size": _(
            "The record of this run is too large to show. Run it with fewer pods or nodes, or on the command line "
            "with manage.py simulate, which has no such limit."
        ),
        "crashed": _(
            "The simulator failed on this text. That is a mistake in the simulator, not in your text; "
            "your text is kept in the editor."
        ),
        "cancelled": _("You cancelled this run. Your text is kept in the editor."),
        "busy": _("Other runs keep the lab busy at the moment. Your text is kept; run it again in a few seconds."),
    }
    return sentences.get(outcome.stopped or "", "")
