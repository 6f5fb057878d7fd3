from dataclasses import replace
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from quizzes.answering import current_answer, take
from quizzes.content_format import write
from quizzes.content_format.schema import Text
from quizzes.models import Answer, QuestionSet
from quizzes.storing import content_of, store
from tests.quizzes.samples import MULTIPLE, SAMPLE, SINGLE

pytestmark = pytest.mark.django_db


def load(*arguments: str | Path) -> str:
    out = StringIO()
    call_command("loadsets", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sample.yaml"
    path.write_text(write(SAMPLE), encoding="utf-8")
    return path


def test_content_of_undoes_store() -> None:
    assert content_of(store(SAMPLE)) == SAMPLE


def test_a_set_from_elsewhere_is_not_published() -> None:
    assert not store(SAMPLE).published
    assert store(replace(SAMPLE, name="shipped"), shipped=True).published


def test_shipped_sets_load_and_load_again_changes_nothing() -> None:
    load()
    before = list(QuestionSet.objects.values())
    assert before
    assert "unchanged" in load()
    assert list(QuestionSet.objects.values()) == before


def test_loading_again_keeps_answers(file: Path) -> None:
    load(file)
    question = QuestionSet.objects.get().questions.get(name="which-node")
    who = uuid4()
    take(question, who, ["b"])
    load(file)
    load("--force", file)
    question.refresh_from_db()
    answer = current_answer(question, who)
    assert answer and answer.chosen == ["b"]


def test_a_new_version_of_a_file_is_loaded(file: Path) -> None:
    load(file)
    changed = replace(SAMPLE, questions=(replace(MULTIPLE, topic=Text("새", "New")), SINGLE))
    file.write_text(write(changed), encoding="utf-8")
    assert "2 questions loaded" in load(file)
    assert content_of(QuestionSet.objects.get()) == changed


def test_edits_made_here_are_kept(file: Path) -> None:
    load(file)
    QuestionSet.objects.update(title_en="Edited")
    assert "unchanged" in load(file)
    file.write_text(write(replace(SAMPLE, version=2)), encoding="utf-8")
    assert "kept as edited here" in load(file)
    assert QuestionSet.objects.get().title_en == "Edited"
    load("--force", file)
    assert QuestionSet.objects.get().title_en == "Sample"


def test_a_question_taken_out_is_taken_out(file: Path) -> None:
    load(file)
    take(QuestionSet.objects.get().questions.get(name="which-points"), uuid4(), ["x"])
    file.write_text(write(replace(SAMPLE, questions=(SINGLE,))), encoding="utf-8")
    load(file)
    assert [question.name for question in QuestionSet.objects.get().questions.all()] == ["which-node"]
    assert not Answer.objects.exists()


def test_a_broken_file_names_its_lines_and_loads_nothing(file: Path) -> None:
    file.write_text("apiVersion: lab/v1\nkind: Nothing\n", encoding="utf-8")
    out = StringIO()
    with pytest.raises(CommandError, match="problems"):
        call_command("loadsets", str(file), stdout=out, stderr=out)
    assert "sample.yaml:2:7: kind:" in out.getvalue()
    assert not QuestionSet.objects.exists()


def answered(chosen: str) -> Answer:
    question = store(SAMPLE).questions.get(name="which-node")
    answer = take(question, uuid4(), [chosen])
    assert answer
    Answer.objects.update(prediction="node-a", predicted_right=True, run={"answers": ["node-a"]})
    return answer


def test_a_new_version_judges_answers_anew() -> None:
    answer = answered("b")
    assert answer.correct
    turned = tuple(replace(option, correct=not option.correct) for option in SINGLE.options)
    store(replace(SAMPLE, version=2, questions=(replace(SINGLE, options=turned),)))
    answer.refresh_from_db()
    assert (answer.correct, answer.withdrawn, answer.prediction) == (False, False, "node-a")


def test_an_answer_whose_option_is_gone_is_open_again() -> None:
    answer = answered("b")
    renamed = (SINGLE.options[0], replace(SINGLE.options[1], name="c"))
    store(replace(SAMPLE, version=2, questions=(replace(SINGLE, options=renamed),)))
    answer.refresh_from_db()
    assert answer.withdrawn


def test_a_prediction_about_another_lab_is_forgotten() -> None:
    answer = answered("b")
    assert SINGLE.lab
    lab = replace(SINGLE.lab, text=f"{SINGLE.lab.text}\n# changed")
    store(replace(SAMPLE, version=2, questions=(replace(SINGLE, lab=lab),)))
    answer.refresh_from_db()
    assert (answer.prediction, answer.predicted_right, answer.run, answer.correct) == ("", None, None, True)
