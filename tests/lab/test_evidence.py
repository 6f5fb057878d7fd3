"""From a plugin's evidence to sums, bars, tables and marked lines."""

from __future__ import annotations

from typing import Any

from scheduler_lab.present import evidence
from scheduler_lab.present.evidence_marks import all_marks
from scheduler_lab.present.source import excerpt, highlighted

TEXT = (
    "kind: Node\nmetadata: {name: b}\nstatus: {allocatable: {cpu: 4}}\n---\n"
    "kind: Pod\nmetadata: {name: web}\nspec: <&>\n"
)
MARK = {"kind": "Node", "name": "b", "path": "status.allocatable.cpu"}
LINES = {"Node//b/status.allocatable.cpu": 3}


def row(value: str, amount: int, tone: str, sign: str = "") -> dict[str, Any]:
    return {"label": {"template": tone}, "value": value, "amount": amount, "tone": tone, "sign": sign}


SHORT = {
    "sentence": {"template": "%(pod)s does not fit on %(node)s.", "params": {"pod": "default/web", "node": "b"}},
    "rows": [
        row("0m", 0, "used"),
        row("3600m", 3600, "nominated", "+"),
        row("500m", 500, "pod", "+"),
        {"label": {"template": "needed"}, "value": "4100m", "amount": 4100, "sign": "="},
        row("4000m", 4000, "capacity", ">") | {"mark": MARK},
        row("100m", 100, "short"),
    ],
    "marks": [MARK],
}


def view(data: dict[str, Any] | None) -> evidence.EvidenceView:
    return evidence.view(
        data, plugin="NodeResourcesFit", node="b", verdict="reject", title="t", text=TEXT, lines=LINES, reasons=["why"]
    )


def test_sentence_and_sum_carry_names_and_lines() -> None:
    shown = view(SHORT)
    assert shown.sentence == "web does not fit on b."
    assert [(part.sign, part.value, part.bit, part.line) for part in shown.sums] == [
        ("", "0m", "used", 0),
        ("+", "3600m", "held", 0),
        ("+", "500m", "new", 0),
        ("=", "4100m", "", 0),
        (">", "4000m", "", 3),
        ("", "100m", "over", 0),
    ]


def test_the_bar_is_the_sum_against_its_limit() -> None:
    bar = view(SHORT).bar
    assert bar is not None
    assert [piece.css for piece in bar.pieces] == ["held", "new", "over"]
    assert bar.label == "0m + 3600m + 500m > 4000m"
    assert max(piece.x + piece.width for piece in bar.pieces) <= evidence.BAR
    assert bar.pieces[-1].x > bar.limit


def test_a_difference_has_no_bar() -> None:
    rows = [row("2", 2, "used"), row("1", 1, "pod", "−"), row("1", 1, "capacity", ">")]
    assert view({"sentence": "", "rows": rows}).bar is None


def test_without_evidence_the_reasons_stand() -> None:
    shown = view(None)
    assert (shown.sentence, shown.reasons, shown.sums) == ("", ["why"], [])


def test_excerpts_stay_within_their_document_and_escape() -> None:
    shown = view(SHORT).excerpts[0]
    assert [(line.number, line.marked) for line in shown.lines] == [(1, False), (2, False), (3, True)]
    assert "&lt;&amp;&gt;" in highlighted(TEXT)[6]
    assert [line.number for line in excerpt(TEXT, [6])] == [5, 6, 7]


def test_highlighting_keeps_every_line() -> None:
    for text in ("", "a: 1", "a: |\n  x\n\n  y\n", '{"a": [1,\n2]}', "\n\n#c\n", 'a: "b\nc"\n'):
        assert len(highlighted(text)) == text.count("\n") + 1


def test_marks_are_found_at_every_depth() -> None:
    record = {"cycles": [{"x-evidence": {"filter": {"b": {"NodeResourcesFit": SHORT}}}}]}
    assert all_marks(record) == {("Node", "", "b", "status.allocatable.cpu")}
