"""Evicted pods keep their node for their grace period, if the text asks for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scheduler_lab.engine import load, run

TEXT = """\
apiVersion: lab/v1
kind: Options
gracefulEviction: {graceful}
---
apiVersion: v1
kind: Node
metadata: {{name: n1}}
status: {{allocatable: {{cpu: "1", memory: 1Gi}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: victim}}
spec:
  nodeName: n1
  {grace}
  containers: [{{name: c, image: i, resources: {{requests: {{cpu: "1"}}}}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: urgent}}
spec:
  priority: 10
  containers: [{{name: c, image: i, resources: {{requests: {{cpu: "1"}}}}}}]
---
apiVersion: lab/v1
kind: Timeline
steps: [{steps}]
"""


def urgent(graceful: str, grace: str, *seconds: int) -> tuple[str, int]:
    """(the node of the urgent pod, the step in which it got it)."""
    steps = ", ".join(f"{{advanceSeconds: {number}}}" for number in seconds)
    manifest = load(TEXT.format(graceful=graceful, grace=grace, steps=steps))
    assert not manifest.problems
    record: dict[str, Any] = json.loads(run(manifest).to_json())
    assert record["deleted"] == ["default/victim"]
    last = [cycle for cycle in record["cycles"] if cycle["pod"] == "default/urgent"][-1]
    return record["pods"]["default/urgent"].get("nodeName", ""), last.get("step", 0)


@pytest.mark.parametrize(
    ("graceful", "grace", "seconds", "expected"),
    [
        ("false", "terminationGracePeriodSeconds: 60", (59,), ("n1", 0)),
        ("true", "terminationGracePeriodSeconds: 0", (1,), ("n1", 0)),
        ("true", "terminationGracePeriodSeconds: 60", (59,), ("", 0)),
        ("true", "terminationGracePeriodSeconds: 60", (59, 1), ("n1", 2)),
        ("true", "priority: 0", (29, 1), ("n1", 2)),
    ],
)
def test_the_place_is_free_when_the_grace_period_is_over(
    graceful: str, grace: str, seconds: tuple[int, ...], expected: tuple[str, int]
) -> None:
    assert urgent(graceful, grace, *seconds) == expected
