"""axe finds nothing, and nothing overflows: quiz pages and systems, both languages, light and dark, narrow and wide."""

import pytest

from quizzes.models import Question
from tests.browser.conftest import OpenPage
from tests.browser.looks import check, each_look
from tests.browser.test_quiz import answer

PAGES = {
    "home": "",
    "sets": "sets/",
    "set": "sets/custom-schedulers/",
    "question": "sets/custom-schedulers/permit/",
    "result": "sets/custom-schedulers/result/",
    "systems": "systems/",
    "system": "systems/inter-pod-affinity/",
    "new-plugin": "systems/new-plugin/?name=my&points=filter",
    "new-plugin-made": "systems/new-plugin/?name=MyPlugin&points=score&points=normalizeScore&remembers=on",
}


@each_look
def test_quiz_pages(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/", width=width, color_scheme=scheme)
    for name, path in PAGES.items():
        page.goto(f"/{language}/{path}")
        check(page, f"{name}-{language}-{scheme}-{width}")
    page.goto(f"/{language}/{PAGES['question']}")
    answer(page, Question.objects.get(name="permit"), right=False)
    page.locator(".see input[name=prediction]").first.check()
    page.locator(".see form button").click()
    page.locator(".see .note[role=status]").wait_for()
    for summary in page.locator(".see summary").all():
        summary.click()
    check(page, f"answered-{language}-{scheme}-{width}")
    page.goto(f"/{language}/{PAGES['result']}")
    check(page, f"result-begun-{language}-{scheme}-{width}")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_zoomed_to_twice_the_size(open_page: OpenPage, language: str) -> None:
    page = open_page(f"/{language}/sets/custom-schedulers/permit/", width=640, device_scale_factor=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
