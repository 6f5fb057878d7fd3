"""DeviceTaintRules: taints on devices by administrators, under DRADeviceTaints and DRADeviceTaintRules."""

import json
from typing import Any

import pytest

from scheduler_lab.engine import manifests
from scheduler_lab.engine.objects.registry import is_namespaced
from tests.engine.plugins.devices import DRIVER, Run, claim, device_class, exactly, node, pod, resource_slice

API = "resource.k8s.io/v1alpha3"
TAINTS = {"DRADeviceTaints": True}
RULES = {**TAINTS, "DRADeviceTaintRules": True}
NO_DEVICES = ("UnschedulableAndUnresolvable", "cannot allocate all claims")
TAINTED = "lab.io/health:NoSchedule (DeviceTaintRule/broken)"


def rule(selector: dict[str, str] | None, name: str = "broken", effect: str = "NoSchedule", **taint: str) -> Any:
    """A rule for the devices that the selector selects; None leaves the selector out."""
    spec: dict[str, Any] = {"taint": {"key": "lab.io/health", "effect": effect, **taint}}
    if selector is not None:
        spec["deviceSelector"] = selector
    return {"apiVersion": API, "kind": "DeviceTaintRule", "metadata": {"name": name}, "spec": spec}


def cluster(*more: Any, request: Any = None, gates: Any = None, **run: Any) -> Run:
    """A node with the devices a and b, and a pod that asks for one of them."""
    fixed = (node(), device_class(), resource_slice("a", "b"), claim("c", request or exactly()))
    return Run(*fixed, *more, pod("p", "c"), gates=RULES if gates is None else gates, **run)


def obstacles(run: Run, cycle: int = -1) -> dict[str, str]:
    """Device → what the evidence says stands in its way."""
    table = run.explained("n1", cycle).table
    assert table is not None
    return {row[1].rpartition("/")[2]: row[4] for row in table.rows}


def woken_by(run: Run) -> list[str]:
    """The events that took the pod out of the unschedulable ones."""
    return [each["event"] for cycle in run.cycles for each in cycle.get("x-requeue", []) if "to" in each]


@pytest.mark.parametrize(
    ("selector", "tainted"),
    [
        ({"device": "a"}, "a"),
        ({"driver": DRIVER, "pool": "n1", "device": "b"}, "b"),
        ({"driver": DRIVER}, "ab"),
        ({"pool": "n1"}, "ab"),
        ({}, "ab"),
        (None, "ab"),
        ({"driver": "other.io"}, ""),
        ({"pool": "n2", "device": "a"}, ""),
        ({"device": "c"}, ""),
    ],
)
def test_a_rule_taints_the_devices_it_selects(selector: dict[str, str] | None, tainted: str) -> None:
    run = cluster(rule(selector))
    assert obstacles(run) == {device: TAINTED if device in tainted else "—" for device in "ab"}
    assert run.nodes() == {"p": "" if tainted == "ab" else "n1"}


@pytest.mark.parametrize(
    ("effect", "admitted"), [("NoSchedule", False), ("NoExecute", False), ("None", True), ("Later", True)]
)
def test_effects(effect: str, admitted: bool) -> None:
    run = cluster(rule({}, effect=effect))
    assert run.verdict("n1") == (("Success", "") if admitted else NO_DEVICES)


@pytest.mark.parametrize(
    ("toleration", "admitted"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "lab.io/health", "operator": "Equal", "value": "bad", "effect": "NoSchedule"}, True),
        ({"key": "lab.io/health", "operator": "Equal", "value": "worse"}, False),
        ({"key": "lab.io/health", "operator": "Exists", "effect": "NoExecute"}, False),
    ],
)
def test_tolerations_of_the_request(toleration: dict[str, str], admitted: bool) -> None:
    run = cluster(rule({}, value="bad"), request=exactly(tolerations=[toleration]))
    assert run.nodes() == {"p": "n1" if admitted else ""}


def test_every_taint_of_a_device_has_to_be_tolerated() -> None:
    own = {"name": "a", "taints": [{"key": "own", "effect": "NoSchedule"}]}
    tolerated = claim("c", exactly(tolerations=[{"key": "own", "operator": "Exists"}]))
    cases = (node(), device_class(), resource_slice(own), tolerated, pod("p", "c"))
    assert Run(*cases, gates=RULES).nodes() == {"p": "n1"}
    run = Run(*cases, rule({"device": "a"}), gates=RULES)
    assert run.verdict("n1") == NO_DEVICES
    assert obstacles(run) == {"a": TAINTED}


def test_mode_all_needs_every_device_untainted_and_admin_access_passes_no_taint() -> None:
    everything = exactly(allocationMode="All")
    assert cluster(rule({"device": "b"}), request=everything).verdict("n1") == NO_DEVICES
    assert cluster(rule({}), request=exactly(adminAccess=True)).verdict("n1") == NO_DEVICES


@pytest.mark.parametrize("gates", [{}, TAINTS])
def test_without_the_gates_a_rule_has_no_effect(gates: dict[str, bool]) -> None:
    run = cluster(rule({}), gates=gates)
    assert run.nodes() == {"p": "n1"}
    assert obstacles(run) == {"a": "—", "b": "—"}


def test_the_evidence_names_the_rule() -> None:
    run = cluster(rule({"device": "a"}, value="bad"), rule({"device": "b"}, name="second", effect="NoExecute"))
    assert obstacles(run) == {
        "a": "lab.io/health=bad:NoSchedule (DeviceTaintRule/broken)",
        "b": "lab.io/health:NoExecute (DeviceTaintRule/second)",
    }
    marks = {(mark.name, mark.path) for mark in run.explained("n1").marks if mark.kind == "DeviceTaintRule"}
    assert marks == {("broken", "spec.taint"), ("second", "spec.taint")}


# -- events ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        {"delete": {"kind": "DeviceTaintRule", "name": "broken"}},
        {"apply": rule({"device": "a"})},
        {"apply": rule({}, effect="None")},
    ],
)
def test_a_rule_that_lets_a_device_go_wakes_the_pod_as_its_slice_would(step: dict[str, Any]) -> None:
    run = cluster(rule({}), steps=[step])
    assert [cycle.get("step") for cycle in run.cycles] == [None, 1]
    assert woken_by(run) == ["resource.k8s.io/ResourceSliceUpdate"]
    assert run.nodes() == {"p": "n1"}


def test_a_new_rule_wakes_too_although_it_cannot_help() -> None:
    run = cluster(rule({}), steps=[{"apply": rule({"device": "b"}, name="second", effect="NoExecute")}])
    assert [cycle.get("step") for cycle in run.cycles] == [None, 1]
    assert woken_by(run) == ["resource.k8s.io/ResourceSliceUpdate"]
    assert run.verdict("n1") == NO_DEVICES


@pytest.mark.parametrize(
    ("gates", "step"),
    [
        (RULES, {"apply": rule({})}),
        (RULES, {"apply": rule({"driver": DRIVER})}),
        (RULES, {"apply": rule({"driver": "other.io"}, name="second")}),
        (TAINTS, {"delete": {"kind": "DeviceTaintRule", "name": "broken"}}),
    ],
    ids=["unchanged", "the same devices", "no device", "gate off"],
)
def test_a_rule_that_changes_no_taint_wakes_nobody(gates: dict[str, bool], step: dict[str, Any]) -> None:
    more = claim("big", exactly(count=3)), pod("waiting", "big")
    run = cluster(rule({}), *more, gates=gates, steps=[step])
    assert all("step" not in cycle for cycle in run.cycles)
    assert run.nodes()["waiting"] == ""


# -- the kind ----------------------------------------------------------------------------------------------------


def load(**changes: Any) -> manifests.Manifest:
    return manifests.load(json.dumps(rule({"device": "a"}) | changes))


def test_the_kind_is_read_with_all_fields() -> None:
    written = {
        "apiVersion": API,
        "kind": "DeviceTaintRule",
        "metadata": {"name": "r"},
        "spec": {
            "deviceSelector": {"driver": DRIVER, "pool": "n1", "device": "a"},
            "taint": {"key": "k", "value": "v", "effect": "None", "timeAdded": "2030-01-01T00:00:00Z"},
        },
        "status": {
            "conditions": [
                {
                    "type": "EvictionInProgress",
                    "status": "False",
                    "reason": "NoEffect",
                    "message": "",
                    "lastTransitionTime": "2030-01-01T00:00:00Z",
                }
            ]
        },
    }
    assert manifests.load(json.dumps(written)).problems == []
    assert not is_namespaced("DeviceTaintRule")


@pytest.mark.parametrize("member", [{"deviceClassName": "gpu"}, {"selectors": []}])
def test_what_v1_35_took_out_of_the_selector_is_refused(member: dict[str, Any]) -> None:
    spec = {"deviceSelector": member, "taint": {"key": "k", "effect": "NoSchedule"}}
    assert [problem.severity for problem in load(spec=spec).problems] == ["error"]


def test_v1_35_has_the_kind_in_v1alpha3_alone() -> None:
    problem = load(apiVersion="resource.k8s.io/v1beta2").problems[0]
    assert (problem.severity, problem.suggestion) == ("error", API)
