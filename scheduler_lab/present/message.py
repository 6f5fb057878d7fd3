"""The scheduler's failure text, cut into the parts that count nodes, each with the rows it counts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from scheduler_lab.engine.explain.reasons import message_parts
from scheduler_lab.present.facts import CycleFacts
from scheduler_lab.present.links import Links
from scheduler_lab.present.names import around, natural
from scheduler_lab.present.texts import translated
from scheduler_lab.present.verdicts import Verdict, of_code
from scheduler_lab.present.vocabulary import short_reason

# "1 Insufficient cpu" up to the comma before the next count, or the full stop that ends the list.
_COUNTED = re.compile(r"(\d+) (.+?)(?=, \d+ |\.(?: |$)|\.?$)")
_LIST = re.compile(r"\d+/\d+ nodes are available: ")
MOST_NODES = 8
MOST_EXPLAINED = 4


@dataclass(frozen=True)
class Segment:
    """A stretch of the text; with `url` it is a link in its verdict's colour."""

    text: str
    verdict: Verdict = "none"
    url: str = ""


@dataclass(frozen=True)
class Counted:
    """A node that a part counts; `why` is the evidence's sentence where it is known and there is room for it."""

    name: str
    url: str
    why: str = ""

    @property
    def around(self) -> tuple[str, str]:
        """What `why` says before and after the node's name, so that the name is not written twice.

        A sentence that does not name the node follows the name after a colon.
        """
        return around(self.name, self.why)


@dataclass(frozen=True)
class Part:
    """A counted part of the message and the nodes it counts (`more` of them not listed)."""

    count: int
    verdict: Verdict
    label: str
    reason: str
    nodes: list[Counted] = field(default_factory=list)
    more: int = 0
    point: str = "Filter"


@dataclass(frozen=True)
class Message:
    text: str
    segments: list[Segment]
    parts: list[Part]


def build(facts: CycleFacts, links: Links) -> Message:
    """The cycle's message, its segments joined being exactly the text, and what its Filter parts count."""
    text = facts.message
    by_reason = _by_reason(facts)
    point = _point(facts)
    filter_url = links.to(cycle=facts.number, phase=point, node="", plugin="", anchor=point.lower())
    post_url = links.to(cycle=facts.number, phase="PostFilter", node="", plugin="", anchor="panel")
    tail_at = _post_filter_start(text, facts)
    preempted = {p.start: sorted(p.nodes, key=natural) for p in message_parts(facts.cycle) if p.point == "PostFilter"}
    segments: list[Segment] = []
    parts: list[Part] = []
    for start, end, body in _counted(text):
        before = text[sum(len(s.text) for s in segments) : start]
        if before:
            segments.extend(_plain(before, facts, post_url))
        counted, reason = body.split(" ", 1)
        if start < tail_at:
            verdict, nodes = by_reason.get(reason, (_unlisted(reason), []))
            segments.append(Segment(text[start:end], verdict, filter_url))
            if not nodes and point != "Filter":
                # After Filter the text counts the one node that the pod had been given.
                nodes_of = [Counted(facts.selected, filter_url)]
                parts.append(Part(int(counted), verdict, short_reason(reason), reason, nodes_of, 0, point))
                continue
            parts.append(_part(int(counted), verdict, reason, nodes, facts, links))
        else:
            verdict = "unresolvable" if "not helpful" in reason else "reject"
            segments.append(Segment(text[start:end], verdict, post_url))
            if counted_nodes := preempted.get(start):
                shown = [Counted(node, post_url) for node in counted_nodes[:MOST_NODES]]
                more = max(0, len(counted_nodes) - MOST_NODES)
                parts.append(Part(int(counted), verdict, short_reason(reason), reason, shown, more, "PostFilter"))
    rest = text[sum(len(s.text) for s in segments) :]
    if rest:
        segments.extend(_plain(rest, facts, post_url))
    return Message(text, segments, parts)


def _point(facts: CycleFacts) -> str:
    """The extension point whose rejections the head of the message counts."""
    if not facts.feasible:
        return "Filter"
    return "Permit" if facts.entries("permit") else "Reserve"


def _unlisted(reason: str) -> Verdict:
    """The verdict of nodes that PreFilter left out, and of a rejection after Filter."""
    return "unresolvable" if reason.startswith("node(s) didn't satisfy plugin") else "reject"


def _counted(text: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for opening in _LIST.finditer(text):
        at = opening.end()
        while match := _COUNTED.match(text, at):
            found.append((match.start(), match.end(), match.group(0)))
            if text[match.end() : match.end() + 2] != ", ":
                break
            at = match.end() + 2
    return found


def _plain(text: str, facts: CycleFacts, url: str) -> list[Segment]:
    """Text between counted parts; a PostFilter plugin's own words are linked to it."""
    for entry in facts.entries("postFilter"):
        for reason in entry.get("reasons", []):
            if not _LIST.search(reason) and reason in text:
                before, after = text.split(reason, 1)
                return [
                    *([Segment(before)] if before else []),
                    Segment(reason, "skip", url),
                    *([Segment(after)] if after else []),
                ]
    return [Segment(text)]


def _post_filter_start(text: str, facts: CycleFacts) -> int:
    reasons = [reason for entry in facts.entries("postFilter") for reason in entry.get("reasons", [])]
    positions = [text.find(reason) for reason in reasons if reason and reason in text]
    nested = text.find("preemption: ")
    return min([at for at in (*positions, nested) if at >= 0], default=len(text))


def _by_reason(facts: CycleFacts) -> dict[str, tuple[Verdict, list[str]]]:
    found: dict[str, tuple[Verdict, list[str]]] = {}
    for (_plugin, code, reasons), nodes in facts.rejections().items():
        for reason in reasons:
            verdict, known = found.get(reason, (of_code(code), []))
            found[reason] = (verdict, sorted({*known, *nodes}))
    return found


def _why(facts: CycleFacts, node: str, nodes: list[str]) -> str:
    if len(nodes) > MOST_EXPLAINED or not facts.filtered.get(node):
        return ""
    evidence = facts.evidence("filter", node, facts.filtered[node][-1]["plugin"])
    return translated(evidence["sentence"]) if evidence and evidence.get("sentence") else ""


def _part(count: int, verdict: Verdict, reason: str, nodes: list[str], facts: CycleFacts, links: Links) -> Part:
    def ask(node: str) -> str:
        plugin = facts.filtered[node][-1]["plugin"] if facts.filtered.get(node) else ""
        return links.to(cycle=facts.number, phase="Filter", node=node, plugin=plugin, anchor=f"c-{node}-{plugin}")

    return Part(
        count,
        verdict,
        short_reason(reason),
        reason,
        [Counted(node, ask(node), _why(facts, node, nodes)) for node in nodes[:MOST_NODES]],
        max(0, len(nodes) - MOST_NODES),
    )
