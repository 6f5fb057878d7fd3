from typing import Any

import pytest

from scheduler_lab.engine.configuration.types import NodeResourcesBalancedAllocationArgs, ResourceSpec
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from tests.engine.plugins.builders import info, make, node, pod, run_score

GPU = "example.com/gpu"


def plugin(*resources: str) -> Any:
    specs = [ResourceSpec(name=name, weight=1) for name in resources or ("cpu", "memory")]
    return make(NodeResourcesBalancedAllocation, NodeResourcesBalancedAllocationArgs(resources=specs))


@pytest.mark.parametrize(("cpu", "expected"), [("500m", 100), ("2", 81)])
def test_two_resources(cpu: str, expected: int) -> None:
    on = info(None, pod("old", {"cpu": "1", "memory": "2Gi"}))
    incoming = pod("web", {"cpu": cpu, "memory": "1Gi"})
    assert run_score(plugin(), incoming, [on]) == {"n1": expected}
    evidence = plugin().explain_score(CycleState(), incoming, on)
    assert evidence.rows[-1].amount == expected


def test_three_resources() -> None:
    on = info(node(status={"allocatable": {"cpu": "4", "memory": "8Gi", GPU: "2"}}))
    incoming = pod("web", {"cpu": "3", "memory": "3Gi", GPU: 1})
    assert run_score(plugin("cpu", "memory", GPU), incoming, [on]) == {"n1": 84}
    evidence = plugin("cpu", "memory", GPU).explain_score(CycleState(), incoming, on)
    assert [row.value for row in evidence.rows[:3]] == ["0.75", "0.375", "0.5"]


def test_an_unrequested_scalar_is_left_out() -> None:
    on = info(node(status={"allocatable": {"cpu": "4", "memory": "8Gi", GPU: "2"}}))
    assert run_score(plugin("cpu", "memory", GPU), pod("web", {"cpu": "3", "memory": "3Gi"}), [on]) == {"n1": 81}


def test_it_skips_a_pod_without_requests() -> None:
    status = plugin().pre_score(CycleState(), pod(), [])
    assert status is not None
    assert status.code.value == "Skip"
