"""One browser for each test process; a fresh context, with or without JavaScript, for each test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from quizzes.content_format import parse
from quizzes.management.commands.loadsets import CONTENT
from quizzes.storing import store
from tests.browser.install import browser_path

# Playwright's synchronous interface runs an event loop; Django would refuse the database beside it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# Two cores may be busy with other tests; a page that is slow is not a page that is wrong.
expect.set_options(timeout=15_000)

SHOTS = os.environ.get("SHOTS", "")
"""A folder to keep screenshots in, for a person to look at."""

OpenPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=browser_path(), args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def site(live_server: LiveServer, transactional_db: None) -> str:
    """The address of a running site that has the shipped question sets."""
    for path in sorted(CONTENT.glob("*.yaml")):
        content, problems = parse(path.read_bytes())
        assert content, problems
        store(content, shipped=True)
    return live_server.url


@pytest.fixture
def open_page(browser: Browser, site: str) -> Iterator[OpenPage]:
    """Open a path in a fresh context. A console message or an error on a page fails the test at its end."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_it(path: str, width: int = 1280, **options: Any) -> Page:
        context = browser.new_context(
            base_url=site, viewport={"width": width, "height": 900}, reduced_motion="reduce", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: complaints.append(f"{page.url}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.goto(path)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


def keep_shot(page: Page, name: str) -> None:
    """Write a screenshot of the whole page to $SHOTS, if that is given."""
    if SHOTS:
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)
