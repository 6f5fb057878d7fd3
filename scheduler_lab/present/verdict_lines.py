"""From a line of the text to the verdicts that it decided in one cycle: the evidence's marks, read backwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present.evidence import line_of, marks_of
from scheduler_lab.present.facts import CycleFacts, Json, short_name
from scheduler_lab.present.links import Links, Selection
from scheduler_lab.present.matrix import entry_of
from scheduler_lab.present.names import natural
from scheduler_lab.present.source import highlighted
from scheduler_lab.present.verdicts import Verdict, code_word, of_code
from scheduler_lab.present.vocabulary import in_order

MOST_LINES = 200
MOST_NODES = 8
ORDER: dict[Verdict, int] = {"unresolvable": 0, "reject": 0, "wait": 1, "chosen": 2, "pass": 3}


@dataclass(frozen=True)
class Decision:
    """Verdicts of one plugin that a line decided: which nodes it judged so (`more` of them not listed)."""

    point: str
    plugin: str
    verdict: Verdict
    word: str
    nodes: list[tuple[str, str]] = field(default_factory=list)
    more: int = 0
    url: str = ""


@dataclass(frozen=True)
class DecidingLine:
    number: int
    code: SafeString
    decisions: list[Decision]


@dataclass(frozen=True)
class Decided:
    """The lines that decided something in a cycle, in the order of the text."""

    pod: str
    number: int
    lines: list[DecidingLine]
    hidden: int = 0

    @property
    def numbers(self) -> list[int]:
        return [line.number for line in self.lines]


@dataclass(frozen=True)
class _Verdict:
    point: str
    plugin: str
    node: str
    verdict: Verdict
    word: str


def build(facts: CycleFacts, outcome: RunOutcome, text: str, digest: str, selection: Selection) -> Decided:
    """The deciding lines of a cycle whose evidence the outcome holds."""
    links = Links(digest, Selection(cycle=facts.number, against=selection.against))
    found: dict[int, list[_Verdict]] = {}
    for verdict, evidence in _explained(facts):
        for number in {line_of(mark, outcome.lines) for mark in marks_of(evidence)} - {0}:
            found.setdefault(number, []).append(verdict)
    code = highlighted(text)
    numbers = [number for number in sorted(found) if number <= len(code)]
    return Decided(
        short_name(facts.pod),
        facts.number,
        [DecidingLine(n, code[n - 1], _decisions(found[n], links)) for n in numbers[:MOST_LINES]],
        max(0, len(numbers) - MOST_LINES),
    )


def _explained(facts: CycleFacts) -> Iterator[tuple[_Verdict, Json]]:
    evidence: Json = facts.cycle.get("x-evidence", {})
    for node, by_plugin in evidence.get("filter", {}).items():
        for plugin, one in by_plugin.items():
            code = (entry_of(facts, node, plugin) or {"code": "Success"})["code"]
            yield _Verdict("Filter", plugin, node, of_code(code), code_word(code)), one
    for node, by_plugin in evidence.get("score", {}).items():
        for plugin, one in by_plugin.items():
            points = facts.cycle.get("score", {}).get(node, {}).get(plugin, {}).get("weighted", "")
            yield _Verdict("Score", plugin, node, "none", _("%(points)s points") % {"points": points}), one
    for member, by_plugin in evidence.items():
        if member in ("filter", "score"):
            continue
        for plugin, one in by_plugin.items():
            if isinstance(one, dict) and "sentence" in one:
                code = next((e["code"] for e in facts.entries(member) if e["plugin"] == plugin), "Success")
                point = member[0].upper() + member[1:]
                yield _Verdict(point, plugin, "", of_code(code), code_word(code)), one


def _decisions(verdicts: list[_Verdict], links: Links) -> list[Decision]:
    groups: dict[tuple[str, str, Verdict, str], list[str]] = {}
    for one in verdicts:
        word = one.word if one.point != "Score" else _("scored")
        groups.setdefault((one.point, one.plugin, one.verdict, word), []).append(one.node)
    rank = {plugin: at for at, plugin in enumerate(in_order(one.plugin for one in verdicts))}
    ordered = sorted(groups.items(), key=lambda item: (ORDER.get(item[0][2], 4), rank[item[0][1]], item[0][0]))
    return [
        _decision(point, plugin, verdict, word, sorted({node for node in nodes if node}, key=natural), links)
        for (point, plugin, verdict, word), nodes in ordered
    ]


def _decision(point: str, plugin: str, verdict: Verdict, word: str, nodes: list[str], links: Links) -> Decision:
    prefix = "s" if point == "Score" else "c"
    shown = [
        (node, links.to(phase=point, node=node, plugin=plugin, anchor=f"{prefix}-{node}-{plugin}"))
        for node in nodes[:MOST_NODES]
    ]
    url = "" if nodes else links.to(phase=point.replace("PreFlight", ""), plugin=plugin, anchor="panel")
    return Decision(point, plugin, verdict, word, shown, max(0, len(nodes) - MOST_NODES), url)
