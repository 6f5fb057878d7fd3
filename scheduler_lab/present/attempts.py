"""The list of scheduling cycles, in order, and the pods that never had one."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.present.facts import CycleFacts, Json, previous_attempts, short_name
from scheduler_lab.present.verdicts import Verdict
from scheduler_lab.present.vocabulary import in_order

WINDOW = 60


@dataclass(frozen=True)
class Attempt:
    """One row: `number` is the cycle's, counting from 1; `why_lang` is "en" where `why` is the scheduler's text.

    `scheduler` is the process that made the cycle, where there are several.
    """

    number: int
    pod: str
    attempt: int
    time: str
    verdict: Verdict
    label: str
    why: str
    why_lang: str = ""
    step: int | None = None
    scheduler: str = ""


def all_facts(record: Json) -> list[CycleFacts]:
    """The facts of every cycle of a record."""
    cycles = record.get("cycles", [])
    return [
        CycleFacts(cycle, number, before)
        for number, (cycle, before) in enumerate(zip(cycles, previous_attempts(cycles), strict=True), 1)
    ]


def clock(seconds: float | None) -> str:
    """Virtual time as m:ss (h:mm:ss from an hour on); "" where the record has none."""
    if seconds is None:
        return ""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def describe(facts: CycleFacts) -> Attempt:
    """The row of one cycle."""
    verdict, label, why, lang = _outcome(facts)
    return Attempt(
        number=facts.number,
        pod=short_name(facts.pod),
        attempt=facts.attempt,
        time=clock(facts.cycle.get("x-time")),
        verdict=verdict,
        label=label,
        why=why,
        why_lang=lang,
        step=facts.cycle.get("step"),
        scheduler=facts.cycle.get("x-scheduler", ""),
    )


def _outcome(facts: CycleFacts) -> tuple[Verdict, str, str, str]:
    if not facts.code:
        return "chosen", facts.node, why_placed(facts), ""
    if facts.code == "Wait":
        return "wait", _("Waiting at Permit"), _("holds %(node)s until it is allowed") % {"node": facts.node}, ""
    if facts.result.get("nominatedNode"):
        return "reject", _("Rejected"), _nominated(facts), ""
    if facts.code == "Error":
        return "reject", _("Error"), _cut(facts.message), "en"
    return "reject", _("Pending"), _cut(facts.message.split(". ")[0]), "en"


def why_placed(facts: CycleFacts) -> str:
    """Why this node, in a few words, from the numbers of the cycle."""
    waited = any(entry["code"] == "Wait" for entry in facts.entries("permit"))
    if facts.tried_nominated_first:
        why = _("the nominated node, tried first")
    elif facts.margin and facts.margin.tied:
        why = _("%(points)s points, as %(others)s; the lab takes the smaller name") % {
            "points": facts.ranking[0][1],
            "others": _names(facts.margin.tied, 2),
        }
    elif facts.margin:
        why = _("%(points)s points, %(ahead)s ahead of %(node)s") % {
            "points": facts.ranking[0][1],
            "ahead": facts.margin.points,
            "node": facts.margin.runner_up,
        }
    elif len(facts.filtered) == 1 and facts.total_nodes <= 1:
        why = _("the only node")
    elif len(facts.feasible) == 1:
        why = _("the only node left after Filter, not scored")
    else:
        why = _("the first node that passed, nothing scored")
    return _("%(why)s; allowed after waiting at Permit") % {"why": why} if waited else why


def _nominated(facts: CycleFacts) -> str:
    victims = len(facts.result.get("victims", ()))
    groups = facts.rejections()
    most = ""
    if groups:
        (_plugin, _code, reasons), nodes = next(iter(groups.items()))
        most = ngettext("%(count)s node: %(reason)s", "%(count)s nodes: %(reason)s", len(nodes)) % {
            "count": len(nodes),
            "reason": ", ".join(reasons),
        }
    nominated = ngettext(
        "nominated to %(node)s, %(count)s victim", "nominated to %(node)s, %(count)s victims", victims
    ) % {"node": facts.result["nominatedNode"], "count": victims}
    return " · ".join(part for part in (most, nominated) if part)


def _names(names: list[str], most: int) -> str:
    shown = ", ".join(names[:most])
    more = len(names) - most
    return (
        ngettext("%(names)s and %(count)s more", "%(names)s and %(count)s more", more)
        % {
            "names": shown,
            "count": more,
        }
        if more > 0
        else shown
    )


def _cut(message: str, length: int = 110) -> str:
    return message if len(message) <= length else message[: length - 1].rstrip() + "…"


@dataclass(frozen=True)
class Held:
    """A pod that never had a cycle: held back by PreEnqueue."""

    pod: str
    plugin: str
    reasons: list[str]
    key: str = ""


def held_pods(record: Json) -> list[Held]:
    """Pods gated at the end of the run that no cycle tried, with what holds them."""
    tried = {cycle["pod"] for cycle in record.get("cycles", [])}
    last = {entry["pod"]: entry for entry in record.get("preEnqueue", [])}
    return [
        Held(short_name(pod), last.get(pod, {}).get("plugin", ""), last.get(pod, {}).get("reasons", []), pod)
        for pod in record.get("queue", {}).get("gated", [])
        if pod not in tried
    ]


def window(count: int, current: int, size: int = WINDOW) -> tuple[int, int]:
    """The slice of at most `size` rows that holds row `current` (from 1): whole pages, so that links are stable.

    >>> window(10, 3), window(130, 61), window(130, 130)
    ((0, 10), (60, 120), (120, 130))
    """
    start = (max(current, 1) - 1) // size * size
    return start, min(start + size, count)


def plugins_of(facts: CycleFacts) -> list[str]:
    """Every plugin that a cycle's Filter asked, in order."""
    return in_order(entry["plugin"] for verdicts in facts.filtered.values() for entry in verdicts)
