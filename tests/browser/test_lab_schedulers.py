"""Several schedulers in the browser: nothing overflows, axe finds nothing, and a standby takes over by buttons."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from scheduler_lab import examples
from tests.browser.conftest import OpenPage
from tests.browser.looks import check
from tests.browser.test_lab import run, written

NAMES = [example.name for example in examples.all_examples() if example.name.startswith("schedulers-")]
LONG = "a-scheduler-with-as-long-a-name-as-kubernetes-allows-for-pods-0"


@pytest.mark.parametrize(("language", "scheme", "width"), [("en", "dark", 1440), ("ko", "light", 360)])
def test_nothing_overflows_and_axe_is_content(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    for name in NAMES:
        page.goto(f"/{language}/lab/")
        example = examples.by_name(name)
        assert example is not None
        run(page, example.text.replace("second-scheduler", LONG))
        page.locator("section[aria-labelledby=h-schedulers]").wait_for()
        for row in page.locator(".attempts a").all():
            assert row.evaluate("row => row.scrollWidth <= row.clientWidth"), name
        check(page, f"{name}-{language}-{width}")


def test_a_standby_takes_over_by_buttons(open_page: OpenPage) -> None:
    example = examples.by_name("schedulers-leader-election")
    assert example is not None
    page = open_page("/en/lab/")
    run(page, example.text.partition("---\napiVersion: lab/v1\nkind: Timeline")[0])
    panel = page.locator("section[aria-labelledby=h-schedulers]")
    panel.get_by_role("button", name="Crash: batch-scheduler-0").click()
    expect(panel.get_by_role("listitem").filter(has_text="batch-scheduler-0 serves")).to_contain_text("stopped")
    expect(panel).to_contain_text("runs out")
    panel.get_by_role("button", name="Advance 30 s").click()
    expect(panel).to_contain_text("batch-scheduler-1 holds it")
    expect(panel).to_contain_text("It changed hands 1 time.")
    assert written(page).rstrip().endswith("- {stopScheduler: batch-scheduler-0}\n- advanceSeconds: 30")
