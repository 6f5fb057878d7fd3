"""Predicting over HTTP: the lab is really run."""

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

from quizzes.models import Answer, Lab

URL = "/en/sets/sample/which-node/"

pytestmark = pytest.mark.usefixtures("sample")


@pytest.fixture
def answered(client: Client) -> Client:
    client.post(f"{URL}answer/", {"choice": "b"})
    return client


def test_a_right_prediction(answered: Client) -> None:
    response = answered.post(f"{URL}predict/", {"prediction": "node-a"})
    assertRedirects(response, f"{URL}#see", fetch_redirect_response=False)
    response = answered.get(URL)
    assertContains(response, "As you predicted: node-a")
    assertContains(response, "The score was node-a.")
    assert Answer.objects.get().predicted_right


def test_a_wrong_prediction_with_htmx(answered: Client) -> None:
    response = answered.post(f"{URL}predict/", {"prediction": "pending"}, HTTP_HX_REQUEST="true")
    assertContains(response, "Not as you predicted: node-a")
    assertNotContains(response, "<html")


def test_the_walkthrough_is_hidden_before_predicting(answered: Client) -> None:
    assertNotContains(answered.get(URL), "The score was")


@pytest.mark.parametrize("prediction", ["", "node-z"])
def test_it_wants_one_of_the_choices(answered: Client, prediction: str) -> None:
    assertContains(answered.post(f"{URL}predict/", {"prediction": prediction}), "Say first what you expect.")


def test_a_text_that_does_not_run_is_said_plainly(answered: Client) -> None:
    Lab.objects.update(text="apiVersion: v1\nkind: Pod\nmetadata: [\n")
    response = answered.post(f"{URL}predict/", {"prediction": "node-a"})
    assertContains(response, "The lab could not run this scenario.")
    assert Answer.objects.get().predicted_right is None


def test_it_wants_an_answer_before(client: Client) -> None:
    assertRedirects(client.post(f"{URL}predict/", {"prediction": "node-a"}), URL)
