"""An instructor writes, checks and publishes a set in the browser; axe finds nothing on any kind of page."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from quizzes import views
from quizzes.content_format import parse
from quizzes.models import Answer, Question, QuestionSet
from quizzes.storing import content_of, store
from tests.browser.conftest import OpenPage
from tests.browser.looks import check, two_looks
from tests.quizzes.samples import SAMPLE

SET = "quizzes/questionset/"
QUESTION = "quizzes/question/"


@pytest.fixture
def light_site(live_server: LiveServer, transactional_db: None) -> str:
    """The address of a running site that has a small set and an instructor."""
    store(SAMPLE, shipped=True)
    User.objects.create_superuser("teacher", password="learn-to-schedule")
    return live_server.url


def log_in(page: Page, site: str) -> None:
    client = Client()
    client.force_login(User.objects.get(username="teacher"))
    host = urlsplit(site).hostname or ""
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "domain": host, "path": "/"}])


@pytest.fixture
def make_page(browser: Browser, light_site: str) -> Iterator[OpenPage]:
    contexts = []

    def make(width: int, scheme: str = "light", **options: object) -> Page:
        context = browser.new_context(
            base_url=light_site,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        return page

    yield make
    for context in contexts:
        context.close()


@two_looks
def test_every_kind_of_admin_page(make_page: OpenPage, light_site: str, language: str, scheme: str, width: int) -> None:
    page = make_page(width, scheme)
    admin = f"/{language}/admin/"
    known, question = QuestionSet.objects.get(), Question.objects.first()
    page.goto(admin)
    check(page, f"admin-login-{language}")
    log_in(page, light_site)
    pages = ["", SET, f"{QUESTION}{question.pk}/change/", f"{SET}{known.pk}/delete/"]
    # These look like others, or like a learner's pages: once is enough.
    rest = [f"{SET}{known.pk}/change/", f"{QUESTION}{question.pk}/preview/?answered=1&choice=a"]
    rest += [QUESTION, f"{SET}{known.pk}/history/", f"auth/user/{User.objects.get().pk}/change/"]
    for path in pages + (rest if language == "ko" else []):
        page.goto(f"{admin}{path}")
        check(page, f"admin-{path.split('?')[0].replace('/', '-')}{language}")
    for path in (f"{SET}add/", f"{QUESTION}add/?question_set={known.pk}"):
        page.goto(f"{admin}{path}")
        page.locator("input[name=_save]").first.click()
        expect(page.locator(".errornote")).to_be_visible()
        check(page, f"admin-{path.split('?')[0].replace('/', '-')}errors-{language}")
    page.goto(f"{admin}{SET}import/")
    page.locator("textarea[name=text]").fill("apiVersion: lab/v1\nkind: QuestionSett\nmetadata: {name: A b}\n")
    page.locator("input[type=submit]").click()
    expect(page.locator("table.problems")).to_be_visible()
    check(page, f"admin-import-errors-{language}")


@two_looks
def test_error_pages(
    make_page: OpenPage,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    scheme: str,
    width: int,
) -> None:
    page = make_page(width, scheme)
    page.goto(f"/{language}/nothing/")
    check(page, f"404-{language}")
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 0
    assert "400" in after_sending(page, language)
    check(page, f"400-{language}")
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    assert "413" in after_sending(page, language)
    check(page, f"413-{language}")
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert "403" in after_sending(page, language, cookies=False)
    check(page, f"403-{language}")
    monkeypatch.setattr(views, "all_examples", lambda: 1 / 0)
    page.goto(f"/{language}/")
    assert "500" in page.locator(".lost").inner_text()
    check(page, f"500-{language}")


def after_sending(page: Page, language: str, cookies: bool = True) -> str:
    """Send a question's form as a browser without scripts does, and return what the page says then."""
    page.goto(f"/{language}/sets/sample/which-node/")
    page.locator("input[name=choice]").first.check()
    if not cookies:
        page.context.clear_cookies()
    with page.expect_navigation():
        page.evaluate("document.querySelector('form:has(input[name=choice])').submit()")
    return page.locator(".lost").inner_text()


def test_back_keeps_a_text_that_is_too_long_to_send(make_page: OpenPage, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2000
    page = make_page(1280, java_script_enabled=False)
    page.goto("/en/lab/")
    text = "# a long text\n" * 300
    page.locator("textarea[name=text]").fill(text)
    page.locator("#lab-form button[type=submit]").first.click()
    expect(page.locator("main")).to_contain_text("Back button")
    page.go_back()
    expect(page.locator("textarea[name=text]")).to_have_value(text)


def fill_question(page: Page, texts: dict[str, str], options: dict[str, bool]) -> None:
    """Fill the page of a new question, adding rows for options where there are too few."""
    for name, text in texts.items():
        page.locator(f"#id_{name}").fill(text)
    while page.locator("#choices-group .dynamic-choices").count() < len(options):
        page.locator("#choices-group .add-row a").click()
    for index, (name, right) in enumerate(options.items()):
        row = f"#id_choices-{index}-"
        for field, text in {"name": name, "position": str(index + 1)}.items():
            page.locator(f"{row}{field}").fill(text)
        for language in ("ko", "en"):
            page.locator(f"{row}text_{language}").fill(f"{name} {language}")
            page.locator(f"{row}rationale_{language}").fill(f"because {name} {language}")
        page.locator(f"{row}correct").set_checked(right)


def texts_of(name: str) -> dict[str, str]:
    both = {f"{field}_{language}" for field in ("topic", "stem", "explanation") for language in ("ko", "en")}
    return {"name": name, **{field: f"{name} {field}" for field in both}}


def save(page: Page) -> None:
    page.locator("input[name=_save]").first.click()


def test_an_instructor_makes_a_set_and_a_learner_takes_it(make_page: OpenPage, light_site: str) -> None:
    page = make_page(1440)
    page.goto("/ko/admin/")
    page.locator("#id_username").fill("teacher")
    page.locator("#id_password").fill("learn-to-schedule")
    page.keyboard.press("Enter")
    expect(page.locator("#user-tools")).to_be_visible()
    # An empty set is not published; what was written stays.
    page.goto(f"/ko/admin/{SET}add/")
    for name in ("title_ko", "title_en", "description_ko", "description_en"):
        page.locator(f"#id_{name}").fill(f"{name} text")
    page.locator("#id_name").fill("mine")
    page.locator("#id_published").check()
    save(page)
    expect(page.locator(".field-published .errorlist")).to_contain_text("학습자가 풀 문제가 없습니다")
    expect(page.locator("#id_title_ko")).to_have_value("title_ko text")
    page.locator("#id_published").uncheck()
    save(page)
    expect(page.locator(".messagelist .success")).to_be_visible()
    made = QuestionSet.objects.get(name="mine")

    page.get_by_role("link", name="문제 추가").click()
    fill_question(page, texts_of("one"), {"a": True, "b": True})
    save(page)
    expect(page.locator("#choices-group .errorlist.nonform")).to_contain_text("2")
    page.locator("#id_choices-1-correct").uncheck()
    page.locator("#id_choices-1-text_en").fill(" A  EN ")
    save(page)
    expect(page.locator("#choices-1 .errorlist")).to_contain_text("구별할 수 없습니다")
    page.locator("#id_choices-1-text_en").fill("b en")
    page.locator("#id_lab-0-title_ko").fill("실습")
    save(page)
    expect(page.locator("#lab-group .errorlist").nth(3)).to_be_attached()
    for name, text in lab_texts().items():
        page.locator(f"#id_lab-0-{name}").fill(text)
    save(page)
    page.wait_for_url(f"**/{SET}{made.pk}/change/")
    page.get_by_role("link", name="문제 추가").click()
    page.locator("#id_type").select_option("multiple")
    fill_question(page, texts_of("many"), {"a": True, "b": False, "c": True})
    save(page)
    page.locator("#id_published").check()
    save(page)
    page.wait_for_url(f"**/admin/{SET}")
    assert [question.name for question in made.questions.all()] == ["one", "many"]
    assert made.questions.get(name="one").lab.predict_choices == ["node-a", "pending"]

    learner_takes_it(make_page(360, "dark"))

    with page.expect_download() as download:
        page.locator(f"a[href$='{made.pk}/export/']").click()
    content, problems = parse(download.value.path().read_bytes())
    assert (content, problems) == (content_of(made), [])
    page.locator(f"input[name=_selected_action][value='{made.pk}']").check()
    page.locator("select[name=action]").select_option("unpublish")
    page.locator("button[name=index]").click()
    expect(page.locator(".messagelist li")).to_be_visible()
    page.goto("/ko/sets/mine/")
    expect(page.locator(".lost")).to_contain_text("404")


def lab_texts() -> dict[str, str]:
    lab = SAMPLE.questions[0].lab
    assert lab is not None
    return {
        "title_en": "A lab",
        "text": lab.text,
        "predict_question_ko": "어디로?",
        "predict_question_en": "Where to?",
        "predict_pod": "default/web",
        "predict_choices": json.dumps(["node-a", "pending"]),
    }


def learner_takes_it(page: Page) -> None:
    """Some of several right answers are not the answer; the result says so, and going on is where it stopped."""
    page.goto("/en/sets/mine/")
    page.locator(".hero .primary").click()
    page.locator("input[value=a]").check()
    page.get_by_role("button", name="Check answer").click()
    expect(page.locator("#verdict")).to_contain_text("Right")
    page.goto("/en/")
    page.get_by_role("link", name="Continue: question 2 of 2").click()
    page.locator("input[value=a]").check()
    page.get_by_role("button", name="Check answer").click()
    expect(page.locator("#verdict")).to_contain_text("Not quite: the answer is A, C")
    check(page, "partly-right")
    page.get_by_role("link", name="See the result").click()
    expect(page.locator("h1")).to_contain_text("1 of 2 right")
    assert Answer.objects.filter(question__question_set__name="mine", correct=True).count() == 1
