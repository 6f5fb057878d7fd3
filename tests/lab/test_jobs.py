"""Runs that take longer than a page should wait."""

from __future__ import annotations

import time

import pytest
from django.test import Client

from scheduler_lab import jobs, runs
from scheduler_lab.outcome import RunOutcome
from scheduler_lab.runner import Watcher

HTMX = {"HX-Request": "true"}
TEXT = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: x}]}\n"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.begin, "__defaults__", (0.05,))


def slow(seconds: float) -> object:
    def run(_text: str, watcher: Watcher, **_options: object) -> RunOutcome:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            watcher.progress({"stage": "run", "nodes": 7, "pods": 3, "cycles": 2})
            if watcher.cancelled():
                return RunOutcome(stopped="cancelled")
            time.sleep(0.02)
        return RunOutcome(record={"cycles": [], "pods": {}})

    return run


def test_a_slow_run_shows_its_progress_and_then_its_result(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "run_text", slow(0.5))
    page = client.post("/en/lab/run/", {"text": TEXT}, headers=HTMX).content.decode()
    assert "Running…" in page
    address = page.split('hx-get="')[1].split('"')[0]
    time.sleep(0.1)
    assert "7 nodes, 3 pods" in client.get(address, headers=HTMX).content.decode()
    time.sleep(0.6)
    done = client.get(address, headers=HTMX)
    assert "Running…" not in done.content.decode()
    assert "/en/lab/run/" in done["HX-Push-Url"]


def test_a_run_is_cancelled(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "run_text", slow(20))
    page = client.post("/en/lab/run/", {"text": TEXT}, headers=HTMX).content.decode()
    address = page.split('action="')[1].split('"')[0]
    began = time.monotonic()
    said = client.post(address, headers=HTMX).content.decode()
    assert "You cancelled this run" in said
    assert time.monotonic() - began < 15, "it waited for the run instead of stopping it"


def test_without_scripts_the_page_waits(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "run_text", lambda _text, **_options: RunOutcome(record={"cycles": [], "pods": {}}))
    assert (
        "Running…"
        not in client.post("/en/lab/run/", {"text": TEXT}).content.decode().split("<main")[1].split('id="result"')[1]
    )


def test_a_job_that_nobody_knows(client: Client) -> None:
    assert client.get(f"/en/lab/job/{'a' * 22}/").status_code == 404
