"""Metrics and events as a person meets them: opened, searched, copied; axe finds nothing, nothing overflows."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.looks import check

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("language", "scheme", "width"), [("en", "light", 1440), ("ko", "dark", 1440), ("ko", "light", 360)]
)
def test_metrics_open_and_are_searched(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/?example=permit-waiting", width=width, color_scheme=scheme)
    page.locator("button.run").click()
    fold = page.locator("#measured-fold")
    fold.locator("summary").first.click()
    expect(page.locator("#printed-events")).to_contain_text("15s (x2 over 105s)")
    page.locator("#measured-pod").select_option("default/miner")
    expect(page.locator("#printed-describe")).to_contain_text("refused by policy")
    page.locator("#metric-find").fill("permit_wait")
    expect(page.locator(".metrics details")).to_have_count(1)
    expect(page.locator(".metrics pre")).to_contain_text('permit_wait_duration_seconds_sum{result="Success"}')
    expect(page.locator("#metric-find")).to_be_focused()
    expect(page.locator("#measured-pod")).to_have_value("default/miner")
    check(page, f"lab-metrics-{language}-{scheme}-{width}")


def test_a_command_is_copied(open_page: OpenPage) -> None:
    page = open_page("/en/lab/?example=permit-waiting", permissions=["clipboard-read", "clipboard-write"])
    page.locator("button.run").click()
    page.locator("#measured-fold > summary").click()
    page.locator("[data-copy-from=printed-get-events]").click()
    expect(page.locator("[data-copy-from=printed-get-events]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("LAST SEEN   TYPE")


def test_metrics_without_scripts(open_page: OpenPage) -> None:
    page = open_page("/en/lab/?example=permit-waiting", java_script_enabled=False)
    page.locator("button.run").click()
    page.get_by_role("link", name="As kubectl prints them").click()
    expect(page.locator("#printed-get-events")).to_contain_text("pod/miner")
    page.locator("#metric-find").fill("pending_pods")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".metrics details")).to_have_count(1)
