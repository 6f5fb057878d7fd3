"""The lab by keyboard alone, and what a screen reader is told."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_lab import CASES, POOLS, run, written

BUDGET = (CASES / "38b-pdb-decides.yaml").read_text(encoding="utf-8")
FOCUS = "document.activeElement.id"


def names_of_what_takes_focus(page: Page) -> list[str]:
    """The accessible name of everything that Tab may reach, "" where it has none."""
    return page.evaluate(
        """() => [...document.querySelectorAll(
            "a[href], button, summary, input:not([type=hidden]), select, textarea, [tabindex='0']")]
            .filter(e => e.checkVisibility() && !e.closest(".ace_editor"))
            .map(e => (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || "").trim())"""
    )


def test_everything_that_takes_focus_has_a_name(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, POOLS)
    page.locator(".fix-place").scroll_into_view_if_needed()
    page.locator(".fixes").wait_for()
    page.locator(".legend summary").click()
    assert "" not in names_of_what_takes_focus(page)


def test_tab_leaves_the_editor(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, POOLS)
    text = written(page)
    page.locator(".ace_text-input").focus()
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.ace_editor')")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("!!document.activeElement.closest('.ace_editor')")
    page.keyboard.press("Shift+Tab")
    assert not page.evaluate("document.activeElement.closest('.ace_editor')")
    assert written(page) == text


def test_a_run_and_each_step_are_told_and_the_focus_stays(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, BUDGET)
    status = page.locator("#lab-status")
    expect(status).to_contain_text("1 pod: 1 running. payment found no room")
    page.locator("#cycle-2").focus()
    page.keyboard.press("Enter")
    expect(status).to_contain_text("payment went to worker-1.")
    assert page.evaluate(FOCUS) == "cycle-2"
    page.keyboard.press("ArrowRight")
    expect(status).to_contain_text("payment. PostFilter")
    assert page.evaluate(FOCUS) == "cycle-2"


def test_where_the_pressed_link_is_gone_the_point_gets_the_focus(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, BUDGET)
    page.locator("#cycle-2").click()
    page.locator(".short a", has_text="Why that node").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#cycle-1")).to_have_attribute("aria-current", "true")
    page.wait_for_function("document.activeElement.id.startsWith('stop-')")


def test_a_menu_opens_acts_and_closes(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, BUDGET)
    summary = page.locator(".node .act summary").first
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".node .act[open]")).to_have_count(0)
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    field = page.locator(".taint input:visible")
    field.fill("team=a")
    page.locator(".taint select:visible").select_option("NoExecute")
    page.get_by_role("button", name="Add the taint: worker-1").click()
    expect(page.locator(".compare")).to_be_visible()
    assert "taint: {node: worker-1, key: team, value: a, effect: NoExecute}" in written(page)


def test_a_node_acts_from_its_row(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, BUDGET)
    page.locator("#r-worker-2").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#r-worker-2")).to_have_attribute("aria-expanded", "true")
    assert page.evaluate(FOCUS) == "r-worker-2"
    page.locator("#filter").get_by_role("button", name="Cordon: worker-2").click()
    expect(page.locator(".node.shut")).to_have_count(1)
    assert "cordon: worker-2" in written(page)
