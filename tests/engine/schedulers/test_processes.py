"""Several processes: turns, queues of their own, views that lag, and what an ordinary run keeps."""

from __future__ import annotations

from scheduler_lab.engine import EvidenceMode, load, run
from scheduler_lab.engine.explain.compare import compare
from tests.engine.schedulers.texts import configured, messages, node, pod, record, scheduler, timeline, took

NO_ELECTION = "{leaderElect: false}"


def test_processes_take_turns_of_one_cycle() -> None:
    found = record(
        node("n1", "32")
        + "".join(pod(f"a{number}") + pod(f"b{number}", scheduler="b") for number in range(3))
        + scheduler("b")
    )
    assert [(process, name) for process, name, _node in took(found)] == [
        ("kube-scheduler-0", "a0"),
        ("b-0", "b0"),
        ("kube-scheduler-0", "a1"),
        ("b-0", "b1"),
        ("kube-scheduler-0", "a2"),
        ("b-0", "b2"),
    ]


def test_each_process_queues_only_its_own_pods() -> None:
    found = record(node("n1", "1") + pod("a0") + pod("a1") + pod("b1", scheduler="b") + scheduler("b"))
    by_process = {cycle["x-scheduler"]: cycle["x-queue"] for cycle in found["cycles"]}
    assert by_process["b-0"] == {"active": ["default/b1"]}
    assert found["queue"]["unschedulable"] == ["default/a1", "default/b1"]
    assert found["queue"]["unschedulablePlugins"]["default/b1"] == ["NodeResourcesFit"]


def test_a_freed_node_wakes_pods_of_every_scheduler() -> None:
    found = record(
        node("n1", "1")
        + pod("a0")
        + pod("b1", scheduler="b")
        + scheduler("b")
        + timeline("delete: {kind: Pod, name: a0}")
    )
    assert took(found)[-1] == ("b-0", "b1", "n1")
    assert found["cycles"][-1]["step"] == 1


def test_events_name_process_and_profile() -> None:
    found = record(node("n1") + pod("p", scheduler="fast") + scheduler("b", configured("fast", "{resourceName: b}")))
    event = next(event for event in found["events"] if event["reason"] == "Scheduled")
    assert (event["x-scheduler"], event["x-reportingController"]) == ("b-0", "fast")


def test_an_ordinary_run_knows_no_processes() -> None:
    found = run(load(node("n1") + pod("p"))).to_builtins()
    assert not {"x-schedulers", "x-leases"} & set(found)
    assert "x-scheduler" not in found["cycles"][0]
    assert set(found["events"][0]) == {"type", "reason", "regarding", "message"}


def test_a_further_scheduler_changes_nothing_for_the_main_one() -> None:
    text = node("n1", "2") + node("n2", "2") + "".join(pod(f"p{number}") for number in range(5))
    alone = run(load(text)).to_builtins()
    beside = run(load(text + scheduler("b", configured("b", NO_ELECTION)))).to_builtins()
    for cycle in beside["cycles"]:
        assert cycle.pop("x-scheduler") == "kube-scheduler-0"
    assert beside["cycles"] == alone["cycles"]
    assert (beside["pods"], beside["queue"]) == (alone["pods"], alone["queue"])


def test_a_name_that_nobody_serves_is_told_with_all_that_are() -> None:
    found = record(node("n1") + pod("p", scheduler="nobody") + scheduler("b"))
    assert [entry["known"] for entry in found["x-unserved"]] == [["default-scheduler", "b"]]
    assert "scheduled" not in found["pods"]["default/p"]
    assert not [event for event in found["events"] if event["regarding"].startswith("Pod ")]


def test_pods_of_a_further_scheduler_are_served() -> None:
    assert "x-unserved" not in record(node("n1") + pod("p", scheduler="b") + scheduler("b"))


# -- lag ---------------------------------------------------------------------------------------------------------


def race(lag: int) -> list[int]:
    """How many bindings each cycle of the lagging process did not know of; the other binds one pod in between."""
    pods = "".join(pod(f"a{number}") + pod(f"b{number}", scheduler="b") for number in range(4))
    found = record(node("n1", "32") + pods + scheduler("b", f"{{viewLag: {lag}}}"))
    return [len(cycle.get("x-unseen", [])) for cycle in found["cycles"] if cycle["x-scheduler"] == "b-0"]


def test_lag_counts_cycles_of_ones_own() -> None:
    assert race(0) == [0, 0, 0, 0]
    assert race(1) == [1, 1, 1, 1]
    assert race(3) == [1, 2, 3, 3]


def test_an_idle_process_catches_up() -> None:
    found = record(
        node("n1", "3")
        + pod("a", "2")
        + pod("b1", "2", scheduler="b")
        + pod("b2", "2", scheduler="b")
        + scheduler("b", "{viewLag: 50}")
    )
    assert took(found) == [
        ("kube-scheduler-0", "a", "n1"),
        ("b-0", "b1", "n1"),
        ("b-0", "b2", "Unschedulable"),
    ]
    assert found["queue"]["unschedulable"] == ["default/b2"]


def test_its_own_bindings_are_seen_at_once() -> None:
    found = record(
        node("n1", "1") + pod("b1", scheduler="b") + pod("b2", scheduler="b") + scheduler("b", "{viewLag: 9}")
    )
    assert [node_ for _process, _pod, node_ in took(found)] == ["n1", "Unschedulable"]


def test_the_main_scheduler_may_lag_as_well() -> None:
    found = record(
        node("n1")
        + pod("a0", "1")
        + pod("b1", "3", scheduler="b")
        + pod("a1", "3")
        + scheduler("b")
        + scheduler("kube-scheduler", "{viewLag: 1}")
    )
    assert took(found) == [("kube-scheduler-0", "a0", "n1"), ("b-0", "b1", "n1"), ("kube-scheduler-0", "a1", "n1")]
    assert found["cycles"][2]["x-unseen"] == [{"pod": "default/b1", "node": "n1"}]
    assert [(entry["name"], entry["viewLag"]) for entry in found["x-schedulers"]] == [("kube-scheduler", 1), ("b", 0)]


# -- the same pod twice ------------------------------------------------------------------------------------------


def twice(lag: int, pods: int = 1) -> str:
    return (
        node("n1", "32")
        + "".join(pod(f"p{number}") for number in range(pods))
        + scheduler("second", configured("default-scheduler", NO_ELECTION, viewLag=lag))
    )


def test_without_lag_nobody_takes_a_bound_pod() -> None:
    found = record(twice(0, 2))
    assert [pod_ for _process, pod_, _node in took(found)] == ["p0", "p1"]
    assert not messages(found, "FailedScheduling")


def test_the_loser_unreserves_forgets_and_patches_the_condition() -> None:
    found = record(twice(1))
    lost = found["cycles"][1]
    assert (lost["x-scheduler"], lost["result"]["code"]) == ("second-0", "Error")
    assert [verdict["plugin"] for verdict in lost["unreserve"]][-1] == "VolumeBinding"
    # The node holds the pod once, the binding stands, and the condition is wrong until the kubelet writes it again.
    assert [entry["key"] for entry in found["x-cluster"][0]["pods"]] == ["default/p0"]
    state = found["pods"]["default/p0"]
    assert (state["nodeName"], state["scheduled"]["status"], state["scheduled"]["reason"]) == (
        "n1",
        "False",
        "SchedulerError",
    )


def test_the_loser_requeues_what_its_lister_shows_unassigned() -> None:
    found = record(twice(2, 2))
    second = [cycle for cycle in found["cycles"] if cycle["x-scheduler"] == "second-0"]
    assert second[1]["x-queue"]["backoff"] == ["default/p0"]
    # Before its backoff is over the watch shows the node, so there is one refusal a pod.
    assert [cycle["pod"] for cycle in second] == ["default/p0", "default/p1"]
    assert "backoff" not in found["queue"]


def test_a_pod_bound_by_another_while_it_waits_is_kept_in_the_cache() -> None:
    """The binding is seen, the wait goes on; when it is allowed the API server refuses, and the node stays counted."""
    text = (
        node("n1", "2")
        + node("n2", "2")
        + """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
profiles:
- schedulerName: default-scheduler
  plugins: {permit: {enabled: [{name: LabPermit}]}}
---
apiVersion: lab/v1
kind: Permit
rules: [{action: wait, timeoutSeconds: 600}]
---"""
        + pod("p", "2")
        + scheduler("second", configured("default-scheduler", NO_ELECTION))
        + timeline("allowWaiting: default/p", "settle: true")
    )
    found = record(text)
    assert [node_ for _process, _pod, node_ in took(found)] == ["Error", "n1"]
    refused = messages(found, "FailedScheduling")
    assert len(refused) == 1 and 'already assigned to node "n1"' in refused[0][1]
    assert [len(entry["pods"]) for entry in found["x-cluster"]] == [1, 0]


def test_replicas_without_election_take_the_same_pods() -> None:
    found = record(
        node("n1", "32") + pod("p", scheduler="b") + scheduler("b", configured("b", NO_ELECTION, replicas=2, viewLag=1))
    )
    assert took(found) == [("b-0", "p", "n1"), ("b-1", "p", "Error")]
    assert found["x-schedulers"][1]["conflicts"] == [{"pod": "default/p", "cycle": 2, "scheduler": "b-1", "node": "n1"}]


# -- what reads records ------------------------------------------------------------------------------------------


def test_evidence_of_one_cycle_is_found_by_its_number() -> None:
    text = node("n1", "1") + pod("a0") + pod("b1", scheduler="b") + scheduler("b")
    whole = record(text)
    asked = record(text, EvidenceMode(cycle=1))
    assert asked["cycles"][1]["x-evidence"] == whole["cycles"][1]["x-evidence"]
    assert "x-evidence" not in asked["cycles"][0]


def test_two_runs_are_compared_pod_by_pod() -> None:
    def text(lag: int) -> str:
        return node("n1") + pod("a", "3") + pod("b", "3", scheduler="b") + scheduler("b", f"{{viewLag: {lag}}}")

    found = compare(record(text(0)), record(text(1)))
    assert [(change.pod, change.kind) for change in found.pods] == [("default/b", "placed")]
    assert [flip.plugin for flip in (found.flips[0].before,) if flip] == ["NodeResourcesFit"]


def test_runs_are_repeated_to_the_byte() -> None:
    text = twice(2, 4) + timeline("stopScheduler: second-0", "startScheduler: second-0", "advanceSeconds: 40")
    first, again = (run(load(text)).to_json() for _ in range(2))
    assert first == again


def test_gated_pods_are_told_once_although_two_processes_hold_them() -> None:
    gated = pod("p", more="schedulingGates: [{name: example.com/gate}], ")
    found = record(node("n1") + gated + scheduler("second", configured("default-scheduler", NO_ELECTION, replicas=2)))
    assert [entry["x-scheduler"] for entry in found["preEnqueue"]] == ["kube-scheduler-0", "second-0"]
    assert found["queue"]["gated"] == ["default/p"]


def test_the_largest_number_of_cycles_is_that_of_all_processes() -> None:
    pods = "".join(pod(f"a{number}") + pod(f"b{number}", scheduler="b") for number in range(5))
    options = "\napiVersion: lab/v1\nkind: Options\nmaxCycles: 7\n---"
    found = record(node("n1", "32") + pods + scheduler("b") + options)
    assert (len(found["cycles"]), found["maxCyclesHit"]) == (7, True)


TURNED = """apiVersion: v1
kind: Node
metadata: {name: small}
status: {allocatable: {cpu: 1, memory: 4Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 2}}}]}
---
apiVersion: lab/v1
kind: Timeline
steps:
- apply: |
    apiVersion: v1
    kind: Pod
    metadata: {name: p}
    spec: {schedulerName: elsewhere, containers: [{name: c, image: x, resources: {requests: {cpu: 2}}}]}
- advanceSeconds: 400
"""


def test_a_pod_that_turns_to_another_scheduler_leaves_the_queue() -> None:
    assert len(run(load(TURNED)).cycles) == 1
    assert len(run(load(TURNED.replace("schedulerName: elsewhere, ", ""))).cycles) > 1
