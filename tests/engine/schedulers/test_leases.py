"""Leader election: who schedules, when a standby takes over, and what the lease says."""

from __future__ import annotations

import pytest

from tests.engine.schedulers.texts import (
    Json,
    configured,
    later,
    lease,
    messages,
    node,
    pod,
    record,
    scheduler,
    states,
    timeline,
    took,
)

PAIR = node("n1", "32") + pod("p0", scheduler="b") + scheduler("b", configured("b", "{resourceName: b}", replicas=2))


def takeover(*steps: str) -> Json:
    return record(PAIR + timeline(*steps))


def test_only_the_leader_schedules() -> None:
    found = takeover("settle: true")
    assert states(found) == {"kube-scheduler-0": "leading", "b-0": "leading", "b-1": "standby"}
    assert took(found) == [("b-0", "p0", "n1")]
    assert messages(found, "LeaderElection")[1:] == [("b-0", "b-0 became leader")]
    assert lease(found, "b") == {
        "namespace": "kube-system",
        "name": "b",
        "holder": "b-0",
        "candidates": ["b-0", "b-1"],
        "transitions": 0,
        "durationSeconds": 15,
        "renewed": 0.0,
        "acquired": 0.0,
    }


@pytest.mark.parametrize(("seconds", "taken"), [(14, False), (15, False), (15.9, False), (16, True), (300, True)])
def test_the_standby_looks_every_retry_period(seconds: float, taken: bool) -> None:
    found = takeover("stopScheduler: b-0", later("p1", "b"), f"advanceSeconds: {seconds}")
    assert (("b-1", "p1", "n1") in took(found)) is taken
    assert lease(found, "b")["transitions"] == int(taken)


def test_the_lease_counts_from_its_last_renewal() -> None:
    found = takeover("advanceSeconds: 9", "stopScheduler: b-0", "advanceSeconds: 14")
    assert lease(found, "b")["holder"] == "b-0"
    assert lease(found, "b")["takenAt"] == 24.0
    found = takeover("advanceSeconds: 9", "stopScheduler: b-0", "advanceSeconds: 15")
    assert (lease(found, "b")["holder"], lease(found, "b")["acquired"]) == ("b-1", 24.0)


def test_a_process_that_ends_in_good_order_gives_the_lease_back() -> None:
    found = takeover("terminateScheduler: b-0", "advanceSeconds: 2", later("p1", "b"))
    assert took(found)[-1] == ("b-1", "p1", "n1")
    assert lease(found, "b")["acquired"] == 2.0
    assert messages(found, "LeaderElection")[2:] == [("b-0", "b-0 stopped leading"), ("b-1", "b-1 became leader")]


def test_the_old_leader_comes_back_as_a_standby() -> None:
    found = takeover("stopScheduler: b-0", "advanceSeconds: 20", "startScheduler: b-0", "advanceSeconds: 60")
    assert states(found) == {"kube-scheduler-0": "leading", "b-0": "standby", "b-1": "leading"}
    assert lease(found, "b")["candidates"] == ["b-0_2", "b-1"]


def test_a_restarted_process_is_another_holder_and_waits() -> None:
    """Upstream's identity has a new UUID after a restart, so even a lone scheduler waits its own lease out."""
    alone = node("n1", "32") + scheduler("b")
    restart = ("stopScheduler: b", "startScheduler: b", later("p1", "b"))
    found = record(alone + timeline(*restart))
    assert took(found) == []
    assert found["x-unserved"][0]["note"]["params"]["next"] == "b-0_2"
    found = record(alone + timeline(*restart, "advanceSeconds: 16"))
    assert took(found) == [("b-0", "p1", "n1")]
    assert (lease(found, "b")["holder"], lease(found, "b")["transitions"]) == ("b-0_2", 1)


def test_after_a_release_a_new_process_leads_at_once() -> None:
    found = record(
        node("n1", "32") + scheduler("b") + timeline("terminateScheduler: b", "startScheduler: b", later("p1", "b"))
    )
    assert took(found) == [("b-0", "p1", "n1")]


def test_what_the_new_leader_knows_is_what_the_api_server_knows() -> None:
    """Backoff, attempts and reservations of the old leader are gone; bound pods are not."""
    text = (
        node("n1", "2")
        + pod("p0", "2", scheduler="b")
        + pod("p1", "2", scheduler="b")
        + scheduler("b", configured("b", "{resourceName: b}", replicas=2))
        + timeline("stopScheduler: b-0", "advanceSeconds: 20", "delete: {kind: Pod, name: p0}")
    )
    found = record(text)
    assert [(process, name, node_) for process, name, node_ in took(found)] == [
        ("b-0", "p0", "n1"),
        ("b-0", "p1", "Unschedulable"),
        ("b-1", "p1", "Unschedulable"),
        ("b-1", "p1", "n1"),
    ]
    assert [cycle["attempt"] for cycle in found["cycles"]] == [1, 1, 1, 2]


def test_a_started_process_lists_the_cluster() -> None:
    text = (
        node("n1", "2")
        + pod("a", "2")
        + scheduler("b", configured("b", "{leaderElect: false}"))
        + timeline("stopScheduler: b-0", "startScheduler: b-0", later("p", "b"))
    )
    found = record(text)
    assert took(found)[-1] == ("b-0", "p", "Unschedulable")
    assert [entry["key"] for entry in found["cycles"][-1]["x-cluster"][0]["pods"]] == ["default/a"]


def test_a_stopped_process_without_election_leaves_its_pods() -> None:
    text = node("n1") + scheduler("b", configured("b", "{leaderElect: false}"))
    found = record(text + timeline("stopScheduler: b-0", later("p", "b")))
    assert [entry["pod"] for entry in found["x-unserved"]] == ["default/p"]
    assert found["x-unserved"][0]["note"]["template"].startswith("No process of %(scheduler)s runs")
    assert states(found)["b-0"] == "stopped"


def test_the_main_scheduler_may_have_replicas() -> None:
    text = node("n1", "32") + pod("p0") + scheduler("kube-scheduler", "{replicas: 2}")
    found = record(text + timeline("stopScheduler: kube-scheduler-0", later("p1"), "advanceSeconds: 20"))
    assert took(found) == [("kube-scheduler-0", "p0", "n1"), ("kube-scheduler-1", "p1", "n1")]


def test_waiting_pods_end_with_their_process() -> None:
    text = (
        node("n1", "2")
        + """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {permit: {enabled: [{name: LabPermit}]}}
---
apiVersion: lab/v1
kind: Permit
rules: [{podLabel: a=b, action: wait, timeoutSeconds: 600}]
---
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {a: b}}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
---"""
        + scheduler("kube-scheduler", "{replicas: 2}")
    )
    before = record(text)
    assert before["queue"]["waitingOnPermit"] == ["default/p"]
    assert [entry["state"] for entry in before["x-cluster"][0]["pods"]] == ["waiting"]
    after = record(text + timeline("stopScheduler: kube-scheduler-0"))
    assert "waitingOnPermit" not in after["queue"]
    assert after["x-cluster"][0]["pods"] == []


# -- leases of the text ------------------------------------------------------------------------------------------

FOREIGN = """
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: b, namespace: kube-system}
spec: {holderIdentity: elsewhere, leaseDurationSeconds: 30, leaseTransitions: 4}
---"""


def test_a_lease_that_another_holds_is_waited_for() -> None:
    text = node("n1") + FOREIGN + scheduler("b") + pod("p", scheduler="b")
    found = record(text)
    assert took(found) == []
    assert lease(found, "b")["holder"] == "elsewhere"
    found = record(text + timeline("advanceSeconds: 30"))
    assert took(found) == [("b-0", "p", "n1")]
    assert lease(found, "b")["transitions"] == 5


def test_a_leader_whose_lease_is_taken_away_ends() -> None:
    taken = "apply: |\n" + "\n".join(f"    {line}" for line in FOREIGN.strip().removesuffix("---").splitlines())
    found = record(node("n1") + scheduler("b") + timeline(taken, later("p", "b")))
    assert states(found)["b-0"] == "stopped"
    assert messages(found, "LeaderElection")[-1] == ("b-0", "b-0 stopped leading")
    assert took(found) == []


def test_a_deleted_lease_is_made_anew() -> None:
    gone = "delete: {kind: Lease, namespace: kube-system, name: b}"
    found = record(node("n1") + scheduler("b") + timeline(gone, later("p", "b")))
    assert took(found) == [("b-0", "p", "n1")]
    assert lease(found, "b")["holder"] == "b-0"
    assert len(messages(found, "LeaderElection")) == 2


def test_long_stretches_of_time_cost_nothing() -> None:
    found = takeover("advanceSeconds: 1000000000", "stopScheduler: b-0", "advanceSeconds: 1000000000")
    assert lease(found, "b")["holder"] == "b-1"


def test_steps_name_processes_that_exist() -> None:
    found = takeover("stopScheduler: b-7")
    assert [problem["message"]["params"] for problem in found["x-problems"]] == [{"name": "b-7"}]
    assert states(found)["b-0"] == "leading"


def test_a_second_stop_or_start_changes_nothing() -> None:
    found = takeover("stopScheduler: b-0", "stopScheduler: b-0", "startScheduler: b-1", "terminateScheduler: b-0")
    assert states(found) == {"kube-scheduler-0": "leading", "b-0": "stopped", "b-1": "standby"}
