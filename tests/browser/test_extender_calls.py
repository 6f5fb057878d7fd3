"""Extender calls as a person meets them: open one, copy its command, publish the rules; axe finds nothing."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.looks import check, two_looks


@two_looks
def test_calls_open_and_are_published(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/?example=extender-filter-and-prioritize", width=width, color_scheme=scheme)
    page.locator("button.run").click()
    calls = page.locator("#extender-calls")
    calls.locator("summary").first.click()
    expect(calls.locator("pre").first).to_contain_text('"NodeNames": [')
    expect(calls.locator("pre").nth(1)).to_contain_text("rack is being serviced")
    calls.locator("summary").nth(1).click()
    check(page, f"lab-extender-calls-{language}-{width}")
    calls.locator("form button").click()
    address = page.locator("#published-1")
    expect(address).to_be_focused()
    prefix = address.input_value()
    assert "/extender/racks." in prefix
    check(page, f"lab-extender-published-{language}-{width}")
    body = {"Pod": {"metadata": {"name": "web"}}, "NodeNames": ["node-2", "node-3"]}
    answer = page.request.post(f"{prefix}/filter", data=body)
    assert answer.json()["NodeNames"] == ["node-2"]


def test_calls_without_scripts(open_page: OpenPage) -> None:
    page = open_page("/en/lab/?example=extender-ignorable-timeout", java_script_enabled=False)
    page.locator("button.run").click()
    expect(page.locator("#extender-calls .chip").nth(1)).to_contain_text("failed, ignored")
    page.locator("#extender-calls form button").click()
    expect(page.locator("h1")).to_have_text("Published extenders")
    expect(page.locator("#published-2")).to_be_visible()
