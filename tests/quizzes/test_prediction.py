"""Predictions graded by records of the real scheduler."""

import json
from pathlib import Path
from typing import Any

import pytest

from quizzes.prediction import answers_of, grade
from quizzes.record_path import look_up
from quizzes.walkthrough import fill

CASES = Path(__file__).resolve().parents[1] / "data" / "conformance"


def record(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())
    return found


@pytest.mark.parametrize(
    ("case", "ask", "pod", "answers"),
    [
        ("basics/01-plain-fit", "node", "default/a", ("n2",)),
        ("basics/01-plain-fit", "outcome", "default/a", ("scheduled",)),
        ("basics/01-plain-fit", "phase", "default/a", ("Bind",)),
        ("basics/01-plain-fit", "plugin", "default/a", ("NodeResourcesFit",)),
        ("basics/11-permit", "node", "default/w2", ("pending",)),
        ("basics/11-permit", "outcome", "default/w2", ("waiting",)),
        ("basics/11-permit", "phase", "default/w2", ("Permit",)),
        ("basics/11-permit", "waiting", "default/w2", ("yes", "2")),
        ("preemption/gated-nominee", "outcome", "default/gated", ("gated",)),
        ("preemption/gated-nominee", "phase", "default/gated", ("PreEnqueue",)),
        ("preemption/gated-nominee", "plugin", "default/gated", ("SchedulingGates",)),
        ("preemption/affinity-to-a-peer", "outcome", "default/batch-0", ("preempted",)),
        ("preemption/affinity-to-a-peer", "outcome", "default/cache-0", ("scheduled",)),
        ("preemption/affinity-to-a-peer", "waiting", "default/web-0", ("no", "0")),
        ("volumes/static-access-modes-superset", "outcome", "default/mixed", ("pending",)),
        ("volumes/static-access-modes-superset", "plugin", "default/mixed", ("VolumeBinding",)),
        ("volumes/static-access-modes-superset", "phase", "default/mixed", ("Filter",)),
        ("basics/01-plain-fit", "node", "default/nobody", ("pending",)),
    ],
)
def test_it_reads_the_answer_from_the_record(case: str, ask: str, pod: str, answers: tuple[str, ...]) -> None:
    assert answers_of(record(case), ask, pod) == answers


def test_it_grades() -> None:
    assert grade(record("basics/01-plain-fit"), "node", "default/a", "n2").right
    assert not grade(record("basics/01-plain-fit"), "node", "default/a", "pending").right


@pytest.mark.parametrize("path", sorted(CASES.glob("*/*.json")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_record_answers_every_kind_of_question(path: Path) -> None:
    found = json.loads(path.read_text())
    if not isinstance(found, dict):
        pytest.skip("no record")
    for pod in [*found.get("pods", {}), "default/nobody"]:
        for ask in ("node", "outcome", "plugin", "phase", "waiting"):
            assert isinstance(answers_of(found, ask, pod), tuple)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("cycles[default/a].score.n1.NodeResourcesFit.raw", 68),
        ("cycles[default/a#1].totals.n2", 474),
        ("cycles[default/a#2]", None),
        ("cycles[0].pod", "default/a"),
        ("cycles[99]", None),
        ("cycles[default/a].filter.n3[NodeResourcesFit].reasons[0]", "Insufficient cpu"),
        ("pods[default/a].nodeName", "n2"),
        ("pods.default/a.nodeName", "n2"),
        ("pods[default/nobody].nodeName", None),
        ("nothing.at.all", None),
        ("kubernetes.v1", None),
    ],
)
def test_a_path_finds_its_value(path: str, value: Any) -> None:
    assert look_up(record("basics/01-plain-fit"), path) == value


def test_a_path_knows_names_with_dots() -> None:
    found = {"filter": {"node.example.com": [{"plugin": "NodeName", "code": "Success"}]}}
    assert look_up(found, "filter.node.example.com[NodeName].code") == "Success"


def test_claims_fill_the_walkthrough() -> None:
    claims = {"a": 72, "b": ["x", "y"], "c": None, "d": "text"}
    assert fill("{{a}} {{ b }} {{c}} {{d}} {{e}}", claims) == "72 x, y null text {{e}}"
