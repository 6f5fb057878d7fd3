"""The question page over HTTP: answering, retrying, and what must not be known before."""

import re
from collections.abc import Iterator

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

from quizzes.models import Answer, QuestionSet

HTMX = {"HTTP_HX_REQUEST": "true"}
URL = "/en/sets/sample/which-node/"
SECRETS = ("Why-second-is-true", "Why-first-is-false", "Explained-here", "A-rumour", "The-truth", "Right answer")
LAB_SECRETS = ("A small cluster", "A hint", "The score was", "node-a")

pytestmark = pytest.mark.usefixtures("sample")


def test_it_shows_the_question(client: Client) -> None:
    response = client.get(URL)
    assertContains(response, '<h1 id="q-h">Which node will it be?</h1>', html=True)
    assertContains(response, "First option")
    assertContains(response, "Second <code>option</code>")
    assertContains(response, "Question 1 of 2")


def test_it_shows_the_question_in_korean(client: Client) -> None:
    response = client.get("/ko/sets/sample/which-node/")
    assertContains(response, "어느 노드일까요?")
    assertContains(response, "첫째 보기")
    assertNotContains(response, "First option")


def test_no_response_before_answering_holds_the_right_answer(client: Client) -> None:
    for response in responses_before_answering(client):
        text = response.content.decode()
        for secret in (*SECRETS, *LAB_SECRETS):
            assert secret not in text, (response.request["PATH_INFO"], secret)
        # The options look alike: apart from value, text and what was chosen nothing tells them apart.
        options = re.findall(r'<label class="option">.*?</label>', text)
        shapes = {re.sub(r' value="[ab]"| checked| data-focus|<span>.*</span>', "", option) for option in options}
        assert len(shapes) <= 1


def responses_before_answering(client: Client) -> Iterator[HttpResponse]:
    for language in ("en", "ko"):
        yield client.get(f"/{language}/")
        yield client.get(f"/{language}/sets/")
        yield client.get(f"/{language}/sets/sample/")
        yield client.get(f"/{language}/sets/sample/result/")
        for headers in ({}, HTMX):
            yield client.get(f"/{language}/sets/sample/which-node/", **headers)
            yield client.post(f"/{language}/sets/sample/which-node/answer/", {}, **headers)
            yield client.post(f"/{language}/sets/sample/which-node/answer/", {"choice": "nonsense"}, **headers)
            yield client.post(f"/{language}/sets/sample/which-node/answer/", {"choice": ["a", "b"]}, **headers)
            yield client.post(f"/{language}/sets/sample/which-node/predict/", {"prediction": "node-a"}, **headers)
            yield client.post(f"/{language}/sets/sample/which-node/retry/", **headers)
            yield client.get(f"/{language}/sets/sample/which-node/?answered=1&choice=b", **headers)
        for headers in ({}, HTMX):
            yield client.get(f"/{language}/lab/?question=sample/which-node", **headers)
            yield client.get(f"/{language}/lab/?question=sample/which-node", follow=True, **headers)


def test_the_lab_of_a_question_opens_when_it_is_answered(client: Client) -> None:
    lab = "/en/lab/?question=sample/which-node"
    response = client.get(lab, follow=True)
    assertRedirects(response, f"{URL}?lab")
    assertContains(response, "The lab of this question opens when you have answered it.")
    client.post(f"{URL}answer/", {"choice": "a"})
    response = client.get(lab)
    assertContains(response, "A small cluster")
    assertContains(response, "A hint")
    client.post(f"{URL}retry/")
    assertRedirects(client.get(lab), f"{URL}?lab")


def test_answering_redirects_to_the_verdict(client: Client) -> None:
    response = client.post(f"{URL}answer/", {"choice": "b"})
    assertRedirects(response, f"{URL}#verdict", fetch_redirect_response=False)
    response = client.get(URL)
    assertContains(response, "The answer is B.")
    for secret in SECRETS:
        assertContains(response, secret)


def test_answering_with_htmx_gives_the_article_alone(client: Client) -> None:
    response = client.post(f"{URL}answer/", {"choice": "a"}, **HTMX)
    assertContains(response, "Not quite: the answer is B")
    assertNotContains(response, "<html")
    answer = Answer.objects.get()
    assert (answer.chosen, answer.correct) == (["a"], False)


def test_several_right_answers_must_all_be_chosen(client: Client) -> None:
    url = "/en/sets/sample/which-points/"
    assertContains(client.get(url), 'type="checkbox"')
    client.post(f"{url}answer/", {"choice": ["x"]})
    assert not Answer.objects.get().correct
    client.post(f"{url}retry/")
    client.post(f"{url}answer/", {"choice": ["z", "x"]})
    assert Answer.objects.get(withdrawn=False).correct


@pytest.mark.parametrize("chosen", [[], ["nonsense"], ["a", "b"], ["a", "nonsense"]])
def test_it_wants_a_possible_answer(client: Client, chosen: list[str]) -> None:
    response = client.post(f"{URL}answer/", {"choice": chosen})
    unknown = "nonsense" in chosen
    assertContains(response, "The options have changed" if unknown else "Choose an answer first.")
    assert not Answer.objects.exists()


def test_a_second_answer_does_not_replace_the_first(client: Client) -> None:
    client.post(f"{URL}answer/", {"choice": "a"})
    assertNotContains(client.get(URL), "answered this question already")
    response = client.post(f"{URL}answer/", {"choice": "b"}, follow=True)
    assertContains(response, "You had answered this question already")
    assertContains(client.post(f"{URL}answer/", {"choice": "b"}, **HTMX), "You had answered this question already")
    assertNotContains(client.post(f"{URL}answer/", {"choice": "a"}, **HTMX), "answered this question already")
    assert Answer.objects.get().chosen == ["a"]


def test_a_prediction_without_an_answer_leads_to_the_question(client: Client) -> None:
    assertRedirects(client.post(f"{URL}predict/", {"prediction": "node-a"}), f"{URL}?lab")
    response = client.post(f"{URL}predict/", {"prediction": "node-a"}, **HTMX)
    assert response["HX-Redirect"] == f"{URL}?lab"


def test_retrying_hides_the_answer_again(client: Client) -> None:
    client.post(f"{URL}answer/", {"choice": "a"})
    assertRedirects(client.post(f"{URL}retry/"), URL)
    for secret in SECRETS:
        assertNotContains(client.get(URL), secret)
    client.post(f"{URL}answer/", {"choice": "b"})
    assert list(Answer.objects.values_list("chosen", "withdrawn")) == [(["a"], True), (["b"], False)]


def test_answers_belong_to_the_session(client: Client) -> None:
    client.post(f"{URL}answer/", {"choice": "b"})
    assertNotContains(Client().get(URL), "Explained-here")


def test_looking_makes_no_session(client: Client) -> None:
    client.get(URL)
    assert "sessionid" not in client.cookies


def test_home_takes_the_learner_back(client: Client) -> None:
    assertContains(client.get("/en/"), "Start with the questions")
    client.post(f"{URL}answer/", {"choice": "b"})
    response = client.get("/en/")
    assertContains(response, "Continue: question 2 of 2")
    assertContains(response, 'href="/en/sets/sample/which-points/"')
    assertContains(response, "1 right of 2")


def test_the_result_counts_and_starts_again(client: Client) -> None:
    client.post(f"{URL}answer/", {"choice": "b"})
    client.post("/en/sets/sample/which-points/answer/", {"choice": ["y"]})
    response = client.get("/en/sets/sample/result/")
    assertContains(response, "1 of 2 right")
    assertRedirects(client.post("/en/sets/sample/restart/"), "/en/sets/sample/")
    assertContains(client.get("/en/sets/sample/"), "not started")


def test_whole_manifests_can_be_run(client: Client) -> None:
    client.post(f"{URL}answer/", {"choice": "b"})
    assertContains(client.get(URL), 'action="/en/lab/run/"')


def test_an_unpublished_set_is_not_there(client: Client, sample: QuestionSet) -> None:
    QuestionSet.objects.update(published=False)
    for path in ("sets/sample/", "sets/sample/which-node/", "sets/sample/result/"):
        assert client.get(f"/en/{path}").status_code == 404
    assert client.post("/en/sets/sample/which-node/answer/", {"choice": "b"}).status_code == 404
    assertNotContains(client.get("/en/"), "Sample")


def test_it_rejects_other_methods(client: Client) -> None:
    assert client.post(URL).status_code == 405
    for action in ("answer", "retry", "predict"):
        assert client.get(f"{URL}{action}/").status_code == 405
