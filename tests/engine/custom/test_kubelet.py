"""Pods with spec.nodeName, which only the kubelet judges; cases 33, 35 and 72, every sentence of them."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_lab.engine import ALL, NONE, load
from scheduler_lab.engine.simulation import Simulation
from tests.engine.custom.gangs import applied, case, cycles_of, documents, node, nodes, pod, record, timeline


def answers(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The kubelets' last answer for each pod, by name."""
    return {entry["pod"].partition("/")[2]: entry for entry in found.get("x-kubelet", [])}


def test_the_scheduler_never_sees_a_pod_with_a_node() -> None:
    found = record(case("33-nodename-bypasses-scheduler"))
    for member in ("cycles", "events", "preEnqueue", "x-unserved"):
        assert member not in found
    assert found["queue"] == {}
    assert found["pods"] == {"default/db-0": {"nodeName": "worker-2"}}


def test_it_counts_as_assigned_from_the_start() -> None:
    found = record(case("33-nodename-bypasses-scheduler"), ALL)
    assert {node["name"]: [pod["key"] for pod in node["pods"]] for node in found["x-cluster"]} == {
        "worker-1": [],
        "worker-2": ["default/db-0"],
    }


def test_its_claim_stays_unbound_without_a_selected_node() -> None:
    simulation = Simulation(load(case("33-nodename-bypasses-scheduler")), NONE)
    simulation.run()
    claim = simulation.store.get("PersistentVolumeClaim", "default", "data")
    assert claim is not None
    assert (claim.spec.volume_name, claim.metadata.annotations) == ("", {})


def test_nobody_selects_a_node_for_its_claim() -> None:
    entry = answers(record(case("33-nodename-bypasses-scheduler")))["db-0"]
    assert (entry["phase"], entry["reason"], entry["node"]) == ("Pending", "ContainerCreating", "worker-2")
    assert entry["event"]["reason"] == "FailedMount"
    assert "is not bound" in entry["event"]["message"]
    assert entry["claim"] == {
        "name": "default/data",
        "phase": "Pending",
        "event": {
            "type": "Normal",
            "reason": "WaitForFirstConsumer",
            "message": "waiting for first consumer to be created before binding",
        },
    }
    assert entry["advice"]["params"] == {"host": "worker-2"}


def test_a_selector_on_the_hostname_has_the_claim_bound() -> None:
    found = record(case("33b-hostname-selector"))
    assert nodes(found) == {"db-0": "worker-2"}
    assert "x-kubelet" not in found


def test_a_name_that_no_profile_has_leaves_the_pod_alone() -> None:
    found = record(case("35-unserved-scheduler-name"))
    for member in ("cycles", "events"):
        assert member not in found
    assert found["queue"] == {}
    assert found["pods"] == {"default/web": {}}
    (entry,) = found["x-unserved"]
    assert (entry["pod"], entry["schedulerName"], entry["known"]) == (
        "default/web",
        "crane-scheduler",
        ["default-scheduler"],
    )


def test_a_profile_of_that_name_takes_it_but_not_the_misspelt_one() -> None:
    found = record(case("35b-profile-added"))
    assert [(entry["pod"], entry["known"]) for entry in found["x-unserved"]] == [
        ("default/web-typo", ["default-scheduler", "crane-scheduler"])
    ]


def test_a_pod_beyond_the_nodes_capacity_is_rejected_by_the_kubelet() -> None:
    found = record(case("72-nodename-over-capacity"))
    assert cycles_of(found, "app-1") == cycles_of(found, "app-2") == []
    told = answers(found)
    assert told["app-1"]["phase"] == "Running"
    message = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"
    rejected = {name: told["app-2"][name] for name in ("phase", "reason", "message", "event")}
    assert rejected == {
        "phase": "Failed",
        "reason": "OutOfcpu",
        "message": f"Pod was rejected: {message}",
        "event": {"type": "Warning", "reason": "OutOfcpu", "message": message},
    }
    assert told["app-2"]["advice"]["params"] == {"host": "worker-1"}
    assert not [event for event in found["events"] if event["regarding"] in ("Pod default/app-1", "Pod default/app-2")]


def test_until_it_has_failed_the_scheduler_counts_it() -> None:
    found = record(case("72-nodename-over-capacity"))
    first, second = cycles_of(found, "tiny")
    assert "1 Insufficient cpu" in first["result"]["message"]
    assert second["result"] == {"node": "worker-1"}
    assert cycles_of(found, "no-request")[0]["result"] == {"node": "worker-1"}
    assert "default/app-2" not in found["pods"]


def rejection(pod_text: str, node_text: str) -> tuple[str, str]:
    entry = answers(record(documents(node_text, pod_text)))["web"]
    assert entry["phase"] == "Failed"
    return entry["reason"], entry["message"].removeprefix("Pod was rejected: ")


@pytest.mark.parametrize(
    ("spec", "more", "expected"),
    [
        (
            "nodeSelector: {disk: ssd}",
            "",
            ("NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"),
        ),
        (
            "",
            "spec: {taints: [{key: gone, effect: NoExecute}]}",
            ("TaintToleration", "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"),
        ),
    ],
)
def test_other_checks_of_the_kubelet(spec: str, more: str, expected: tuple[str, str]) -> None:
    given = f"nodeName: n1{', ' if spec else ''}{spec}"
    assert rejection(pod("web", spec=given), node("n1", "4", more)) == expected


def test_two_pods_with_one_host_port() -> None:
    container = 'containers: [{name: c, image: "example/c:1", ports: [{containerPort: 80, hostPort: 80}]}]'
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: NAME}}\nspec: {{nodeName: n1, {container}}}"
    found = record(documents(node("n1", "4"), text.replace("NAME", "first"), text.replace("NAME", "web")))
    assert answers(found)["web"]["reason"] == "NodePorts"


@pytest.mark.parametrize(
    "more",
    [
        "spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}",
        "spec: {taints: [{key: dedicated, effect: NoSchedule}, {key: slow, effect: PreferNoSchedule}]}",
    ],
)
def test_what_the_kubelet_does_not_look_at(more: str) -> None:
    assert "x-kubelet" not in record(documents(node("n1", "4", more), pod("web", spec="nodeName: n1")))


def test_an_extended_resource_that_the_node_does_not_report_is_not_checked() -> None:
    gpu = '{requests: {"example.com/gpu": "1"}, limits: {"example.com/gpu": "1"}}'
    text = pod("web", "", spec="nodeName: n1").replace(
        'image: "example/c:1"', f'image: "example/c:1", resources: {gpu}'
    )
    assert "x-kubelet" not in record(documents(node("n1", "4"), text))


def test_static_pods_are_not_held_against_taints() -> None:
    meta = "annotations: {kubernetes.io/config.mirror: x}"
    more = "spec: {taints: [{key: gone, effect: NoExecute}]}"
    static = pod("static", meta=meta, spec="nodeName: n1")
    told = answers(record(documents(node("n1", "4", more), static, pod("web", spec="nodeName: n1"))))
    assert told["static"]["phase"] == "Running"
    assert "static pod" in told["static"]["note"]["template"]
    assert told["web"]["reason"] == "TaintToleration"


def test_a_critical_pod_is_not_turned_away_for_want_of_room() -> None:
    full = pod("full", "4", spec="nodeName: n1")
    critical = pod("dns", "1", spec="nodeName: n1, priorityClassName: system-node-critical")
    told = answers(record(documents(node("n1", "4"), full, critical, pod("web", spec="nodeName: n1"))))
    assert told["dns"]["phase"] == "Running"
    assert "critical" in told["dns"]["note"]["template"]
    assert told["web"]["reason"] == "OutOfcpu"


def test_pods_are_counted() -> None:
    small = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, memory: 1Gi, pods: 1}}"
    found = record(documents(small, pod("first", spec="nodeName: n1"), pod("web", spec="nodeName: n1")))
    assert answers(found)["web"]["message"].endswith("resource: pods, requested: 1, used: 1, capacity: 1")


def test_a_node_that_does_not_exist() -> None:
    text = documents(node("n1", "4"), pod("ghost", spec="nodeName: n9"))
    (entry,) = record(documents(text, timeline("advanceSeconds: 39")))["x-kubelet"]
    assert (entry["phase"], entry["step"]) == ("Pending", 0)
    found = record(documents(text, timeline("advanceSeconds: 39", "advanceSeconds: 1", "advanceSeconds: 60")))
    assert [(entry["phase"], entry["step"]) for entry in found["x-kubelet"]] == [("Pending", 0), ("Failed", 2)]
    assert found["x-kubelet"][1]["message"] == "PodGC: node no longer exists"
    assert found["pods"] == {"default/ghost": {"nodeName": "n9"}}


def test_a_node_that_comes_in_time() -> None:
    text = documents(node("n1", "4"), pod("ghost", "5", spec="nodeName: n9"), timeline(applied(node("n9", "4"))))
    assert [entry["phase"] for entry in record(text)["x-kubelet"]] == ["Pending", "Failed"]


def test_room_that_a_deleted_pod_leaves_is_free() -> None:
    text = documents(
        node("n1", "4"),
        pod("first", "3", spec="nodeName: n1"),
        timeline("delete: {kind: Pod, name: first}", applied(pod("web", "3", spec="nodeName: n1"))),
    )
    assert "x-kubelet" not in record(text)
