"""The status of budgets that have none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.controllers.texts import Run, node, pod, pod_spec, timeline, workload
from tests.engine.controllers.texts import apply as applied


def budget(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec},
    }


def protected(**spec: Any) -> bool:
    """Whether the budget turns the preemptor from the node with the lower victim to the other one."""
    web = workload("ReplicaSet", replicas=2, pod=pod_spec(cpu="3", nodeSelector={"kubernetes.io/hostname": "n1"}))
    other = pod("other", priority=5, cpu="6", nodeSelector={"kubernetes.io/hostname": "n2"})
    run = Run(node("n1"), node("n2"), budget(**spec), web, other, timeline(applied(pod("high", priority=9, cpu="4"))))
    return run.record["deleted"] == ["default/other"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"minAvailable": 2}, True),
        ({"minAvailable": 1}, False),
        ({"maxUnavailable": 0}, True),
        ({"maxUnavailable": 1}, False),
        ({"minAvailable": "100%"}, True),
        ({"minAvailable": "50%"}, False),
        ({"maxUnavailable": "50%"}, False),
    ],
)
def test_a_budget_counts_the_pods_that_controllers_made(spec: dict[str, Any], expected: bool) -> None:
    assert protected(**spec) is expected
