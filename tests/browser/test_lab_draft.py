"""What was written in the lab is not lost when the page is left for another language or reloaded."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.test_lab import POOLS, run, write, written


def test_an_edit_survives_reload_and_language(open_page: OpenPage) -> None:
    page = open_page("/en/lab/?example=plain-fit")
    write(page, "# mine\n")
    page.reload()
    page.locator(".ace_editor").wait_for()
    assert written(page) == "# mine\n"
    page.locator("header a[hreflang=ko]").click()
    page.locator(".ace_editor").wait_for()
    assert written(page) == "# mine\n"


def test_the_language_switch_keeps_the_result(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, POOLS)
    expect(page).to_have_url(re.compile("/en/lab/run/"))
    page.locator("header a[hreflang=ko]").click()
    expect(page).to_have_url(re.compile("/ko/lab/run/"))
    expect(page.locator("#result h2").first).to_contain_text("Pending")
