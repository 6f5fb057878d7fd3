from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_lab.engine.configuration.types import (
    NodeResourcesFitArgs,
    RequestedToCapacityRatioParam,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
)
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.objects.resource import DeviceClass, DeviceClassSpec
from scheduler_lab.engine.plugins.node_resources_fit import NodeResourcesFit
from tests.engine.plugins.builders import FakeHandle, hint, info, make, node, pod, run_filter, run_score

GPU = "example.com/gpu"


def plugin(handle: FakeHandle | None = None, **args: Any) -> Any:
    return make(NodeResourcesFit, NodeResourcesFitArgs(**args), handle)


def strategy(kind: str, resources: Mapping[str, int] | None = None, *shape: tuple[int, int]) -> ScoringStrategy:
    return ScoringStrategy(
        type=kind,
        resources=[
            ResourceSpec(name=name, weight=weight) for name, weight in (resources or {"cpu": 1, "memory": 1}).items()
        ],
        requested_to_capacity_ratio=RequestedToCapacityRatioParam(
            shape=[UtilizationShapePoint(utilization=x, score=y) for x, y in shape]
        ),
    )


def sized(**allocatable: str) -> NodeInfo:
    return info(node(status={"allocatable": {"pods": "110", **allocatable}}))


@pytest.mark.parametrize(
    ("requests", "code", "reasons"),
    [
        ({"cpu": "1", "memory": "1Gi"}, None, ()),
        ({"cpu": "3"}, None, ()),
        ({"cpu": "3001m"}, "Unschedulable", ("Insufficient cpu",)),
        ({"cpu": "3500m", "memory": "7Gi"}, "Unschedulable", ("Insufficient cpu", "Insufficient memory")),
        (
            {"cpu": "3500m", "memory": "9Gi"},
            "UnschedulableAndUnresolvable",
            ("Insufficient cpu", "Insufficient memory"),
        ),
        ({"ephemeral-storage": "1"}, "UnschedulableAndUnresolvable", ("Insufficient ephemeral-storage",)),
        ({GPU: 1}, "UnschedulableAndUnresolvable", (f"Insufficient {GPU}",)),
        ({GPU: 0}, None, ()),
    ],
)
def test_filter(requests: dict[str, Any], code: str | None, reasons: tuple[str, ...]) -> None:
    on = info(None, pod("old", {"cpu": "1", "memory": "2Gi"}))
    status = run_filter(plugin(), pod("web", requests), on)
    assert (status.code.value if status else None) == code
    assert (status.reasons if status else ()) == reasons


def test_too_many_pods_comes_first_and_is_resolvable() -> None:
    on = info(node(status={"allocatable": {"cpu": "4", "pods": "1"}}), pod("old"))
    status = run_filter(plugin(), pod("web", {"cpu": "100m"}), on)
    assert status is not None
    assert (status.code.value, status.reasons) == ("Unschedulable", ("Too many pods",))


def test_an_over_full_node_still_takes_a_pod_without_requests() -> None:
    on = info(None, pod("old", {"cpu": "9", "memory": "9Gi"}))
    assert run_filter(plugin(), pod(), on) is None
    assert run_filter(plugin(), pod("web", {"memory": "1"}), on) is not None


@pytest.mark.parametrize("args", [{"ignored_resources": [GPU]}, {"ignored_resource_groups": ["example.com"]}])
def test_ignored_extended_resources(args: dict[str, Any]) -> None:
    assert run_filter(plugin(**args), pod("web", {GPU: 1}), info()) is None
    assert run_filter(plugin(**args), pod("web", {"hugepages-2Mi": "2Mi"}), info()) is not None


def test_filter_needs_pre_filter() -> None:
    status = plugin().filter(CycleState(), pod(), info())
    assert status.message == 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        (strategy("LeastAllocated"), 72),
        (strategy("MostAllocated"), 27),
        (strategy("RequestedToCapacityRatio", None, (0, 0), (100, 10)), 27),
        (strategy("RequestedToCapacityRatio", None, (0, 0), (30, 0), (100, 10)), 0),
    ],
)
def test_score_of_a_pod_without_requests(scoring: ScoringStrategy, expected: int) -> None:
    on = info(None, pod("old", {"cpu": "1", "memory": "2Gi"}))
    scored = plugin(scoring_strategy=scoring)
    assert run_score(scored, pod(), [on]) == {"n1": expected}
    evidence = scored.explain_score(CycleState(), pod(), on)
    assert next(row for row in evidence.rows if row.sign == "=").amount == expected


def test_least_allocated_evidence_shows_the_sum() -> None:
    on = info(None, pod("old", {"cpu": "1", "memory": "2Gi"}))
    evidence = plugin().explain_score(CycleState(), pod(), on)
    assert [str(row.label) for row in evidence.rows] == [
        "cpu: (4000m − 1100m) × 100 ÷ 4000m",
        "memory: (8192Mi − 2248Mi) × 100 ÷ 8192Mi",
        "score: (72 × 1 + 72 × 1) ÷ 2",
        "a container without a request counts as 100m of cpu or 200Mi of memory here",
    ]
    assert "cpu 72.5%, memory 72.6%" in str(evidence.sentence)


def test_least_allocated_wraps_around_like_int64() -> None:
    scored = plugin(scoring_strategy=strategy("LeastAllocated", {"memory": 1}))
    incoming = pod("web", {"memory": "1Gi"})
    assert run_score(scored, incoming, [sized(memory="128Pi")]) == {"n1": -28}
    assert run_score(scored, incoming, [sized(memory="64Pi")]) == {"n1": 99}


@pytest.mark.parametrize(
    ("allocatable", "expected"),
    [
        ({"cpu": "7", "memory": "7Gi", "ephemeral-storage": "7Gi", GPU: "7"}, 59),
        ({"cpu": "6", "memory": "6Gi", "ephemeral-storage": "6Gi"}, 77),
        ({"cpu": "4", "memory": "5Gi", "ephemeral-storage": "9Gi", GPU: "0"}, 76),
    ],
)
def test_missing_resources_are_left_out_of_the_average(allocatable: dict[str, str], expected: int) -> None:
    weights = {"cpu": 1, "memory": 2, "ephemeral-storage": 3, GPU: 4}
    incoming = pod("web", {"cpu": "1", "memory": "2Gi", "ephemeral-storage": "1Gi", GPU: 5})
    scored = plugin(scoring_strategy=strategy("LeastAllocated", weights))
    assert run_score(scored, incoming, [sized(**allocatable)]) == {"n1": expected}


def test_pod_level_requests_count_in_filter_but_not_in_score() -> None:
    incoming = pod("web", resources={"requests": {"cpu": "5", "memory": "1Gi"}})
    assert run_filter(plugin(), incoming, info()) is not None
    assert run_score(plugin(), incoming, [info()]) == run_score(plugin(), pod(), [info()])


def test_resources_of_device_classes_are_left_to_dynamic_resources() -> None:
    handle = FakeHandle(gates={"DRAExtendedResource": True})
    device_class = DeviceClass(spec=DeviceClassSpec(extended_resource_name=GPU))
    handle.store.put(device_class)
    assert run_filter(plugin(handle), pod("web", {GPU: 1}), info()) is None
    assert run_filter(plugin(handle), pod("web", {GPU: 2}), sized(**{GPU: "1"})) is not None


def test_pod_hints() -> None:
    waiting = pod("web", {"cpu": "1"})
    big, small = pod("old", {"cpu": "2"}, nodeName="n1"), pod("old", {"cpu": "1"}, nodeName="n1")
    assert hint(plugin(), 0, waiting, big, None) == "Queue"
    assert hint(plugin(), 0, waiting, pod("old"), None) == "Skip"
    assert hint(plugin(), 0, waiting, big, small) == "Queue"
    assert hint(plugin(), 0, pod("web", {"memory": "1Gi"}), big, small) == "Skip"
    assert hint(plugin(), 0, waiting, pod("old", {"cpu": "2"}), pod("old", {"cpu": "1"})) == "Skip"
    assert hint(plugin(), 0, waiting, waiting, waiting) == "Queue"


def test_node_hints() -> None:
    waiting = pod("web", {"cpu": "2"})

    def of(**allocatable: str) -> Any:
        return node(status={"allocatable": {"pods": "110", **allocatable}})

    assert hint(plugin(), 1, waiting, None, of(cpu="2")) == "Queue"
    assert hint(plugin(), 1, waiting, None, of(cpu="1")) == "Skip"
    assert hint(plugin(), 1, waiting, of(cpu="2"), of(cpu="3")) == "Queue"
    assert hint(plugin(), 1, waiting, of(cpu="2"), of(cpu="2", memory="1Gi")) == "Skip"
    assert hint(plugin(), 1, waiting, of(cpu="2", pods="1"), of(cpu="2", pods="2")) == "Queue"
    ignoring = plugin(ignored_resources=[GPU])
    assert hint(ignoring, 1, pod("web", {GPU: 1}), None, of(cpu="2")) == "Skip"


def test_evidence_counts_nominated_pods() -> None:
    handle = FakeHandle(nominated={"n1": [pod("payment", {"cpu": "3600m"}, priority=10)]})
    evidence = plugin(handle).explain_filter(CycleState(), pod("web", {"cpu": "500m"}), info())
    assert [(row.sign, str(row.label), row.value) for row in evidence.rows] == [
        ("", "requested by pods on n1", "0m"),
        ("+", "nominated: default/payment", "3600m"),
        ("+", "requested by default/web", "500m"),
        ("=", "needed", "4100m"),
        (">", "allocatable", "4000m"),
        ("", "short by", "100m"),
    ]
    assert "3600m is kept for default/payment" in str(evidence.sentence)
    assert evidence.marks[0].path == "spec.containers[0].resources.requests.cpu"


def test_less_important_nominated_pods_do_not_count() -> None:
    handle = FakeHandle(nominated={"n1": [pod("payment", {"cpu": "3600m"}, priority=-1)]})
    evidence = plugin(handle).explain_filter(CycleState(), pod("web", {"cpu": "500m"}), info())
    assert "fits on n1" in str(evidence.sentence)
    assert evidence.rows[-1].value == "3500m"


def test_evidence_shows_the_tightest_resource_when_it_fits() -> None:
    on = info(None, pod("old", {"cpu": "1", "memory": "7Gi"}))
    evidence = plugin().explain_filter(CycleState(), pod("web", {"cpu": "1", "memory": "512Mi"}), on)
    assert str(evidence.sentence) == "default/web fits on n1. Tightest is memory: 7680Mi of 8192Mi with it."
    assert evidence.table.rows[0] == ["pods", "1", "0", "1", "110", "108"]
    assert evidence.table.highlight == []


def test_evidence_tells_of_what_preemption_cannot_help() -> None:
    on = info(None, pod("old", {"cpu": "3"}))
    evidence = plugin().explain_filter(CycleState(), pod("web", {"cpu": "2", "memory": "9Gi"}), on)
    assert str(evidence.sentence) == (
        "default/web asks for 9Gi of memory, more than the 8Gi of all of n1: removing other pods cannot help."
    )
    assert evidence.table.highlight == [1, 2]
