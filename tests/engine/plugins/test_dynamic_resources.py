from typing import Any

import pytest

from tests.engine.plugins.devices import (
    DRIVER,
    Run,
    allocated,
    claim,
    device_class,
    exactly,
    node,
    pod,
    resource_slice,
    template,
)

NO_DEVICES = ("UnschedulableAndUnresolvable", "cannot allocate all claims")
ELSEWHERE = ("UnschedulableAndUnresolvable", "resourceclaim not available on the node")


def error(text: str) -> tuple[str, str]:
    return "Error", text


def alternatives(name: str, **counts: int) -> dict[str, Any]:
    options = [{"name": option, "deviceClassName": "gpu", "count": count} for option, count in counts.items()]
    return {"name": name, "firstAvailable": options}


# -- claims ------------------------------------------------------------------------------------------------------


def test_a_pod_waits_for_its_claim_and_then_for_the_class() -> None:
    run = Run(
        node(),
        resource_slice("a"),
        pod("p", "mine"),
        steps=[{"apply": claim("mine")}, {"apply": device_class()}],
    )
    assert run.record["preEnqueue"][0]["reasons"] == ['could not find ResourceClaim "default/mine"']
    assert "request g: device class gpu does not exist" in run.message(0)
    assert [cycle.get("step") for cycle in run.cycles] == [1, 2]
    assert run.nodes() == {"p": "n1"}


def test_a_template_that_comes_later() -> None:
    run = Run(node(), resource_slice("a"), device_class(), pod("p", templates=["t"]), steps=[{"apply": template("t")}])
    assert run.record["preEnqueue"][0]["reasons"] == ['pod "default/p": ResourceClaim not created yet']
    assert run.nodes() == {"p": "n1"}


def test_a_claim_that_is_being_deleted() -> None:
    held = claim("mine")
    held["metadata"] |= {"deletionTimestamp": "2030-01-01T00:00:00Z", "finalizers": ["x/y"]}
    run = Run(node(), held, pod("p", "mine"))
    assert run.record["preEnqueue"][0]["reasons"] == ['resourceclaim "mine" is being deleted']


def test_a_generated_claim_must_belong_to_the_pod() -> None:
    stranger = pod(resourceClaims=[{"name": "c", "resourceClaimTemplateName": "t"}])
    stranger["status"] = {"resourceClaimStatuses": [{"name": "c", "resourceClaimName": "mine"}]}
    run = Run(node(), claim("mine"), stranger)
    reason = "ResourceClaim default/mine was not created for pod default/p (pod is not owner)"
    assert run.record["preEnqueue"][0]["reasons"] == [reason]


def test_the_claim_of_a_pod_goes_with_it_and_a_shared_one_stays_until_its_last_user() -> None:
    run = Run(
        node(),
        device_class(),
        resource_slice("a"),
        claim("shared", status=allocated("a", reserved=["one", "two"])),
        claim("next"),
        pod("one", "shared", nodeName="n1"),
        pod("two", "shared", nodeName="n1"),
        pod("waiting", "next"),
        steps=[{"delete": {"kind": "Pod", "name": "one"}}, {"delete": {"kind": "Pod", "name": "two"}}],
    )
    assert [cycle.get("step") for cycle in run.cycles] == [None, 2]
    assert run.nodes() == {"waiting": "n1"}


def test_a_rejected_wait_gives_the_device_back() -> None:
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"permit": {"enabled": [{"name": "LabPermit"}]}}}],
    }
    rules = [{"podLabel": "role=lead", "action": "wait", "timeoutSeconds": 100}]
    lead = pod("lead", "a")
    lead["metadata"]["labels"] = {"role": "lead"}
    run = Run(
        configuration,
        {"apiVersion": "lab/v1", "kind": "Permit", "rules": rules},
        node(),
        device_class(),
        resource_slice("d"),
        claim("a"),
        claim("b"),
        lead,
        pod("rival", "b"),
        steps=[{"rejectWaiting": "default/lead"}, {"delete": {"kind": "Pod", "name": "lead"}}, {"advanceSeconds": 400}],
    )
    assert run.verdict("n1", 1) == NO_DEVICES
    assert run.nodes()["rival"] == "n1"


# -- pools -------------------------------------------------------------------------------------------------------


def test_slices_for_all_nodes_and_by_selector() -> None:
    terms = [{"matchExpressions": [{"key": "rack", "operator": "In", "values": ["a"]}]}]
    near = node("n2")
    near["metadata"]["labels"] = {"rack": "a"}
    run = Run(
        node("n1"),
        near,
        device_class(),
        resource_slice("x", on="", pool="rack", nodeSelector={"nodeSelectorTerms": terms}),
        resource_slice("y", on="", pool="everywhere", allNodes=True),
        claim("two", exactly(count=2)),
        claim("one"),
        pod("wide", "two"),
        pod("narrow", "one"),
    )
    assert (run.verdict("n1", 0), run.nodes()["wide"]) == (NO_DEVICES, "n2")
    assert run.nodes()["narrow"] == ""


def test_a_newer_generation_elsewhere_makes_a_pool_vanish() -> None:
    old = resource_slice("x", pool="p", generation=1)
    new = resource_slice(pool="p", on="n2", generation=2)
    run = Run(node("n1"), node("n2"), device_class(), old, new, claim("c"), pod("p", "c"))
    assert run.verdict("n1") == NO_DEVICES


@pytest.mark.parametrize("gate", [False, True])
def test_devices_with_nodes_of_their_own_need_their_gate(gate: bool) -> None:
    own = resource_slice({"name": "x", "nodeName": "n1"}, on="", perDeviceNodeSelection=True)
    run = Run(node(), device_class(), own, claim("c"), pod("p", "c"), gates={"DRAPartitionableDevices": gate})
    assert run.nodes() == {"p": "n1" if gate else ""}


def test_counters_that_nobody_publishes_make_a_pool_invalid() -> None:
    uses = [{"counterSet": "memory", "counters": {"bytes": {"value": "1Gi"}}}]
    run = Run(
        node(),
        device_class(),
        resource_slice({"name": "x", "consumesCounters": uses}),
        claim("c"),
        pod("p", "c"),
        gates={"DRAPartitionableDevices": True},
    )
    assert run.verdict("n1") == ("UnschedulableAndUnresolvable", "invalid resource pools were encountered")
    assert "counter set memory not found" in str(run.explained("n1").sentence)


# -- requests ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requests", "constraints", "gates", "text"),
    [
        ([exactly(count=33)], [], {}, "claim default/c: number of requested devices 33 exceeds the claim limit of 32"),
        (
            [exactly()],
            [{"requests": ["g"]}],
            {},
            "claim default/c, constraint #0: empty constraint (unsupported constraint type?)",
        ),
        (
            [exactly()],
            [{"distinctAttribute": "gpu.lab.io/x"}],
            {},
            "claim default/c, constraint #0: empty constraint (unsupported constraint type?)",
        ),
        ([exactly(allocationMode="Some")], [], {}, "claim default/c, request g: unsupported count mode Some"),
        (
            [exactly(selectors=[{}])],
            [],
            {},
            "claim default/c, request g, selector #0: CEL expression empty (unsupported selector type?)",
        ),
        (
            [exactly(adminAccess=True)],
            [],
            {"DRAAdminAccess": False},
            "claim default/c, request g: admin access is requested, but the feature is disabled",
        ),
        (
            [exactly(expression="device.driver")],
            [],
            {},
            "claim default/c: selector #0: CEL compile error: must evaluate to bool or the unknown type, not string",
        ),
    ],
)
def test_requests_that_cannot_be_right(
    requests: list[dict[str, Any]], constraints: list[dict[str, Any]], gates: dict[str, bool], text: str
) -> None:
    wanted = claim("c", *requests, constraints=constraints)
    run = Run(node(), device_class(), resource_slice("a"), wanted, pod("p", "c"), gates=gates)
    assert run.verdict("n1") == error(text)
    assert run.record["pods"]["default/p"]["scheduled"]["reason"] == "SchedulerError"


def test_a_request_without_type_or_class() -> None:
    run = Run(node(), claim("c", {"name": "g"}), pod("p", "c"))
    assert "resource claim default/c, request g: unknown request type" in run.message()
    run = Run(node(), claim("c", exactly(device_class="")), pod("p", "c"))
    assert run.message() == 'running PreFilter plugin "DynamicResources": request g: unsupported request type'


def test_alternatives_need_their_gate() -> None:
    wanted = claim("c", alternatives("g", one=1))
    run = Run(node(), device_class(), wanted, pod("p", "c"), gates={"DRAPrioritizedList": False})
    assert "has subrequests, but the DRAPrioritizedList feature is disabled" in run.message()


def test_admin_access_takes_what_is_in_use_but_not_twice_in_a_claim() -> None:
    used = claim("used", status=allocated("a", reserved=["x"]))
    for count, expected in ((1, "n1"), (2, "")):
        watching = claim("watch", exactly(adminAccess=True, count=count))
        run = Run(node(), device_class(), resource_slice("a"), used, watching, claim("plain"), pod("p", "watch"))
        assert run.nodes() == {"p": expected}


def test_all_devices_must_be_free_and_there_must_be_some() -> None:
    everything = claim("all", exactly(allocationMode="All"))
    held = claim("x", status=allocated("b"))
    run = Run(node(), device_class(), resource_slice("a", "b"), held, everything, pod("p", "all"))
    assert run.verdict("n1") == NO_DEVICES
    run = Run(node(), device_class("gpu", "false"), resource_slice("a", "b"), everything, pod("p", "all"))
    assert run.verdict("n1") == NO_DEVICES


def test_distinct_attributes() -> None:
    def device(name: str, slot: int) -> dict[str, Any]:
        return {"name": name, "attributes": {"slot": {"int": slot}}}

    spread = claim("c", exactly(count=2), constraints=[{"distinctAttribute": f"{DRIVER}/slot"}])
    gates = {"DRAConsumableCapacity": True}
    cluster = (node(), device_class(), spread, pod("p", "c"))
    assert Run(*cluster, resource_slice(device("a", 1), device("b", 1)), gates=gates).verdict("n1") == NO_DEVICES
    run = Run(*cluster, resource_slice(device("a", 1), device("b", 1), device("c", 2)), gates=gates)
    assert run.nodes() == {"p": "n1"}


def test_the_search_is_bounded_by_the_filter_timeout() -> None:
    # 24 devices in pairs that no third joins: the claim for three needs to try every pair.
    devices = [{"name": f"d{i:02}", "attributes": {"pair": {"int": i // 2}}} for i in range(24)]
    requests = [exactly(f"r{i}", count=3) for i in range(4)]
    wanted = claim("c", *requests, constraints=[{"matchAttribute": f"{DRIVER}/pair"}])
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "DynamicResources", "args": {"filterTimeout": "1ms"}}]}],
    }
    run = Run(configuration, node(), device_class(), resource_slice(*devices), wanted, pod("p", "c"))
    assert run.verdict("n1") == ("UnschedulableAndUnresolvable", "timed out trying to allocate devices")


# -- shared capacity ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "asked", "fitting"),
    [
        (None, "3G", 3),
        (None, None, 1),
        ({"default": "2G"}, None, 5),
        ({"default": "2G", "validRange": {"min": "1G", "step": "2G"}}, "2G", 3),
        ({"default": "2G", "validRange": {"min": "1G", "max": "4G"}}, "5G", 0),
        ({"default": "4G", "validValues": ["4G", "5G"]}, "1G", 2),
        ({"default": "4G", "validValues": ["4G", "5G"]}, "6G", 0),
    ],
)
def test_how_many_claims_share_a_device(policy: dict[str, Any] | None, asked: str | None, fitting: int) -> None:
    capacity = {"value": "10G", **({"requestPolicy": policy} if policy else {})}
    device = {"name": "eth0", "allowMultipleAllocations": True, "capacity": {"bandwidth": capacity}}
    more: dict[str, Any] = {"capacity": {"requests": {"bandwidth": asked}}} if asked else {}
    claims = [claim(f"c{i}", exactly(**more)) for i in range(6)]
    pods = [pod(f"p{i}", f"c{i}") for i in range(6)]
    run = Run(node(), device_class(), resource_slice(device), *claims, *pods, gates={"DRAConsumableCapacity": True})
    assert sum(bool(on) for on in run.nodes().values()) == fitting


def test_a_whole_device_must_have_the_capacity_asked_for() -> None:
    small = {"name": "small", "capacity": {"memory": {"value": "4Gi"}}}
    wanted = claim("c", exactly(capacity={"requests": {"memory": "5Gi"}}))
    gates = {"DRAConsumableCapacity": True}
    run = Run(node(), device_class(), resource_slice(small, "bare"), wanted, pod("p", "c"), gates=gates)
    assert run.verdict("n1") == NO_DEVICES
    cells = [row[4] for row in run.explained("n1").table.rows]  # type: ignore[union-attr]
    assert cells == ["memory: 0/4Gi", "capacity"]


def test_sharing_is_a_variable_of_selectors() -> None:
    expression = "device.allowMultipleAllocations"
    objects = (node(), device_class("gpu", expression), resource_slice("a"), claim("c"), pod("p", "c"))
    assert Run(*objects, gates={"DRAConsumableCapacity": True}).verdict("n1") == NO_DEVICES
    assert "undefined field 'allowMultipleAllocations'" in Run(*objects).verdict("n1")[1]


# -- allocated claims, scores ------------------------------------------------------------------------------------


def test_an_allocation_in_use_by_others_is_not_taken_away() -> None:
    cluster = (node("n1", "1"), node("n2", "8"), device_class(), resource_slice("a"))
    held = claim("c", status=allocated("a", reserved=["other"]))
    run = Run(*cluster, held, pod("p", "c", requests={"cpu": "2"}))
    assert run.verdict("n2") == ELSEWHERE
    assert run.message().partition(". ")[2].startswith("still not schedulable")


def test_alternatives_are_scored_by_their_place() -> None:
    wanted = claim("c", alternatives("g", pair=2, single=1))
    slices = (resource_slice("a"), resource_slice("a", "b", on="n2"))
    run = Run(node("n1"), node("n2"), device_class(), *slices, wanted, pod("p", "c"))
    scores = {on: table["DynamicResources"] for on, table in run.cycles[0]["score"].items()}
    assert scores == {
        "n1": {"raw": 7, "normalized": 87, "weighted": 174},
        "n2": {"raw": 8, "normalized": 100, "weighted": 200},
    }
    evidence = run.evidence[0]["score"]["n1"]["DynamicResources"]
    assert [str(row.label) for row in evidence.rows] == ["default/c gets g/single", "sum"]


def test_a_pod_with_both_kinds_of_claims_fails_in_score() -> None:
    everywhere = resource_slice("a", "b", on="", pool="all", allNodes=True)
    both = (claim("new"), claim("old", status={"allocation": {"devices": {"results": []}}}), pod("p", "new", "old"))
    run = Run(node("n1"), node("n2"), device_class(), everywhere, *both)
    assert run.message().endswith("number of allocations 1 is smaller than number of claims")
    assert Run(node("n1"), device_class(), everywhere, *both).nodes() == {"p": "n1"}


def test_the_second_all_gets_the_devices_of_the_first() -> None:
    def option(name: str, expression: str) -> dict[str, Any]:
        selectors = [{"cel": {"expression": expression}}]
        return {"name": name, "deviceClassName": "gpu", "allocationMode": "All", "selectors": selectors}

    options = [option("none", "false"), option("all", "true")]
    wanted = claim("c", {"name": "g", "firstAvailable": options})
    run = Run(node(), device_class(), resource_slice("a"), wanted, pod("p", "c"))
    assert run.verdict("n1") == NO_DEVICES


# -- binding conditions ------------------------------------------------------------------------------------------

CONDITIONS: dict[str, Any] = {"bindingConditions": ["attached"], "bindingFailureConditions": ["failed"]}


def test_a_device_that_is_not_ready_ends_the_attempt() -> None:
    run = Run(
        node(),
        device_class(),
        resource_slice({"name": "a", **CONDITIONS}),
        claim("c"),
        pod("p", "c"),
        gates={"DRADeviceBindingConditions": True},
    )
    assert run.message() == 'running PreBind plugin "DynamicResources": device binding timeout'
    pending = [event for event in run.record["events"] if event["reason"] == "BindingConditionsPending"]
    assert pending[0]["message"] == "waiting for binding conditions for device on node n1"


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ({"type": "attached", "status": "True"}, ""),
        (
            {"type": "failed", "status": "True", "reason": "Broken", "message": "no link"},
            "0/1 nodes are available: 1 resourceclaim not available on the node. ",
        ),
    ],
)
def test_what_the_driver_says_of_an_allocated_device(condition: dict[str, str], text: str) -> None:
    status = allocated("a", **CONDITIONS)
    status["devices"] = [{"driver": DRIVER, "pool": "n1", "device": "a", "conditions": [condition]}]
    run = Run(
        node(),
        device_class(),
        resource_slice({"name": "a", **CONDITIONS}),
        claim("c", status=status),
        pod("p", "c"),
        gates={"DRADeviceBindingConditions": True},
        options={"maxCycles": 1},
    )
    assert run.message().startswith(text)
    assert bool(run.nodes()["p"]) is not bool(text)


def test_pools_without_conditions_come_first() -> None:
    run = Run(
        node(),
        device_class(),
        resource_slice({"name": "a", **CONDITIONS}),
        resource_slice("b", pool="plain"),
        claim("c"),
        pod("p", "c"),
        gates={"DRADeviceBindingConditions": True},
    )
    assert run.nodes() == {"p": "n1"}


# -- extended resources ------------------------------------------------------------------------------------------

EXTENDED = {"DRAExtendedResource": True}


def extended_pod(name: str, count: int, **spec: Any) -> dict[str, Any]:
    return pod(name, requests={"lab.io/gpu": str(count)}, **spec)


def test_nodes_with_the_resource_serve_it_themselves() -> None:
    run = Run(
        node("n1"),
        node("n2", lab_io__gpu="1"),
        device_class("gpu", extendedResourceName="lab.io/gpu"),
        resource_slice("a"),
        extended_pod("one", 1),
        extended_pod("two", 1),
        extended_pod("three", 1),
        gates=EXTENDED,
    )
    assert sorted(run.nodes().values()) == ["", "n1", "n2"]


def test_an_init_container_reuses_the_devices_of_the_others() -> None:
    def container(name: str, count: int) -> dict[str, Any]:
        return {"name": name, "image": "x", "resources": {"requests": {"lab.io/gpu": str(count)}}}

    served = device_class("gpu", extendedResourceName="lab.io/gpu")
    for init, expected in ((3, "n1"), (4, "")):
        waiting = pod("p", initContainers=[container("i", init)], containers=[container("c", 2)])
        run = Run(node(), served, resource_slice("a", "b", "c"), waiting, gates=EXTENDED)
        assert run.nodes() == {"p": expected}


def test_the_implicit_name_of_a_class() -> None:
    asking = pod("p", requests={"deviceclass.resource.kubernetes.io/gpu": "1"})
    run = Run(node(), device_class("gpu"), resource_slice("a"), asking, gates=EXTENDED)
    assert run.nodes() == {"p": "n1"}


def test_a_claim_left_over_from_an_earlier_attempt_is_deleted_first() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "default/p", "controller": True}
    left_over = claim("p-extended-resources-9", exactly("container-0-request-0"))
    left_over["metadata"] |= {
        "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
        "ownerReferences": [owner],
    }
    run = Run(
        node(),
        device_class("gpu", extendedResourceName="lab.io/gpu"),
        resource_slice("a"),
        left_over,
        extended_pod("p", 1),
        gates=EXTENDED,
        steps=[{"advanceSeconds": 400}],
    )
    assert run.verdict("n1", 0)[1] == "cannot schedule extended resource claim"
    assert "deletion of ResourceClaim completed" in run.message(0)
    assert run.nodes() == {"p": "n1"}


def test_fit_scores_such_resources_by_their_devices() -> None:
    strategy = {"type": "MostAllocated", "resources": [{"name": "lab.io/gpu", "weight": 1}]}
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}]}],
    }
    run = Run(
        configuration,
        node("n1"),
        node("n2"),
        device_class("gpu", extendedResourceName="lab.io/gpu"),
        resource_slice("a", "b"),
        resource_slice("a", "b", "c", "d", on="n2"),
        claim("held", status=allocated("d", on="n2")),
        extended_pod("p", 1),
        gates=EXTENDED,
    )
    scores = {on: table["NodeResourcesFit"]["raw"] for on, table in run.cycles[0]["score"].items()}
    assert scores == {"n1": 50, "n2": 50}


# -- evidence ----------------------------------------------------------------------------------------------------


def test_evidence_shows_what_speaks_against_each_device() -> None:
    tainted = {"name": "c", "taints": [{"key": "bad", "effect": "NoSchedule"}]}
    expression = 'device.attributes["gpu.lab.io"].?size.orValue("s") == "s"'
    run = Run(
        node(),
        device_class("gpu", expression),
        resource_slice("a", {"name": "b", "attributes": {"size": {"string": "l"}}}, tainted),
        claim("held", status=allocated("a", reserved=["x"])),
        claim("c"),
        pod("p", "c"),
        gates={"DRADeviceTaints": True},
    )
    evidence = run.explained("n1")
    assert str(evidence.sentence) == "c: g asks for 1 of the devices on n1, but 0 fit and are free."
    assert evidence.table is not None
    assert evidence.table.rows == [
        ["c: g", f"{DRIVER}/n1/a", "✓", "default/held", "—", ""],
        ["c: g", f"{DRIVER}/n1/b", f"✗ {expression}", "—", "—", ""],
        ["c: g", f"{DRIVER}/n1/c", "✓", "—", "bad:NoSchedule", ""],
    ]
    assert ("DeviceClass", "spec.selectors[0].cel.expression") in {(mark.kind, mark.path) for mark in evidence.marks}
    before = run.evidence[0]["preFilter"]["DynamicResources"]
    assert str(before.sentence) == "Claims of default/p that still need devices: c."


def test_evidence_of_what_stands_in_the_way_together() -> None:
    run = Run(node(), device_class(), resource_slice("a"), claim("c", exactly("x"), exactly("y")), pod("p", "c"))
    assert str(run.explained("n1").sentence).startswith("Each request of default/p would find devices on n1")
