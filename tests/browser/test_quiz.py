"""A learner answers, predicts and comes back, in both languages, with and without JavaScript."""

import pytest
from playwright.sync_api import Page, expect

from quizzes.models import Answer, Question
from quizzes.prediction import answers_of
from scheduler_lab.runner import run_text
from tests.browser.conftest import OpenPage

WORDS = {
    "en": {"right": "Right", "wrong": "Not quite", "all": "all {} right", "next": "Next question"},
    "ko": {"right": "정답입니다", "wrong": "아쉽습니다", "all": "{}문제 모두 정답", "next": "다음 문제"},
}


def answer(page: Page, question: Question, right: bool) -> None:
    names = [choice.name for choice in question.choices.all() if choice.correct is right]
    for name in names if right else names[:1]:
        page.locator(f"input[name=choice][value='{name}']").check()
    page.locator("form:has(input[name=choice]) button").click()
    page.locator(".verdict-line").wait_for()


def predict(page: Page, question: Question) -> None:
    record = run_text(question.lab.text).record
    assert record is not None
    outcome = answers_of(record, question.lab.predict_ask, question.lab.predict_pod)
    offered = [choice for choice in question.lab.predict_choices if choice in outcome]
    assert offered, f"{question}: {outcome} is not offered"
    page.locator(f".see input[value='{offered[0]}']").check()
    page.locator(".see form button").click()
    expect(page.locator(".see .note[data-v=pass]")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_all_questions_and_their_labs(open_page: OpenPage, language: str, scripts: bool) -> None:
    questions = list(Question.objects.filter(question_set__name="custom-schedulers"))
    words = WORDS[language]
    page = open_page(f"/{language}/", java_script_enabled=scripts)
    page.locator(".hero .btn.primary").click()
    page.locator(".hero .btn.primary").click()
    for number, question in enumerate(questions, start=1):
        assert page.url.endswith(f"/{question.name}/")
        assert f"{number}" in page.locator(".crumb").inner_text()
        assert page.locator(".see").count() == 0
        answer(page, question, right=True)
        expect(page.locator("#verdict")).to_contain_text(words["right"])
        predict(page, question)
        page.locator(".steps .primary").click()
        page.wait_for_url(lambda url, seen=question.name: f"/{seen}/" not in url)
    expect(page.locator(".hero")).to_contain_text(words["all"].format(len(questions)))
    assert Answer.objects.filter(correct=True, predicted_right=True).count() == len(questions)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_wrong_answer_and_another_try(open_page: OpenPage, language: str) -> None:
    question = Question.objects.get(name="multiple-schedulers")
    page = open_page(f"/{language}/sets/custom-schedulers/multiple-schedulers/")
    answer(page, question, right=False)
    expect(page.locator("#verdict")).to_contain_text(WORDS[language]["wrong"])
    expect(page.locator("#verdict")).to_be_focused()
    page.locator(".answered form button").click()
    expect(page.locator("input[name=choice]").first).to_be_visible()
    assert page.locator(".answered").count() == 0
    answer(page, question, right=True)
    expect(page.locator("#verdict")).to_contain_text(WORDS[language]["right"])


def test_no_choice_is_said_in_place(open_page: OpenPage) -> None:
    page = open_page("/en/sets/custom-schedulers/permit/")
    page.locator("form:has(input[name=choice]) button").click()
    expect(page.get_by_role("alert").filter(has_text="Choose an answer first.")).to_be_visible()
    expect(page.locator("input[name=choice]").first).to_be_focused()


def test_the_keyboard_is_enough(open_page: OpenPage) -> None:
    page = open_page("/en/sets/custom-schedulers/permit/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip-link")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("input[name=choice]").first).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.locator("input[name=choice]").nth(1)).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_be_focused()


def test_the_language_switch_keeps_the_answer(open_page: OpenPage) -> None:
    page = open_page("/en/sets/custom-schedulers/permit/")
    answer(page, Question.objects.get(name="permit"), right=True)
    page.get_by_role("link", name="한국어").click()
    page.wait_for_url("**/ko/sets/custom-schedulers/permit/")
    expect(page.locator("#verdict")).to_contain_text("정답입니다")


def test_the_theme_is_chosen_and_kept(open_page: OpenPage) -> None:
    page = open_page("/en/", color_scheme="light")
    button = page.locator("[data-theme-switch]")
    expect(button).to_have_attribute("aria-label", "Theme: as the system")
    button.click()
    button.click()
    expect(button).to_have_attribute("aria-label", "Theme: dark")
    page.goto("/en/sets/")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.locator("[data-theme-switch]").click()
    assert page.evaluate("localStorage.getItem('theme')") is None


def test_an_unreachable_server_is_said(open_page: OpenPage) -> None:
    page = open_page("/en/sets/custom-schedulers/permit/")
    page.locator("input[name=choice]").first.check()
    page.evaluate("document.dispatchEvent(new CustomEvent('htmx:sendError'))")
    expect(page.get_by_role("alert").filter(has_text="The server did not answer.")).to_be_visible()
