"""What the API server fills into a pod: requests, ports, tolerations, priority, merged selectors, status."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_lab.engine.admission import AdmissionError, admit
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.configuration.feature_gates import resolve
from scheduler_lab.engine.objects.codec import convert, decode
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.pod import Pod

NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"


def store(*classes: dict[str, Any]) -> Store:
    """A store with priority classes: name, value and further members."""
    result = Store()
    for each in classes:
        entry = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", **each}
        entry["metadata"] = {"name": entry.pop("name")}
        built = decode(entry)
        assert isinstance(built, KubeObject)
        result.put(built)
    return result


def admitted(
    spec: dict[str, Any] | None = None,
    *,
    classes: tuple[dict[str, Any], ...] = (),
    gates: dict[str, bool] | None = None,
    labels: dict[str, str] | None = None,
    created: bool = True,
) -> Pod:
    data = {
        "metadata": {"name": "web", "namespace": "default", "labels": labels or {}},
        "spec": {"containers": [{"name": "c", "image": "x"}], **(spec or {})},
    }
    pod = admit(convert(data, Pod), store(*classes), resolve(gates), created=created)
    assert isinstance(pod, Pod)
    return pod


def container(
    requests: dict[str, Any] | None = None, limits: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    resources = {"requests": requests or {}, "limits": limits or {}}
    return {"name": more.pop("name", "c"), "image": "x", "resources": resources, **more}


# -- containers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requests", "limits", "expected"),
    [
        ({}, {"cpu": "1"}, {"cpu": "1"}),
        ({"cpu": "500m"}, {"cpu": "1", "memory": "1Gi"}, {"cpu": "500m", "memory": "1Gi"}),
        ({"cpu": "0"}, {"cpu": "1"}, {"cpu": "0"}),
        ({"cpu": "100u"}, {}, {"cpu": "1m"}),
        ({"memory": "1.0000000001"}, {}, {"memory": "1001m"}),
    ],
)
def test_requests_come_from_limits_and_are_rounded_up(
    requests: dict[str, str], limits: dict[str, str], expected: dict[str, str]
) -> None:
    pod = admitted(
        {"containers": [container(requests, limits)], "initContainers": [container(requests, limits, name="i")]}
    )
    for each in (*pod.spec.containers, *pod.spec.init_containers):
        assert {name: str(quantity) for name, quantity in each.resources.requests.items()} == expected


def test_host_network_makes_host_ports() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 81, "hostPort": 8081, "protocol": "UDP"}]
    for host_network, expected in ((True, [80, 8081]), (False, [0, 8081])):
        [c] = admitted({"hostNetwork": host_network, "containers": [container(ports=ports)]}).spec.containers
        assert [port.host_port for port in c.ports] == expected
        assert [port.protocol for port in c.ports] == ["TCP", "UDP"]


@pytest.mark.parametrize(
    ("requests", "limits", "expected"),
    [
        ({}, {"cpu": "4"}, {"cpu": "3"}),
        ({}, {"memory": "1Gi"}, {"memory": "1Gi"}),
        ({"cpu": "1"}, {"cpu": "4"}, {"cpu": "1"}),
        ({"cpu": "1"}, {}, {"cpu": "1"}),
        ({}, {"hugepages-2Mi": "4Mi"}, {"hugepages-2Mi": "4Mi"}),
    ],
)
def test_pod_level_requests(requests: dict[str, str], limits: dict[str, str], expected: dict[str, str]) -> None:
    init = [container({"cpu": "1"}, name="sidecar", restartPolicy="Always"), container({"cpu": "500m"}, name="i")]
    spec = {
        "containers": [container({"cpu": "2"})],
        "initContainers": init,
        "resources": {"requests": requests, "limits": limits},
    }
    resources = admitted(spec).spec.resources
    assert resources is not None
    assert {name: str(quantity) for name, quantity in resources.requests.items()} == expected


# -- tolerations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tolerations", "added"),
    [
        ([], [NOT_READY, UNREACHABLE]),
        ([{"key": NOT_READY, "operator": "Exists", "effect": "NoExecute"}], [UNREACHABLE]),
        ([{"key": NOT_READY, "operator": "Exists"}], [UNREACHABLE]),
        ([{"key": NOT_READY, "operator": "Exists", "effect": "NoSchedule"}], [NOT_READY, UNREACHABLE]),
        ([{"operator": "Exists"}], []),
    ],
)
def test_five_minutes_on_a_lost_node(tolerations: list[dict[str, str]], added: list[str]) -> None:
    found = admitted({"tolerations": tolerations}).spec.tolerations[len(tolerations) :]
    assert [(t.key, t.operator, t.effect, t.toleration_seconds) for t in found] == [
        (key, "Exists", "NoExecute", 300) for key in added
    ]


# -- priority ------------------------------------------------------------------------------------------------------

BATCH = {"name": "batch", "value": -5, "preemptionPolicy": "Never"}
USUAL = {"name": "usual", "value": 50, "globalDefault": True}
LOWER = {"name": "lower", "value": 20, "globalDefault": True}


@pytest.mark.parametrize(
    ("spec", "classes", "expected"),
    [
        ({}, (), ("", 0, "PreemptLowerPriority")),
        ({"priority": 7}, (USUAL,), ("", 7, "PreemptLowerPriority")),
        ({}, (USUAL,), ("usual", 50, "PreemptLowerPriority")),
        ({}, (USUAL, LOWER), ("lower", 20, "PreemptLowerPriority")),
        ({"priorityClassName": "batch"}, (BATCH, USUAL), ("batch", -5, "Never")),
        (
            {"priorityClassName": "system-node-critical"},
            (),
            ("system-node-critical", 2_000_001_000, "PreemptLowerPriority"),
        ),
        ({"preemptionPolicy": "Never"}, (USUAL,), ("usual", 50, "Never")),
    ],
)
def test_priority(spec: dict[str, Any], classes: tuple[dict[str, Any], ...], expected: tuple[str, int, str]) -> None:
    found = admitted(spec, classes=classes).spec
    assert (found.priority_class_name, found.priority, found.preemption_policy) == expected


def test_an_unknown_class_refuses_the_pod() -> None:
    with pytest.raises(AdmissionError, match="no PriorityClass with name gold was found"):
        admitted({"priorityClassName": "gold"}, classes=(USUAL,))


# -- selectors -----------------------------------------------------------------------------------------------------


def expressions(selector: Any) -> list[tuple[str, str, list[str]]]:
    return [(e.key, e.operator, e.values) for e in selector.match_expressions]


def test_label_keys_are_merged_into_the_selectors_at_creation() -> None:
    term = {
        "topologyKey": "zone",
        "labelSelector": {"matchLabels": {"app": "web"}},
        "matchLabelKeys": ["hash", "absent"],
        "mismatchLabelKeys": ["tenant"],
    }
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {},
        "matchLabelKeys": ["hash"],
    }
    spec = {
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}},
        "topologySpreadConstraints": [constraint],
    }
    labels = {"hash": "1", "tenant": "a"}
    for created in (True, False):
        found = admitted(spec, labels=labels, created=created).spec
        assert found.affinity is not None and found.affinity.pod_affinity is not None
        [merged] = found.affinity.pod_affinity.required_during_scheduling_ignored_during_execution
        wanted = [("hash", "In", ["1"]), ("tenant", "NotIn", ["a"])] if created else []
        assert expressions(merged.label_selector) == wanted
        assert expressions(found.topology_spread_constraints[0].label_selector) == wanted[:1]
    unmerged = admitted(spec, labels=labels, gates={"MatchLabelKeysInPodTopologySpreadSelectorMerge": False}).spec
    assert expressions(unmerged.topology_spread_constraints[0].label_selector) == []


# -- the rest ------------------------------------------------------------------------------------------------------


def test_defaults() -> None:
    found = admitted({"workloadRef": {"name": "w", "podGroup": "g"}})
    assert (found.spec.scheduler_name, found.spec.restart_policy) == ("default-scheduler", "Always")
    assert found.spec.workload_ref is None and found.status.phase == "Pending"
    with_gangs = admitted({"workloadRef": {"name": "w", "podGroup": "g"}}, gates={"GenericWorkload": True})
    assert with_gangs.spec.workload_ref is not None
    assert admitted({"nodeName": "n1"}).status.phase == "Running"


def test_a_gated_pod_says_so() -> None:
    [condition] = admitted({"schedulingGates": [{"name": "a"}]}).status.conditions
    assert (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "SchedulingGated")
    assert admitted({"schedulingGates": [{"name": "a"}]}, created=False).status.conditions == []
