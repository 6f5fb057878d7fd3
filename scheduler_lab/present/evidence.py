"""The numbers behind one verdict: a sentence, the sum, its bar, a table, and the lines they came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from scheduler_lab.help.pages import address_of_reason
from scheduler_lab.outcome import mark_key
from scheduler_lab.present.facts import Json
from scheduler_lab.present.source import Line, excerpt
from scheduler_lab.present.texts import translated

BAR = 1000
BIT = {"used": "used", "pod": "new", "nominated": "held", "short": "over", "bad": "over"}


@dataclass(frozen=True)
class Sum:
    """One row of the arithmetic; `bit` is the swatch that its part of the bar has."""

    sign: str
    label: str
    value: str
    bit: str = ""
    line: int = 0
    total: bool = False
    verdict: str = ""


@dataclass(frozen=True)
class Piece:
    """A part of the bar, in thousandths of its width."""

    css: str
    x: int
    width: int


@dataclass(frozen=True)
class Bar:
    pieces: list[Piece]
    limit: int
    label: str


@dataclass(frozen=True)
class DataTable:
    columns: list[str]
    rows: list[tuple[bool, list[str]]]


@dataclass(frozen=True)
class Excerpt:
    """Lines of the learner's text that belong to one object."""

    title: str
    lines: list[Line]


@dataclass(frozen=True)
class EvidenceView:
    plugin: str
    node: str
    verdict: str
    title: str
    sentence: str
    sums: list[Sum] = field(default_factory=list)
    bar: Bar | None = None
    table: DataTable | None = None
    excerpts: list[Excerpt] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def explained(self) -> list[tuple[str, str]]:
        """(reason, address of what its plugin's help says about it), of the reasons that the help knows."""
        found = [(reason, address_of_reason(self.plugin, reason)) for reason in self.reasons]
        return [(reason, url) for reason, url in found if "#" in url]


def view(
    evidence: Json | None,
    *,
    plugin: str,
    node: str,
    verdict: str,
    title: str,
    text: str,
    lines: dict[str, int],
    reasons: list[str] | None = None,
) -> EvidenceView:
    """The evidence as the page shows it; without any, the scheduler's own reasons have to do."""
    if not evidence:
        return EvidenceView(plugin, node, verdict, title, "", reasons=reasons or [])
    rows = evidence.get("rows", [])
    return EvidenceView(
        plugin=plugin,
        node=node,
        verdict=verdict,
        title=title,
        sentence=translated(evidence.get("sentence", "")),
        sums=[_sum(row, lines) for row in rows],
        bar=_bar(rows),
        table=_table(evidence.get("table")),
        excerpts=_excerpts(marks_of(evidence), text, lines),
        reasons=reasons or [],
    )


def line_of(mark: Json | None, lines: dict[str, int]) -> int:
    """The line of a marked field, 0 where the text does not hold it."""
    if not mark:
        return 0
    key = mark_key(mark.get("kind", ""), mark.get("namespace", ""), mark.get("name", ""), mark.get("path", ""))
    return lines.get(key, 0)


def _sum(row: Json, lines: dict[str, int]) -> Sum:
    tone, sign = row.get("tone", ""), row.get("sign", "")
    return Sum(
        sign=sign,
        label=translated(row.get("label", "")),
        value=translated(str(row.get("value", ""))),
        bit=BIT.get(tone, ""),
        line=line_of(row.get("mark"), lines),
        total=sign == "=",
        verdict={"short": "reject", "bad": "reject", "ok": "pass"}.get(tone, ""),
    )


def _bar(rows: list[Json]) -> Bar | None:
    """A stacked bar against a limit: only where the rows are a sum that ends in a capacity."""
    if any(row.get("sign") in ("−", "×", "÷") for row in rows):
        return None
    parts = [row for row in rows if row.get("tone") in ("used", "pod", "nominated") and _amount(row) is not None]
    limits = [_amount(row) for row in rows if row.get("tone") == "capacity"]
    if not parts or len(limits) != 1 or limits[0] is None or limits[0] <= 0:
        return None
    capacity = float(limits[0])
    needed = sum(float(_amount(row) or 0) for row in parts)
    whole = max(capacity, needed) or 1.0
    scale = (BAR - 4) / whole
    pieces, at = [], 0.0
    for row in parts:
        amount = float(_amount(row) or 0)
        inside = max(0.0, min(amount, capacity - at))
        if inside:
            pieces.append(Piece(BIT[row["tone"]], round(at * scale), max(2, round(inside * scale))))
        at += amount
    if needed > capacity:
        pieces.append(Piece("over", round(capacity * scale) + 2, max(3, round((needed - capacity) * scale) - 2)))
    limit = round(capacity * scale)
    values = [str(row.get("value", "")) for row in parts]
    label = (
        " + ".join(values)
        + (" > " if needed > capacity else " ≤ ")
        + next(str(row.get("value", "")) for row in rows if row.get("tone") == "capacity")
    )
    return Bar(pieces, limit, label)


def _amount(row: Json) -> float | None:
    amount: Any = row.get("amount")
    return amount if isinstance(amount, int | float) and amount >= 0 else None


def _table(table: Json | None) -> DataTable | None:
    if not table or not table.get("rows"):
        return None
    marked = set(table.get("highlight", []))
    return DataTable(
        [translated(column) for column in table.get("columns", [])],
        [(index in marked, [translated(cell) for cell in row]) for index, row in enumerate(table["rows"])],
    )


def marks_of(evidence: Json) -> list[Json]:
    """Every field that an evidence marks, those of its sum included."""
    return [*evidence.get("marks", []), *(row["mark"] for row in evidence.get("rows", []) if row.get("mark"))]


def _excerpts(marks: Iterable[Json], text: str, lines: dict[str, int]) -> list[Excerpt]:
    by_object: dict[tuple[str, str, str], set[int]] = {}
    for mark in marks:
        if number := line_of(mark, lines):
            by_object.setdefault((mark.get("kind", ""), mark.get("namespace", ""), mark.get("name", "")), set()).add(
                number
            )
    return [
        Excerpt(_("%(kind)s %(name)s") % {"kind": kind, "name": name}, excerpt(text, numbers))
        for (kind, _namespace, name), numbers in list(by_object.items())[:4]
    ]
