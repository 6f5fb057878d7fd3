"""The lab as a person uses it: by mouse, by keyboard, without JavaScript; axe finds nothing."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from scheduler_lab import examples
from tests.browser.conftest import OpenPage
from tests.browser.looks import check, each_look

CASES = Path(__file__).resolve().parent.parent / "data/cases"
POOLS = (CASES / "16-many-pools-one-line.yaml").read_text()
TOLERATION = (CASES / "76-toleration-does-not-attract.yaml").read_text()
VICTIMS = (CASES / "37b-both-are-victims.yaml").read_text()
BROKEN = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n"
    "  nodeSelectr: {a: b}\n  containers: [{name: c, image: x}]\n"
)


def write(page: Page, text: str) -> None:
    page.wait_for_function("document.querySelector('.django-ace-widget')?.editor")
    page.evaluate("text => document.querySelector('.django-ace-widget').editor.setValue(text, -1)", text)


def run(page: Page, text: str) -> None:
    """Run a text and wait for its own result, not for one that an earlier run left on the page."""
    write(page, text)
    page.evaluate("document.querySelectorAll('#result > *').forEach(e => e.setAttribute('data-before', ''))")
    page.locator("button.run").click()
    fresh = "#result > :not([data-before])"
    page.locator(f"{fresh} .head, {fresh}.head, {fresh} .problem, {fresh}.problem").first.wait_for()


def written(page: Page) -> str:
    return page.locator("#id_text").input_value()


def test_run_and_read_the_verdicts(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, POOLS)
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 Pending")
    expect(page.locator("#filter td[data-v=unresolvable]")).to_have_count(5)
    expect(page.locator("#lab-status")).to_contain_text("1 pod: 1 Pending")
    assert written(page) == POOLS
    assert "/en/lab/run/" in page.url


def test_evidence_opens_under_its_row_and_marks_the_lines(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, POOLS)
    cell = page.locator("#filter td[data-v=reject] a.cell")
    cell.click()
    expect(page.locator("#evidence .lead")).to_contain_text("NodeResourcesFit rejects worker-1.")
    expect(cell).to_have_attribute("aria-expanded", "true")
    expect(cell).to_be_focused()
    expect(page.locator("#evidence .ln.hll").first).to_be_visible()
    assert page.locator(".ace_editor .lab-mark").count() > 0
    cell.click()
    expect(page.locator("#evidence")).to_have_count(0)


def test_walking_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, VICTIMS)
    page.locator("#cycle-1").click()
    expect(page.locator("#cycle-1")).to_have_attribute("aria-current", "true")
    for name in ("PostFilter", "PreScore"):
        page.keyboard.press("ArrowRight")
        expect(page.locator("[aria-current=step] .name")).to_have_text(name)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#panel .nominee")).to_contain_text("worker-1")
    expect(page.locator("#lab-status")).to_contain_text("PostFilter")
    page.go_back()
    expect(page.locator("[aria-current=step] .name")).to_have_text("PreScore")
    assert written(page) == VICTIMS


def test_play_walks_by_itself(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, TOLERATION)
    page.locator("[data-play]").click()
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[aria-current=step] .name")).to_have_text("PostFilter")
    page.locator("[data-play]").click()
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "false")


def test_ctrl_enter_runs_and_problems_stand_at_their_lines(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    write(page, BROKEN)
    page.locator(".ace_text-input").focus()
    page.keyboard.press("Control+Enter")
    problem = page.locator("#problems .problem-list li")
    expect(problem).to_contain_text("nodeSelectr")
    assert page.evaluate("document.querySelector('.django-ace-widget').editor.session.getAnnotations()[0].row") == 4
    problem.locator("a[data-line]").click()
    assert page.evaluate("document.querySelector('.django-ace-widget').editor.getCursorPosition().row") == 4
    run(page, BROKEN.replace("nodeSelectr", "nodeSelector"))
    expect(page.locator("#problems .problem")).to_have_count(0)


def test_an_example_from_the_menu(open_page: OpenPage) -> None:
    example = examples.all_examples()[1]
    page = open_page("/ko/lab/")
    write(page, "mine: 1")
    page.locator(".menu summary").first.click()
    page.locator(".menu a", has_text=example.titles["ko"]).first.click()
    expect(page.locator("#result h2")).to_have_text(example.titles["ko"])
    assert written(page) == example.text
    page.locator("#result button[type=submit]").click()
    expect(page.locator(".attempts")).to_be_visible()


def test_a_file_is_opened(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    page.wait_for_function("document.querySelector('.django-ace-widget')?.editor")
    page.locator("input[type=file]").set_input_files(
        {"name": "x.yaml", "mimeType": "application/yaml", "buffer": TOLERATION.encode()}
    )
    expect(page.locator("#id_text")).to_have_value(TOLERATION)


def test_share_gives_a_link_that_shows_the_same(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, TOLERATION)
    page.get_by_role("button", name="Share").click()
    address = page.locator("#share-link").input_value()
    page.goto(address)
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 running")
    assert written(page) == TOLERATION


def test_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/en/lab/", java_script_enabled=False)
    page.locator("#id_text").fill(POOLS)
    page.locator("button.run").click()
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 Pending")
    page.locator("#walk-on").click()
    expect(page.locator("[aria-current=step] .name")).to_have_text("PostFilter")
    page.locator("#stop-Filter").click()
    page.locator("#filter td[data-v=reject] a.cell").click()
    expect(page.locator("#evidence .lead")).to_contain_text("rejects worker-1")
    assert page.locator("#id_text").input_value() == POOLS
    page.goto("/en/lab/")
    page.locator("#id_text").fill(BROKEN)
    page.locator("button.run").click()
    expect(page.locator("#problems .problem-list")).to_contain_text("line 5")
    assert page.locator("#id_text").input_value() == BROKEN


PERMIT = """apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 4, memory: 4Gi}}
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {permit: {enabled: [{name: LabPermit}]}}
---
apiVersion: lab/v1
kind: Permit
rules: [{action: wait, timeoutSeconds: 60}]
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x}]}
"""
MANY = "---\n".join(
    f"apiVersion: v1\nkind: Node\nmetadata: {{name: node-{n}}}\n"
    f"status: {{allocatable: {{cpu: {n % 3}, memory: 4Gi}}}}\n"
    for n in range(120)
) + (
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
    "spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 2}}}]}\n"
)


def test_a_waiting_pod_is_allowed_by_a_button(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, PERMIT)
    page.locator(".waits button", has_text="Allow").click()
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 running")
    assert written(page).startswith(PERMIT)
    assert "allowWaiting: default/web" in written(page)
    expect(page.locator(".compare")).to_contain_text("web")
    page.locator(".compare a", has_text="Show both").click()
    expect(page.locator("h1")).to_have_text("Two runs")
    page.go_back()
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 running")


def test_running_again_after_a_button_adds_nothing(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, PERMIT)
    page.locator(".waits button", has_text="Allow").click()
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 running")
    text = written(page)
    page.locator(".ace_text-input").focus()
    with page.expect_response("**/lab/run/"):
        page.keyboard.press("Control+Enter")
    assert written(page) == text


def test_a_node_is_cordoned_from_its_box(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, TOLERATION)
    box = page.locator(".node:has(.act)").first
    box.locator("summary").click()
    box.get_by_role("button", name="Cordon").click()
    expect(page.locator(".node.shut")).to_have_count(1)
    assert "cordon: " in written(page)


def test_a_fix_is_applied(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, POOLS)
    page.locator(".fix-place").scroll_into_view_if_needed()
    page.locator(".fixes .btn").first.click()
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 running")
    assert written(page) != POOLS
    expect(page.locator(".compare")).to_be_visible()


def test_from_the_gutter_to_the_verdicts(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, POOLS)
    page.locator(".deciding").wait_for()
    page.wait_for_function("document.querySelector('.ace_gutter-cell.lab-decided')")
    page.locator(".ace_gutter-cell.lab-decided").first.click()
    expect(page.locator(".decided > li:focus")).to_be_visible()


def test_nodes_are_found_by_name(open_page: OpenPage) -> None:
    page = open_page("/en/lab/")
    run(page, MANY)
    expect(page.locator(".groups .group")).to_have_count(2)
    page.locator("#find-node").fill("node-11")
    expect(page.locator("#filter tbody tr")).to_have_count(11)
    expect(page.locator("#find-node")).to_be_focused()
    page.locator("#find-verdict").select_option("pass")
    expect(page.locator("#filter tbody tr")).to_have_count(5)


def test_acting_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/en/lab/", java_script_enabled=False)
    page.locator("#id_text").fill(PERMIT)
    page.locator("button.run").click()
    page.locator(".waits button", has_text="Reject").click()
    expect(page.locator("#result h2").first).to_contain_text("1 pod")
    assert "rejectWaiting: default/web" in page.locator("#id_text").input_value()
    page.goto("/en/lab/")
    page.locator("#id_text").fill(POOLS)
    page.locator("button.run").click()
    page.get_by_role("link", name="Which lines decided this cycle").click()
    expect(page.locator(".decided li").first).to_be_visible()
    page.go_back()
    page.locator(".fix-place a").click()
    page.locator(".fixes .btn").first.click()
    expect(page.locator("#result h2").first).to_have_text("1 pod: 1 running")


def test_examples_are_found_as_one_types(open_page: OpenPage) -> None:
    page = open_page("/en/lab/examples/")
    page.locator("#find-text").fill("zzzz")
    expect(page.locator("#found")).to_contain_text("No example has these words.")


@each_look
def test_nothing_for_axe(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    look = f"{language}-{scheme}-{width}"
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    check(page, f"lab-empty-{look}")
    page.locator(".menu summary").first.click()
    check(page, f"lab-menu-{look}")
    run(page, BROKEN)
    check(page, f"lab-problems-{look}")
    run(page, POOLS)
    page.locator("#filter td[data-v=reject] a.cell").click()
    page.locator("#evidence").wait_for()
    check(page, f"lab-pending-{look}")
    run(page, TOLERATION)
    page.locator("#score .w a").nth(1).click()
    page.locator("#evidence").wait_for()
    check(page, f"lab-score-{look}")
    run(page, VICTIMS)
    page.locator("#cycle-1").click()
    expect(page.locator("#cycle-1")).to_have_attribute("aria-current", "true")
    page.wait_for_load_state("networkidle")
    page.locator("#stop-PostFilter").click()
    page.locator("#panel .nominee").wait_for()
    check(page, f"lab-preemption-{look}")
    page.goto(f"/{language}/lab/examples/")
    check(page, f"lab-examples-{look}")


@each_look
def test_nothing_for_axe_in_acting_and_comparing(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    look = f"{language}-{scheme}-{width}"
    page = open_page(f"/{language}/lab/", width=width, color_scheme=scheme)
    run(page, POOLS)
    page.locator(".fix-place").scroll_into_view_if_needed()
    page.locator(".fixes").wait_for()
    page.locator(".deciding summary").click()
    check(page, f"lab-fixes-{look}")
    page.locator(".fixes .btn").first.click()
    page.locator(".compare").wait_for()
    page.locator(".node .act summary").first.click()
    check(page, f"lab-banner-{look}")
    page.locator(".compare a").first.click()
    page.locator("h1").wait_for()
    check(page, f"lab-compare-{look}")
    page.goto(f"/{language}/lab/")
    run(page, PERMIT)
    page.locator(".head details summary").nth(1).click()
    check(page, f"lab-waiting-{look}")
    run(page, MANY)
    page.locator(".groups .group").first.click()
    page.locator(".groups .in").wait_for()
    check(page, f"lab-many-{look}")
    page.goto(page.url.split("?")[0] + "lines/?cycle=1")
    check(page, f"lab-lines-{look}")


def test_zoomed_to_twice_the_size(open_page: OpenPage) -> None:
    page = open_page("/ko/lab/", width=640, device_scale_factor=2)
    run(page, POOLS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
