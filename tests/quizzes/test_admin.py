"""An instructor's work over HTTP."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms.models import model_to_dict
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

from quizzes.content_format import parse, schema, write
from quizzes.models import Question, QuestionSet
from quizzes.storing import content_of
from tests.quizzes.samples import SAMPLE, SINGLE

SETS = "/en/admin/quizzes/questionset/"
QUESTIONS = "/en/admin/quizzes/question/"


def form_of(question: Question) -> dict[str, Any]:
    """What the question's page would send when saved untouched."""
    data: dict[str, Any] = {name: value for name, value in model_to_dict(question).items() if name != "id"}
    lab = [question.lab] if hasattr(question, "lab") else []
    inlines = {
        "choices": list(question.choices.all()),
        "misconceptions": list(question.misconceptions.all()),
        "links": list(question.links.all()),
        "lab": lab,
        "claims": list(question.claims.all()),
    }
    for prefix, rows in inlines.items():
        data[f"{prefix}-TOTAL_FORMS"] = data[f"{prefix}-INITIAL_FORMS"] = len(rows)
        for index, row in enumerate(rows):
            for name, value in model_to_dict(row).items():
                data[f"{prefix}-{index}-{name}"] = value
    for name in list(data):
        if name.endswith(("predict_choices", "-value")):
            data[name] = json.dumps(data[name])
        if data[name] is False or data[name] is None:
            del data[name]
    return data


@pytest.fixture
def question(sample: QuestionSet) -> Question:
    return sample.questions.get(name="which-node")


def test_it_wants_a_login(client: Client, question: Question) -> None:
    for path in (SETS, f"{SETS}import/", f"{SETS}1/export/", f"{QUESTIONS}{question.pk}/preview/"):
        assert client.get(path).status_code == 302


def test_staff_without_rights_get_nothing(client: Client, question: Question) -> None:
    client.force_login(User.objects.create_user("helper", password="x", is_staff=True))
    set_id = question.question_set_id
    for path in (f"{SETS}import/", f"{SETS}{set_id}/export/", f"{QUESTIONS}{question.pk}/preview/"):
        assert client.get(path).status_code == 403


@pytest.mark.parametrize("language", ["en", "ko"])
def test_its_pages_open_in_both_languages(admin_client: Client, question: Question, language: str) -> None:
    set_id = question.question_set_id
    for path in ("", "add/", "import/", f"{set_id}/change/"):
        response = admin_client.get(f"/{language}/admin/quizzes/questionset/{path}")
        assertContains(response, "문제 모음" if language == "ko" else "uestion set")
    for path in ("", "add/", f"{question.pk}/change/", f"{question.pk}/preview/"):
        assert admin_client.get(f"/{language}/admin/quizzes/question/{path}").status_code == 200


def test_the_set_page_links_to_its_questions(admin_client: Client, question: Question) -> None:
    response = admin_client.get(f"{SETS}{question.question_set_id}/change/")
    assertContains(response, f"/en/admin/quizzes/question/{question.pk}/change/")
    assertContains(response, f"/en/admin/quizzes/question/add/?question_set={question.question_set_id}")


def test_saving_untouched_changes_nothing(admin_client: Client, question: Question) -> None:
    before = content_of(question.question_set)
    data = form_of(question)
    data["explanation_en"] = data["explanation_en"].replace("\n", "\r\n")
    response = admin_client.post(f"{QUESTIONS}{question.pk}/change/", data)
    assertRedirects(response, f"{SETS}{question.question_set_id}/change/")
    assert content_of(question.question_set) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choices-0-correct": "on"}, "Exactly one option is right in a single choice; here 2 are."),
        ({"choices-1-correct": ""}, "here 0 are."),
        ({"type": "multiple", "choices-1-correct": ""}, "At least one option must be right."),
        ({"choices-0-DELETE": "on"}, "A question has 2 to 10 choices."),
        ({"choices-0-text_ko": "  "}, "This field is required."),
        ({"choices-0-rationale_en": ""}, "This field is required."),
        ({"stem_ko": ""}, "This field is required."),
        ({"explanation_en": ""}, "This field is required."),
        ({"name": "result"}, "is reserved for a page"),
        ({"name": "which-points"}, "The set has a question of this name already."),
        ({"lab-0-hint_ko": ""}, "Give this text in both languages, or in neither."),
        ({"lab-0-predict_choices": '"node-a"'}, "Write a list of texts"),
        ({"lab-0-predict_choices": '["node-a"]'}, "Offer 2 to 12 different choices."),
        ({"lab-0-predict_ask": "phase"}, "is none of: PreEnqueue"),
        ({"lab-0-walkthrough_en": "{{other}}"}, "No claim is named “other”."),
        ({"links-0-url": "http://x"}, "Expected an address that begins with https://."),
        ({"links-0-url": "https://example.com/a?b=<c>"}, "Expected an address that begins with https://."),
        ({"choices-0-text_ko": " 둘째  `보기`"}, "Option “a” has the same text"),
        ({"choices-0-text_en": "SECOND `option`"}, "Option “a” has the same text"),
        ({"claims-0-value": "NaN"}, "A file cannot hold this value"),
        ({"claims-0-value": "[" * 18 + "]" * 18}, "A file cannot hold this value"),
        ({"claims-0-value": "1" * 31}, "A file cannot hold this value"),
        ({"lab-0-DELETE": "on"}, "give the question a lab, or delete the claims"),
    ],
)
def test_it_says_what_is_wrong(admin_client: Client, question: Question, change: dict[str, str], message: str) -> None:
    before = content_of(question.question_set)
    response = admin_client.post(f"{QUESTIONS}{question.pk}/change/", form_of(question) | change)
    assertContains(response, message)
    assert content_of(question.question_set) == before


@pytest.mark.parametrize(
    ("language", "words"), [("en", "The lab cannot run yet. Line 2"), ("ko", "아직 실행할 수 없습니다")]
)
def test_a_lab_that_cannot_run_is_kept_and_told(
    admin_client: Client, question: Question, language: str, words: str
) -> None:
    data = form_of(question) | {"lab-0-text": "apiVersion: v1\nkind: [Pod"}
    response = admin_client.post(f"/{language}/admin/quizzes/question/{question.pk}/change/", data, follow=True)
    assertContains(response, words)
    question.lab.refresh_from_db()
    assert question.lab.text == "apiVersion: v1\nkind: [Pod"


def test_a_question_can_be_added(admin_client: Client, sample: QuestionSet) -> None:
    data = form_of(sample.questions.get(name="which-points")) | {"name": "a-third", "position": 3}
    data = {name: value for name, value in data.items() if not name.endswith(("-id", "-question"))}
    data = {name: 0 if name.endswith("INITIAL_FORMS") else value for name, value in data.items()}
    assert admin_client.get(f"{QUESTIONS}add/?question_set={sample.pk}&position=3").status_code == 200
    assertRedirects(admin_client.post(f"{QUESTIONS}add/", data), f"{SETS}{sample.pk}/change/")
    assert [each.name for each in sample.questions.all()] == ["which-node", "which-points", "a-third"]
    assert parse(write(content_of(sample)))[1] == []


def test_publishing_and_hiding(admin_client: Client, sample: QuestionSet) -> None:
    QuestionSet.objects.create(name="empty", title_en="Empty", published=False)
    QuestionSet.objects.filter(pk=sample.pk).update(published=False)
    everything = list(QuestionSet.objects.values_list("pk", flat=True))
    data = {"action": "publish", "_selected_action": everything}
    response = admin_client.post(SETS, data, follow=True)
    assertContains(response, "1 set is published.")
    assertContains(response, "has no questions yet")
    assert QuestionSet.objects.get(published=True) == sample
    admin_client.post(SETS, {**data, "action": "unpublish"})
    assert not QuestionSet.objects.filter(published=True).exists()


def set_form(question_set: QuestionSet | None = None, **changes: str) -> dict[str, Any]:
    """What the set's page would send: untouched, or that of a new set."""
    data = {
        "name": "new",
        "version": 1,
        "kubernetes_version": "1.35",
        "title_ko": "새 모음",
        "title_en": "New",
        "description_ko": "설명",
        "description_en": "About",
        "position": 1,
    }
    questions = list(question_set.questions.all()) if question_set else []
    if question_set:
        data = {name: value for name, value in model_to_dict(question_set).items() if value is not False}
    data["questions-TOTAL_FORMS"] = data["questions-INITIAL_FORMS"] = len(questions)
    for index, question in enumerate(questions):
        for name in ("id", "question_set_id", "position", "topic_ko", "topic_en"):
            data[f"questions-{index}-{name.removesuffix('_id')}"] = getattr(question, name)
    return data | changes


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Learners would find nothing here"), ("ko", "학습자가 풀 문제가")]
)
def test_a_set_without_questions_is_not_published(admin_client: Client, db: None, language: str, words: str) -> None:
    path = f"/{language}/admin/quizzes/questionset/add/"
    response = admin_client.post(path, set_form(published="on"))
    assertContains(response, words)
    assertContains(response, "새 모음")
    assert not QuestionSet.objects.exists()
    response = admin_client.post(path, set_form())
    made = QuestionSet.objects.get()
    assertRedirects(response, f"/{language}/admin/quizzes/questionset/{made.pk}/change/")
    assertContains(admin_client.post(f"{SETS}{made.pk}/change/", set_form(made, published="on")), "add a question")


def test_a_published_set_keeps_a_question(admin_client: Client, sample: QuestionSet) -> None:
    path = f"{SETS}{sample.pk}/change/"
    both = {"questions-0-DELETE": "on", "questions-1-DELETE": "on"}
    assertContains(admin_client.post(path, set_form(sample, **both)), "Learners would find nothing here")
    assert sample.questions.count() == 2
    assertRedirects(admin_client.post(path, set_form(sample, **{"questions-0-DELETE": "on"})), SETS)
    assert sample.questions.count() == 1


def test_deleting_the_last_question_hides_its_set(admin_client: Client, sample: QuestionSet) -> None:
    first, last = sample.questions.all()
    admin_client.post(f"{QUESTIONS}{first.pk}/delete/", {"post": "yes"})
    sample.refresh_from_db()
    assert sample.published
    data = {"action": "delete_selected", "_selected_action": [last.pk], "post": "yes"}
    assertContains(admin_client.post(QUESTIONS, data, follow=True), "has no questions any more")
    sample.refresh_from_db()
    assert not sample.published


def test_moving_the_last_question_hides_its_set(admin_client: Client, sample: QuestionSet) -> None:
    sample.questions.get(name="which-node").delete()
    other = QuestionSet.objects.create(name="other", title_en="Other")
    data = form_of(sample.questions.get()) | {"question_set": other.pk}
    response = admin_client.post(f"{QUESTIONS}{sample.questions.get().pk}/change/", data, follow=True)
    assertContains(response, "has no questions any more")
    assert not QuestionSet.objects.filter(published=True).exists()


def test_a_full_set_takes_no_more(admin_client: Client, sample: QuestionSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(schema.MOST, "questions", 2)
    question = sample.questions.get(name="which-points")
    assertRedirects(
        admin_client.post(f"{QUESTIONS}{question.pk}/change/", form_of(question)), f"{SETS}{sample.pk}/change/"
    )
    data = {name: value for name, value in form_of(question).items() if not name.endswith(("-id", "-question"))}
    data = {name: 0 if name.endswith("INITIAL_FORMS") else value for name, value in data.items()}
    assertContains(admin_client.post(f"{QUESTIONS}add/", data | {"name": "more"}), "which is the most")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_columns_are_in_the_language(admin_client: Client, sample: QuestionSet, language: str) -> None:
    response = admin_client.get(f"/{language}/admin/quizzes/questionset/")
    assertContains(response, "제목" if language == "ko" else "Title")
    if language == "ko":
        assertNotContains(response, "Title")


def test_the_preview_is_what_learners_see(admin_client: Client, question: Question) -> None:
    QuestionSet.objects.update(published=False)
    path = f"{QUESTIONS}{question.pk}/preview/"
    response = admin_client.get(path)
    assertContains(response, "Which node will it be?")
    assertNotContains(response, "Why-second-is-true")
    response = admin_client.get(f"{path}?answered=1&choice=b")
    assertContains(response, "The answer is B.")
    assertContains(response, "Why-second-is-true")
    assertContains(admin_client.get(path.replace("/en/", "/ko/")), "어느 노드일까요?")


def test_export_is_the_file_format(admin_client: Client, sample: QuestionSet) -> None:
    response = admin_client.get(f"{SETS}{sample.pk}/export/")
    assert response["Content-Disposition"] == 'attachment; filename="sample.yaml"'
    assert response.content.decode() == write(SAMPLE)


def test_every_draft_goes_out_and_in_again(admin_client: Client, db: None) -> None:
    admin_client.post(f"{SETS}add/", set_form())
    made = QuestionSet.objects.get()
    content = content_of(made)
    assert content.questions == ()
    response = admin_client.get(f"{SETS}{made.pk}/export/")
    assertContains(upload(admin_client, response.content, replace="on"), "0 questions imported.")
    made.delete()
    upload(admin_client, response.content)
    assert content_of(QuestionSet.objects.get()) == content
    assert not QuestionSet.objects.get().published


AWKWARD = [
    "null",
    "yes",
    "1_000",
    "- a\n- b",
    "  indented\n\tand a tab",
    "trailing  \nspaces",
    "a: b # c",
    "'\"",
    "\x07",
    "🙂",
    "{{fit}}",
    "line\u2028break",
    "%YAML 1.2",
    "--- |\n...",
    "&a *a !t",
    "2026-12-01",
    "0x1F",
    "\\n",
    "\u200b",
]


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts_go_out_and_in_again(admin_client: Client, question: Question, text: str) -> None:
    data = form_of(question)
    fields = ("stem_ko", "explanation_en", "topic_ko", "lab-0-text", "lab-0-hint_ko", "choices-0-rationale_en")
    data |= dict.fromkeys((*fields, "links-0-title_ko", "claims-0-at"), text)
    data |= {"claims-0-value": json.dumps({text: [text, None, True, -0.5, 1e30, ""]}), "choices-0-text_ko": text}
    data |= {"lab-0-predict_choices": json.dumps([text, "pending"])}
    assertRedirects(
        admin_client.post(f"{QUESTIONS}{question.pk}/change/", data), f"{SETS}{question.question_set_id}/change/"
    )
    content = content_of(question.question_set)
    assert parse(admin_client.get(f"{SETS}{question.question_set_id}/export/").content) == (content, [])


def upload(client: Client, text: str | bytes, **more: str) -> Any:
    data = text.encode() if isinstance(text, str) else text
    return client.post(f"{SETS}import/", {"file": SimpleUploadedFile("a.yaml", data), **more}, follow=True)


def test_import_makes_an_unpublished_set(admin_client: Client, db: None) -> None:
    response = upload(admin_client, write(SAMPLE))
    assertContains(response, "2 questions imported. The set is not published yet.")
    assert content_of(QuestionSet.objects.get()) == SAMPLE


def test_import_of_pasted_text(admin_client: Client, db: None) -> None:
    admin_client.post(f"{SETS}import/", {"text": write(SAMPLE).replace("\n", "\r\n")})
    assert content_of(QuestionSet.objects.get()) == SAMPLE


def test_import_replaces_only_when_asked(admin_client: Client, sample: QuestionSet) -> None:
    text = write(replace(SAMPLE, questions=(SINGLE,)))
    assertContains(upload(admin_client, text), "There is a set of this name already.")
    assert sample.questions.count() == 2
    upload(admin_client, text, replace="on")
    assert sample.questions.count() == 1
    sample.refresh_from_db()
    assert sample.published


@pytest.mark.parametrize("language", ["en", "ko"])
def test_import_shows_problems_at_their_lines(admin_client: Client, db: None, language: str) -> None:
    text = write(SAMPLE).replace("type: single", "type: singel")
    file = SimpleUploadedFile("a.yaml", text.encode())
    response = admin_client.post(f"/{language}/admin/quizzes/questionset/import/", {"file": file})
    line = text[: text.index("singel")].count("\n") + 1
    assertContains(response, f"<tr><td>{line}</td><td>11</td>")
    assertContains(response, "혹시 “single”인가요?" if language == "ko" else "Did you mean “single”?")
    assert not QuestionSet.objects.exists()


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"a: [", b"&a [*a]", b"x" * 2_000_001, b"{" * 5000])
def test_import_of_anything_else_is_refused(admin_client: Client, db: None, data: bytes) -> None:
    assert upload(admin_client, data).status_code == 200
    assert not QuestionSet.objects.exists()
