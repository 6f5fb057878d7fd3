"""Durations as Go prints them, and pods that wait on Permit."""

from __future__ import annotations

from typing import Any, cast

import pytest

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.status import Code
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import Cycle
from scheduler_lab.engine.scheduler.waiting import WaitingPod, WaitingPods, go_duration
from tests.engine.plugins.builders import pod


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.25, "250ms"),
        (0.0015, "1.5ms"),
        (0.0000015, "1.5µs"),
        (0.000000007, "7ns"),
        (1, "1s"),
        (20.5, "20.5s"),
        (59.999, "59.999s"),
        (60, "1m0s"),
        (300, "5m0s"),
        (299.25, "4m59.25s"),
        (900, "15m0s"),
        (3600, "1h0m0s"),
        (3661.001, "1h1m1.001s"),
    ],
)
def test_go_duration(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text


def waiting(name: str, **deadlines: float) -> WaitingPod:
    info = pod(name)
    entry = QueuedPod(info, 0.0)
    cycle = Cycle(pod=info.key, attempt=1, profile="default-scheduler")
    framework = cast(Any, None)
    return WaitingPod(entry, info, "n1", framework, CycleState(), cycle, dict(deadlines), dict(deadlines))


def test_allowed_when_every_plugin_has_let_go() -> None:
    held = waiting("web", A=5, B=9)
    held.allow("A")
    assert not held.decided
    held.allow("A")
    held.allow("B")
    assert held.allowed
    held.reject("B", "too late")
    assert held.verdict is None


def test_the_first_rejection_wins() -> None:
    held = waiting("web", A=5)
    held.reject("A", "no")
    held.allow("A")
    held.reject("B", "no again")
    assert held.verdict is not None and not held.allowed
    assert (held.verdict.code, held.verdict.reasons, held.verdict.plugin) == (Code.UNSCHEDULABLE, ("no",), "A")
    assert not held.deadlines


def test_decided_pods_come_by_name() -> None:
    pods = WaitingPods()
    for name in ("c", "a", "b"):
        pods.add(waiting(name, A=5))
    assert [each.key for each in pods] == ["default/c", "default/a", "default/b"]
    for each in pods:
        if each.key != "default/b":
            each.allow("A")
    taken = [found.key for found in iter(pods.take_decided, None) if found is not None]
    assert taken == ["default/a", "default/c"]
    assert pods.by_key("default/b") is pods.get("default/b") is not None
    assert pods.by_key("default/a") is None
