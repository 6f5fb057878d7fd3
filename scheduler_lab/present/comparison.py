"""Two runs beside each other: which pods end elsewhere, why, and which lines of the text differ."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.urls import reverse
from django.utils.translation import gettext as _

from scheduler_lab.engine.explain import compare as engine
from scheduler_lab.engine.explain.compare import compare as difference
from scheduler_lab.engine.explain.fixes.hunks import hunks
from scheduler_lab.present.attempts import Attempt, all_facts, describe, held_pods
from scheduler_lab.present.facts import Json, short_name
from scheduler_lab.present.fixes import DiffLine, diff_lines
from scheduler_lab.present.names import natural
from scheduler_lab.present.verdicts import Verdict, code_word, of_code
from scheduler_lab.present.vocabulary import short_reason
from scheduler_lab.runs import Run

MOST_SHOWN = 4
MOST_CHANGES = 200
MOST_LINES = 200
LARGEST_DIFF = 400_000
"""Characters of a text up to which its lines are compared."""


@dataclass(frozen=True)
class End:
    """How a run ended for a pod; `why` is the scheduler's own text where `why_lang` is "en"."""

    verdict: Verdict
    label: str
    why: str = ""
    why_lang: str = ""
    url: str = ""


@dataclass(frozen=True)
class Change:
    pod: str
    before: End
    after: End


@dataclass(frozen=True)
class Flip:
    """A node that Filter judged differently; None where one run did not look at it."""

    pod: str
    node: str
    before: End | None
    after: End | None


@dataclass(frozen=True)
class Points:
    """Weighted points that differ; "–" where a run did not score the node."""

    pod: str
    node: str
    plugin: str
    before: str
    after: str


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs; `same` counts the pods that end alike."""

    before: str
    after: str
    changes: list[Change]
    same: int
    hidden: int
    diff: list[DiffLine] = field(default_factory=list)
    diff_cut: int = 0
    too_long: bool = False
    flips: list[Flip] = field(default_factory=list)
    more_flips: int = 0
    scores: list[Points] = field(default_factory=list)

    @property
    def url(self) -> str:
        return reverse("lab:compare", args=[self.before, self.after])

    @property
    def first(self) -> list[Change]:
        """The changes that a banner has room for."""
        return self.changes[:MOST_SHOWN]

    @property
    def more(self) -> int:
        return max(0, len(self.changes) + self.hidden - MOST_SHOWN)


def compare(before: Run, after: Run, *, lines: bool = False) -> Comparison:
    """The pods whose end differs, in the order of their names, and with `lines` the lines that differ."""
    old, new = ends(before), ends(after)
    nothing = End("none", _("not there"))
    pods = sorted({*old, *new}, key=natural)
    changes = [
        Change(pod, old.get(pod, nothing), new.get(pod, nothing))
        for pod in pods
        if _place(old.get(pod)) != _place(new.get(pod))
    ]
    details = difference(before.outcome.record or {}, after.outcome.record or {}, limit=60) if lines else None
    too_long = max(len(before.text), len(after.text)) > LARGEST_DIFF
    diff = _diff(before.text, after.text) if lines and not too_long else []
    return Comparison(
        before.digest,
        after.digest,
        changes[:MOST_CHANGES],
        len(pods) - len(changes),
        max(0, len(changes) - MOST_CHANGES),
        diff[:MOST_LINES],
        max(0, len(diff) - MOST_LINES),
        lines and too_long,
        [_flip(flip) for flip in details.flips] if details else [],
        details.more_flips if details else 0,
        [_points(score) for score in details.scores] if details else [],
    )


def _flip(flip: engine.Flip) -> Flip:
    return Flip(short_name(flip.pod), flip.node, _judged(flip.before), _judged(flip.after))


def _judged(judgement: engine.Judgement | None) -> End | None:
    if judgement is None:
        return None
    reasons = ", ".join(short_reason(reason) for reason in judgement.reasons)
    return End(of_code(judgement.code), code_word(judgement.code), f"{judgement.plugin} {reasons}".strip())


def _points(score: engine.ScoreChange) -> Points:
    before, after = ("–" if points is None else str(points) for points in (score.before, score.after))
    return Points(short_name(score.pod), score.node, score.plugin, before, after)


def _place(end: End | None) -> tuple[str, str] | None:
    return (end.verdict, end.label) if end else None


def _diff(before: str, after: str) -> list[DiffLine]:
    found = hunks(before, after)
    return diff_lines(
        [
            {
                "line": hunk.line,
                "before": hunk.before,
                "after": hunk.after,
                "above": hunk.above,
                "below": hunk.below,
            }
            for hunk in found
        ]
    )


def ends(run: Run) -> dict[str, End]:
    """How the run ended for each of its pods."""
    record: Json = run.outcome.record or {}
    address = reverse("lab:walk", args=[run.digest])
    found = {short_name(held.pod): End("wait", _("Gated"), ", ".join(held.reasons), "en") for held in held_pods(record)}
    for pod, state in record.get("pods", {}).items():
        if state.get("nodeName"):
            found[short_name(pod)] = End("chosen", state["nodeName"])
    deleted = {short_name(pod) for pod in record.get("deleted", [])}
    for facts in all_facts(record):
        attempt: Attempt = describe(facts)
        if attempt.pod in deleted or (facts.pod not in record.get("pods", {}) and not facts.code):
            found[attempt.pod] = End("reject", _("gone"), url=f"{address}?cycle={facts.number}")
            continue
        now = found.get(attempt.pod)
        if now and now.verdict == "chosen" and attempt.verdict != "chosen":
            continue
        url = f"{address}?cycle={facts.number}"
        found[attempt.pod] = End(attempt.verdict, attempt.label, attempt.why, attempt.why_lang, url)
    for pod in deleted - set(found):
        found[pod] = End("reject", _("gone"))
    return found
