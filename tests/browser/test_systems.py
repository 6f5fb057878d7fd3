"""From a system's page into the lab, and a new plugin without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from scheduler_lab.systems.sections import System, all_systems
from tests.browser.conftest import OpenPage
from tests.browser.looks import check
from tests.browser.test_lab import written


def run_example(page: Page, name: str) -> None:
    page.locator(f"#{name}").get_by_role("button", name="Run this in the lab").click()
    page.locator(".ace_editor").wait_for()


def test_the_editor_holds_the_example_that_was_run_last(open_page: OpenPage) -> None:
    page = open_page("/en/systems/permit/")
    run_example(page, "plugin-permit-approval")
    assert "name: ApprovalPermit" in written(page)
    page.goto("/en/systems/post-filter/")
    run_example(page, "preemption-who-is-chosen")
    assert "name: veteran" in written(page) and "ApprovalPermit" not in written(page)


def test_a_new_plugin_without_scripts(open_page: OpenPage) -> None:
    page = open_page("/en/systems/new-plugin/", java_script_enabled=False)
    page.get_by_label("Name", exact=True).fill("GpuFirst")
    page.get_by_label("Permit").check()
    page.get_by_role("button", name="Make the plugin").click()
    expect(page.locator("#made")).to_have_text("GpuFirst in the lab")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the Go module").click()
    assert download.value.suggested_filename == "gpufirst-scheduler.zip"
    page.get_by_role("button", name="Run this in the lab").click()
    expect(page.locator("#result")).to_contain_text("second")


@pytest.mark.parametrize("system", all_systems(), ids=lambda system: system.name)
def test_every_section_is_accessible_with_all_its_code_open(open_page: OpenPage, system: System) -> None:
    page = open_page(f"/ko/systems/{system.name}/", width=360)
    for summary in page.locator("main summary").all():
        summary.click()
    check(page, f"system-{system.name}")
