"""A manifest of an explanation runs in the lab, whatever it lacks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from quizzes.markdown import is_manifest
from scheduler_lab.completing import completed
from scheduler_lab.engine import run_text

SETS = sorted((Path(__file__).resolve().parents[2] / "quizzes/content").glob("*.yaml"))
CONFIGURATION = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: batch
"""


def blocks() -> list[str]:
    found = []
    for path in SETS:
        for question in yaml.safe_load(path.read_text(encoding="utf-8"))["spec"]["questions"]:
            for text in question["explanation"].values():
                found += re.findall(r"```yaml[^\n]*\n(.*?)```", text, re.DOTALL)
    return [code for code in found if is_manifest("yaml", code)]


@pytest.mark.parametrize("code", blocks())
def test_every_block_with_a_button_schedules_a_pod(code: str) -> None:
    record = run_text(completed(code))
    assert not record.error
    assert not record.scenario_error
    assert record.cycles


def test_a_pod_for_the_first_profile_is_added() -> None:
    record = run_text(completed(CONFIGURATION))
    assert [(cycle.pod, cycle.profile) for cycle in record.cycles] == [("default/web", "batch")]


def test_a_whole_text_stays_as_it_is() -> None:
    text = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"
    assert completed(text) == text
