"""Into which events an update falls apart."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.resources import RequestFeatures
from scheduler_lab.engine.objects.codec import convert
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.scheduler.update_events import node_update_events, pod_update_events
from tests.engine.plugins.builders import node

TOLERATION = {"key": "a", "operator": "Exists"}


def pod(cpu: str = "1", *, labels: dict[str, str] | None = None, gpu: int = 0, **parts: Any) -> PodInfo:
    requests = {"cpu": cpu} | ({"example.com/gpu": gpu} if gpu else {})
    spec = {"containers": [{"name": "c", "image": "x", "resources": {"requests": requests}}], **parts.pop("spec", {})}
    built = convert({"metadata": {"name": "web", "labels": labels or {}}, "spec": spec, **parts}, Pod)
    assert isinstance(built, Pod)
    return PodInfo(built, RequestFeatures())


CLAIM = {"resourceClaimStatuses": [{"name": "c", "resourceClaimName": "x"}]}


@pytest.mark.parametrize(
    ("old", "new", "labels"),
    [
        (pod(), pod(), ["Update"]),
        (pod("2"), pod("1"), ["UpdatePodScaleDown"]),
        (pod("1"), pod("2"), ["Update"]),
        (pod(gpu=1), pod(), ["UpdatePodScaleDown"]),
        (pod(), pod(labels={"a": "1"}), ["UpdatePodLabel"]),
        (pod(), pod(spec={"tolerations": [TOLERATION]}), ["UpdatePodToleration"]),
        (pod(spec={"tolerations": [TOLERATION]}), pod(spec={"tolerations": [{"key": "b"}]}), ["Update"]),
        (
            pod(spec={"schedulingGates": [{"name": "a"}, {"name": "b"}]}),
            pod(spec={"schedulingGates": [{"name": "a"}]}),
            ["Update"],
        ),
        (pod(spec={"schedulingGates": [{"name": "a"}]}), pod(), ["UpdatePodSchedulingGatesEliminated"]),
        (pod(), pod(status=CLAIM), ["UpdatePodGeneratedResourceClaim"]),
        (pod("2"), pod("1", labels={"a": "1"}), ["UpdatePodLabel", "UpdatePodScaleDown"]),
    ],
)
def test_pods(old: PodInfo, new: PodInfo, labels: list[str]) -> None:
    assert [event.label for event in pod_update_events(old, new)] == [f"UnschedulablePod{label}" for label in labels]


def test_assigned_pods_have_events_of_their_own() -> None:
    [event] = pod_update_events(pod(spec={"nodeName": "n1"}), pod(spec={"nodeName": "n1"}, labels={"a": "1"}))
    assert event.label == "AssignedPodUpdatePodLabel"


def condition(status: str, reason: str = "") -> dict[str, Any]:
    return {"conditions": [{"type": "Ready", "status": status, "reason": reason}]}


TAINT = [{"key": "a", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("old", "new", "labels"),
    [
        (node(), node(), []),
        (node(), node(labels={"a": "1"}), ["UpdateNodeLabel"]),
        (node(), node(taints=TAINT), ["UpdateNodeTaint"]),
        (node(unschedulable=True), node(), ["UpdateNodeTaint"]),
        (node(), node(unschedulable=True), []),
        (node(), node(status={"allocatable": {"cpu": "5"}}), ["UpdateNodeAllocatable"]),
        (node(status=condition("True")), node(status=condition("False")), ["UpdateNodeCondition"]),
        (node(status=condition("True", "a")), node(status=condition("True", "b")), []),
        (node(), node(labels={"a": "1"}, taints=TAINT), ["UpdateNodeLabel", "UpdateNodeTaint"]),
        (node(), node(status={"declaredFeatures": ["A"]}), ["UpdateNodeDeclaredFeature"]),
    ],
)
def test_nodes(old: Any, new: Any, labels: list[str]) -> None:
    assert [e.label for e in node_update_events(old, new, declared_features=True)] == [
        f"Node{label}" for label in labels
    ]


def test_declared_features_count_behind_their_gate() -> None:
    assert node_update_events(node(), node(status={"declaredFeatures": ["A"]}), declared_features=False) == []
