"""Kinds of lab pages beside the everyday ones: axe finds nothing and nothing overflows, in two looks each."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scheduler_lab import examples, jobs
from tests.browser.conftest import OpenPage
from tests.browser.looks import check, two_looks
from tests.browser.test_lab import CASES, POOLS, run, write

GROUPED = "---\n".join(
    f"apiVersion: v1\nkind: Node\nmetadata: {{name: node-{n}}}\nspec: {{unschedulable: {str(n % 4 == 0).lower()}}}\n"
    f"status: {{allocatable: {{cpu: {n % 3}, memory: 4Gi}}}}\n"
    for n in range(200)
) + (
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
    "spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 3}}}]}\n"
)
REMOVED = """apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 4, memory: 4Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: 1, memory: 4Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 2}}}]}
---
apiVersion: lab/v1
kind: Timeline
steps: [{removeNode: a}]
"""


def example(name: str) -> str:
    found = examples.by_name(name)
    assert found
    return found.text


def case(name: str) -> str:
    return Path(CASES / f"{name}.yaml").read_text(encoding="utf-8")


def walked(page: Page, query: str) -> None:
    page.goto(f"{page.url.split('?')[0]}?{query}")


@two_looks
def test_many_nodes_in_groups(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    run(page, GROUPED)
    page.locator(".groups .group").nth(1).click()
    page.locator(".groups .in a").first.click()
    page.locator("#evidence").wait_for()
    check(page, f"lab-grouped-{language}-{scheme}")


@two_looks
@pytest.mark.parametrize("name", ["gang-coscheduling", "gang-volcano-wrong-annotation", "node-name-static-pod"])
def test_gangs_and_pods_without_a_scheduler(
    open_page: OpenPage, name: str, language: str, scheme: str, width: int
) -> None:
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    run(page, example(name))
    for summary in page.locator(".deciding:not([open]) summary").all():
        summary.click()
    check(page, f"lab-{name}-{language}-{scheme}")


@two_looks
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("plugin-prebind-reservation", "cycle=2&phase=PreBind&plugin=ReservationCheck"),
        ("extender-filter-and-prioritize", "cycle=1&phase=Filter"),
        ("79-second-claim-no-device", "cycle=2"),
        ("56-no-volume-to-bind", "cycle=1&node=node-1&plugin=VolumeBinding"),
        ("43c-native-gang-timeout", "cycle=1&phase=Permit&plugin=GangScheduling"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_points_and_plugins(open_page: OpenPage, text: str, query: str, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    run(page, case(text) if text[0].isdigit() else example(text))
    walked(page, query)
    check(page, f"lab-{text}-{language}-{scheme}")


@two_looks
def test_a_removed_node_and_the_row_of_another(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    run(page, REMOVED)
    page.locator("#r-b").click()
    page.locator(".taint input:visible").first.wait_for()
    page.locator(".legend summary").click()
    check(page, f"lab-row-{language}-{scheme}")


@two_looks
def test_notices_sharing_and_asking(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    unknown = f"/{language}/lab/run/{'x' * 22}/"
    told = page.request.get(unknown)
    assert told.status == 404
    # A console complains of an address that is not found, and rightly; the page itself is what is looked at.
    page.route(f"**{unknown}", lambda route: route.fulfill(body=told.body(), content_type="text/html"))
    page.goto(unknown)
    page.locator("#result .note").wait_for()
    check(page, f"lab-notice-{language}-{scheme}")
    page.goto(f"/{language}/lab/")
    run(page, POOLS)
    page.locator("form[action$='/share/'] button").click()
    page.locator("#share-link").wait_for()
    check(page, f"lab-share-{language}-{scheme}")
    digest = page.locator("[data-digest]").get_attribute("data-digest")
    page.goto(f"/{language}/lab/compare/?digest={digest}&other=nothing")
    page.locator("#compare-with").wait_for()
    check(page, f"lab-ask-{language}-{scheme}")


@two_looks
def test_pages_without_javascript(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme, java_script_enabled=False)
    page.locator("#id_text").fill(POOLS)
    page.locator("button.run").click()
    page.locator(".fix-place a").click()
    fixes = page.url
    assert page.locator(".fixes li").count() > 1
    scripted = open_page(fixes, width=width, color_scheme=scheme)
    check(scripted, f"lab-fixes-alone-{language}-{scheme}")


@two_looks
def test_a_long_run_shows_how_far_it_is(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, language: str, scheme: str, width: int
) -> None:
    monkeypatch.setattr(jobs, "begin", partial(jobs.begin, patience=0.0))
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    # The page never hears how far the run has come, so that it stays as it is.
    page.route("**/lab/job/*/?*", lambda route: None)
    write(page, f"# {time.time_ns()}\n{GROUPED}")
    page.locator("button.run").click()
    page.locator(".running").wait_for()
    check(page, f"lab-running-{language}-{scheme}")
    page.locator("#cancel-run").click()
    expect(page.locator("#result .running")).to_have_count(0)
    check(page, f"lab-cancelled-{language}-{scheme}")
