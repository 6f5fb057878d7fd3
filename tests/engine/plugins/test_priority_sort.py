from dataclasses import dataclass

import pytest

from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.plugins.priority_sort import PrioritySort
from tests.engine.plugins.builders import make, pod


@dataclass
class Entry:
    pod: PodInfo
    timestamp: float


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((10, 5.0), (0, 1.0), True),
        ((0, 1.0), (10, 5.0), False),
        ((0, 1.0), (0, 2.0), True),
        ((0, 2.0), (0, 2.0), False),
        ((None, 1.0), (-1, 0.0), True),
    ],
)
def test_priority_then_time(first: tuple[int | None, float], second: tuple[int | None, float], expected: bool) -> None:
    entries = [Entry(pod(priority=priority), time) for priority, time in (first, second)]
    assert make(PrioritySort).less(*entries) is expected
