"""Several schedulers on the lab's pages: who made each cycle, who leads, what went wrong, and what buttons do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from scheduler_lab import acting, examples, runs
from scheduler_lab.engine import load
from scheduler_lab.reports.markdown import markdown
from scheduler_lab.reports.text import text as report

pytestmark = pytest.mark.django_db

ORDINARY = (Path(__file__).resolve().parent.parent / "data/cases/76-toleration-does-not-attract.yaml").read_text()


def example(name: str) -> str:
    found = examples.by_name(f"schedulers-{name}")
    assert found is not None
    return found.text


def shown(client: Client, text: str, language: str = "en") -> str:
    response = client.post(f"/{language}/lab/run/", {"text": text})
    assert response.status_code == 200
    page = response.content.decode()
    assert "style=" not in page
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_an_ordinary_run_shows_no_panel(client: Client) -> None:
    assert "they take turns" not in shown(client, ORDINARY)


def test_cycles_and_events_name_their_process(client: Client) -> None:
    page = shown(client, example("same-pod-conflict"))
    assert page.count("second-scheduler-0") > 4
    assert "default-scheduler · second-scheduler-0" in page
    assert "409 web-1 second-scheduler-0 came too late: the pod was bound to node-1 already (409)." in page
    assert "did not know yet what other schedulers had bound: web-2 → node-2." in page


def test_a_race_shows_what_the_kubelet_says(client: Client) -> None:
    page = shown(client, example("overcommit-race"))
    assert "Rejected by the kubelet" in page
    assert "Node didn&#x27;t have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000" in page


@pytest.mark.parametrize(
    ("language", "panel", "state"),
    [("en", "Schedulers", "stands by"), ("ko", "스케줄러", "대기")],
)
def test_a_lease_shared_by_mistake(client: Client, language: str, panel: str, state: str) -> None:
    page = shown(client, example("shared-lease-mistake"), language)
    assert panel in page
    assert f"{state} batch-scheduler-0" in page
    if language == "en":
        assert "Different schedulers contend for it (kube-scheduler, batch-scheduler)" in page
        assert "only the holder of the lease kube-system/kube-scheduler schedules" in page


def test_the_time_until_the_standby_takes_over(client: Client) -> None:
    waiting = example("leader-election").rpartition("- advanceSeconds: 10")[0]
    page = shown(client, waiting)
    assert "runs out kube-system/batch-scheduler" in page
    assert "A candidate takes it at 16 s." in page
    assert "in 6 seconds; until then nobody tries job-2" in page


@pytest.mark.parametrize(
    ("do", "member"),
    [
        ("stop-scheduler:b-0", "stop_scheduler"),
        ("terminate-scheduler:b-0", "terminate_scheduler"),
        ("start-scheduler:b-0", "start_scheduler"),
    ],
)
def test_buttons_are_steps(do: str, member: str) -> None:
    step = acting.step_of(do, "")
    assert step is not None
    (timeline,) = load(acting.append_step("", step)).objects
    assert getattr(timeline.steps[0], member) == "b-0"  # type: ignore[union-attr]


def test_a_button_stops_the_leader(client: Client) -> None:
    text = example("leader-election").partition("---\napiVersion: lab/v1\nkind: Timeline")[0]
    response = client.post("/en/lab/act/", {"text": text, "do": "stop-scheduler:batch-scheduler-0"}, follow=True)
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))
    assert "stopScheduler: batch-scheduler-0" in page
    assert "stopped batch-scheduler-0" in page


def test_reports_name_the_process() -> None:
    outcome = runs.perform(example("overcommit-race")).outcome
    assert outcome.record is not None
    assert "my-custom-scheduler · my-custom-scheduler-0" in report(outcome.record)
    assert re.search(r"Schedulers:\n  kube-scheduler-0 +leads", report(outcome.record))
    assert "my-custom-scheduler · my-custom-scheduler-0" in markdown(outcome)
    conflict = runs.perform(example("same-pod-conflict")).outcome
    assert conflict.record is not None
    assert "second-scheduler-0" in report(conflict.record)


def test_a_configuration_that_does_not_start_is_told_at_its_line(client: Client) -> None:
    broken = example("node-pools").replace("addedAffinity", "addedAffinities")
    page = shown(client, broken)
    line = next(number for number, text in enumerate(broken.splitlines(), 1) if "addedAffinities" in text)
    assert f"line {line}" in page
    assert "Scheduler my-custom-scheduler: strict decoding error" in page
