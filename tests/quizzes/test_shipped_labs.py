"""What the shipped explanations claim is what the engine does: every claim, every prediction, by a run."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from quizzes.content_format import parse, schema
from quizzes.management.commands.loadsets import CONTENT
from quizzes.prediction import answers_of
from quizzes.record_path import look_up
from scheduler_lab.runner import run_text


def labs() -> list[Any]:
    found = []
    for path in sorted(Path(CONTENT).glob("*.yaml")):
        content, problems = parse(path.read_bytes())
        assert content, problems
        for question in content.questions:
            found.append(pytest.param(question, id=f"{content.name}/{question.name}"))
    return found


@cache
def record(text: str) -> dict[str, Any]:
    outcome = run_text(text)
    assert not outcome.problems, outcome.problems
    assert outcome.record is not None, outcome.stopped
    assert "error" not in outcome.record, outcome.record["error"]
    return outcome.record


@pytest.mark.parametrize("question", labs())
def test_the_lab_does_what_is_claimed(question: schema.Question) -> None:
    assert question.lab, "every shipped question has a lab"
    found = {claim.name: look_up(record(question.lab.text), claim.at) for claim in question.lab.claims}
    assert found == {claim.name: claim.value for claim in question.lab.claims}


@pytest.mark.parametrize("question", labs())
def test_the_prediction_has_one_answer_among_its_choices(question: schema.Question) -> None:
    assert question.lab
    predict = question.lab.predict
    right = set(answers_of(record(question.lab.text), predict.ask, predict.pod)) & set(predict.choices)
    assert len(right) == 1, right


@pytest.mark.parametrize("question", labs())
def test_there_is_something_to_see_where_to_look(question: schema.Question) -> None:
    assert question.lab
    look = question.lab.look
    cycles = [cycle for cycle in record(question.lab.text)["cycles"] if not look.pod or cycle["pod"] == look.pod]
    assert cycles
    if look.plugin:
        assert any(f'"{look.plugin}"' in repr(cycle).replace("'", '"') for cycle in cycles), look
