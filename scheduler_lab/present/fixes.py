"""What would fix a pending pod, as the page shows it: edits that were run, each with its lines and its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from scheduler_lab.engine.explain.hidden import UNTOLERATED
from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present.facts import Json, short_name
from scheduler_lab.present.source import highlighted_line
from scheduler_lab.present.texts import translated
from scheduler_lab.present.verdicts import Verdict

MOST_LINES = 40


@dataclass(frozen=True)
class DiffLine:
    """A line of the diff: `change` is "ins", "del" or ""; `number` is its line in the text before, 0 for a new one."""

    change: str
    number: int
    code: str


@dataclass(frozen=True)
class FixView:
    """One fix. `harm` are sentences on pods that come off worse, `effects` on the others."""

    ident: str
    title: str
    why: str
    side: str
    verified: bool
    verdict: Verdict
    outcome: str
    message: str
    then: list[tuple[str, str]] = field(default_factory=list)
    harm: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    diff: list[DiffLine] = field(default_factory=list)
    cut: int = 0


@dataclass(frozen=True)
class FixesView:
    """The panel of one pod. `reason` says why there is no fix, or that there may be more."""

    pod: str
    name: str
    fixes: list[FixView] = field(default_factory=list)
    reason: str = ""
    runs: int = 0
    following: list[str] = field(default_factory=list)

    @property
    def works(self) -> bool:
        """Whether any of them gives the pod a node."""
        return any(fix.verified for fix in self.fixes)


def build(outcome: RunOutcome, pod: str) -> FixesView:
    """The fixes of a pod (namespace/name), in the order in which the search ranked them."""
    if outcome.stopped or outcome.suggestions is None:
        return FixesView(pod, short_name(pod), reason=_stopped(outcome))
    found = outcome.suggestions
    reason = translated(found["reason"]) if found.get("reason") else ""
    fixes = [_fix(fix, short_name(pod)) for fix in found.get("fixes", [])]
    # Which taint it is stands above already, with the message.
    following = [translated(text) for text in found.get("following", []) if text.get("template") != UNTOLERATED]
    if found.get("bypassed"):
        following.insert(0, translated(found["bypassed"]))
    return FixesView(pod, short_name(pod), fixes, reason, found.get("runs", 0), following)


def edited_text(outcome: RunOutcome, ident: str) -> str | None:
    """The text with the fix of that name applied, None when there is no such fix."""
    fixes: list[Json] = (outcome.suggestions or {}).get("fixes", [])
    return next((str(fix["edited_text"]) for fix in fixes if fix["id"] == ident), None)


def _stopped(outcome: RunOutcome) -> str:
    if outcome.stopped == "busy":
        return _("Other runs keep the lab busy at the moment. Ask again in a few seconds.")
    if outcome.stopped == "crashed":
        return _("The search failed on this text. That is a mistake in the lab, not in your text.")
    return _("The search for a fix was stopped: running this text takes too long or needs too much memory.")


def _fix(fix: Json, pod: str) -> FixView:
    verdict, word = _outcome(fix, pod)
    harm = fix.get("harm", 0)
    effects = [translated(text) for text in fix.get("effects", [])]
    lines = diff_lines(fix.get("diff", []))
    return FixView(
        ident=fix["id"],
        title=translated(fix["title"]),
        why=translated(fix["why"]),
        side=_("an edit of the pod") if fix["side"] == "pod" else _("an edit of the cluster"),
        verified=fix["verified"],
        verdict=verdict,
        outcome=word,
        message="" if fix["verified"] else fix["outcome"].get("message", ""),
        then=[(translated(step["title"]), translated(step["why"])) for step in fix.get("then", [])],
        harm=effects[:harm],
        effects=effects[harm:],
        diff=lines[:MOST_LINES],
        cut=max(0, len(lines) - MOST_LINES),
    )


def _outcome(fix: Json, pod: str) -> tuple[Verdict, str]:
    outcome = fix["outcome"]
    if outcome.get("waiting"):
        return "wait", _("waits at Permit for %(node)s") % {"node": outcome.get("node", "")}
    if outcome.get("node"):
        return "chosen", outcome["node"]
    if outcome.get("kept_out"):
        return "wait", _("still kept out of the queue")
    return "reject", _("still Pending")


def diff_lines(hunks: list[Json]) -> list[DiffLine]:
    """The changed lines of a text with a little around them, in order; hunks that touch are one."""
    lines: list[DiffLine] = []
    shown = 0
    for hunk in hunks:
        above = hunk.get("above", [])
        first = hunk["line"] - len(above)
        for number, text in enumerate(above, first):
            if number > shown:
                lines.append(DiffLine("", number, highlighted_line(text)))
        lines += [
            DiffLine("del", n, highlighted_line(text)) for n, text in enumerate(hunk.get("before", []), hunk["line"])
        ]
        lines += [DiffLine("ins", 0, highlighted_line(text)) for text in hunk.get("after", [])]
        below = hunk["line"] + len(hunk.get("before", []))
        following = [other["line"] for other in hunks if other["line"] > hunk["line"]]
        limit = min(following, default=1 << 30)
        for number, text in enumerate(hunk.get("below", []), below):
            if number < limit:
                lines.append(DiffLine("", number, highlighted_line(text)))
                shown = number
        shown = max(shown, below - 1)
    return lines
