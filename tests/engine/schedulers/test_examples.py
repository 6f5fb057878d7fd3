"""The shipped examples of several schedulers show what their descriptions say."""

from __future__ import annotations

from pathlib import Path

import scheduler_lab.examples
from tests.engine.schedulers.texts import Json, lease, messages, record, states, took

FOLDER = Path(scheduler_lab.examples.__file__).parent


def shown(name: str, old: str = "", new: str = "") -> Json:
    source = (FOLDER / f"schedulers-{name}.yaml").read_text(encoding="utf-8")
    assert old in source
    return record(source.replace(old, new) if old else source)


def kubelet(found: Json) -> list[tuple[str, str]]:
    return [(entry["pod"], entry["reason"]) for entry in found.get("x-kubelet", []) if entry["phase"] == "Failed"]


def test_two_profiles_share_a_cache_and_two_processes_do_not() -> None:
    found = shown("two-profiles-or-two-processes")
    assert took(found) == [
        ("kube-scheduler-0", "two-processes-1", "node-b"),
        ("batch-scheduler-0", "two-processes-2", "node-b"),
        ("kube-scheduler-0", "two-profiles-1", "node-a"),
        ("kube-scheduler-0", "two-profiles-2", "Unschedulable"),
    ]
    assert found["cycles"][3]["profile"] == "batch-profile"
    assert "1 Insufficient cpu" in found["cycles"][3]["result"]["message"]
    assert kubelet(found) == [("default/two-processes-2", "OutOfcpu")]


def test_a_race_overfills_a_node() -> None:
    found = shown("overcommit-race")
    assert took(found)[:2] == [("kube-scheduler-0", "p-def", "node-1"), ("my-custom-scheduler-0", "p-cus", "node-1")]
    assert found["cycles"][1]["x-unseen"] == [{"pod": "default/p-def", "node": "node-1"}]
    rejected = next(entry for entry in found["x-kubelet"] if entry["phase"] == "Failed")
    assert rejected["message"] == (
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000"
    )
    assert (took(found)[2][1:], "x-unseen" in found["cycles"][2]) == (("p-late", "Unschedulable"), False)


def test_without_lag_there_is_no_race() -> None:
    found = shown("overcommit-race", "viewLag: 1", "viewLag: 0")
    assert took(found)[1][1:] == ("p-cus", "Unschedulable")
    assert "1 Insufficient cpu" in found["cycles"][1]["result"]["message"]
    assert not kubelet(found)


def test_the_second_binding_of_a_pod_is_refused() -> None:
    found = shown("same-pod-conflict")
    assert [node for process, _pod, node in took(found) if process == "kube-scheduler-0"] == ["node-1", "node-2"]
    refused = (
        'running Bind plugin "DefaultBinder": Operation cannot be fulfilled on pods/binding "web-1": '
        'pod web-1 is already assigned to node "node-1"'
    )
    assert messages(found, "FailedScheduling")[0] == ("second-scheduler-0", refused)
    assert len(messages(found, "Scheduled")) == 2
    conflicts = found["x-schedulers"][1]["conflicts"]
    assert [(entry["pod"], entry["cycle"], entry["node"]) for entry in conflicts] == [
        ("default/web-1", 2, "node-1"),
        ("default/web-2", 4, "node-2"),
    ]


def test_names_of_their_own_end_the_conflict() -> None:
    found = shown("same-pod-conflict", "schedulerName: default-scheduler ", "schedulerName: second-scheduler ")
    assert {process for process, _pod, _node in took(found)} == {"kube-scheduler-0"}
    assert not messages(found, "FailedScheduling")


def test_the_standby_takes_over_when_the_lease_has_run_out() -> None:
    found = shown("leader-election")
    assert took(found) == [("batch-scheduler-0", "job-1", "node-1"), ("batch-scheduler-1", "job-2", "node-1")]
    assert found["cycles"][1]["step"] == 4
    assert states(found)["batch-scheduler-0"] == "stopped"
    held = lease(found, "batch-scheduler")
    assert (held["holder"], held["transitions"], held["acquired"]) == ("batch-scheduler-1", 1, 16.0)
    assert ("batch-scheduler-1", "batch-scheduler-1 became leader") in messages(found, "LeaderElection")


def test_ten_seconds_are_too_early_to_take_over() -> None:
    found = shown("leader-election", "too early: the lease is still the dead leader's\n- advanceSeconds: 10\n", "\n")
    assert [pod for _process, pod, _node in took(found)] == ["job-1"]
    note = found["x-unserved"][0]["note"]
    assert note["params"] == {
        "pod": "default/job-2",
        "lease": "kube-system/batch-scheduler",
        "holder": "batch-scheduler-0",
        "next": "batch-scheduler-1",
        "seconds": "6",
    }


def test_a_scheduler_on_anothers_lease_never_schedules() -> None:
    found = shown("shared-lease-mistake")
    assert took(found) == [("kube-scheduler-0", "web", "node-1")]
    assert states(found) == {"kube-scheduler-0": "leading", "batch-scheduler-0": "standby"}
    assert "scheduled" not in found["pods"]["default/job"]
    assert not [event for event in found["events"] if "job" in event["regarding"]]
    why = found["x-unserved"][0]
    assert (why["pod"], why["scheduler"], why["note"]["params"]["holder"]) == (
        "default/job",
        "batch-scheduler",
        "kube-scheduler-0",
    )
    assert lease(found, "kube-scheduler")["shared"] == ["kube-scheduler", "batch-scheduler"]


def test_a_lease_of_its_own_is_the_remedy() -> None:
    found = shown("shared-lease-mistake", "# leaderElection", "leaderElection")
    assert ("batch-scheduler-0", "job", "node-1") in took(found)
    assert "x-unserved" not in found


def test_pools_need_taint_and_added_affinity() -> None:
    found = shown("node-pools")
    placed = {pod: node for _process, pod, node in took(found)}
    assert placed == {"default-pod": "node1", "custom-pod": "Unschedulable", "custom-pod-tolerating": "node2"}
    message = next(c["result"]["message"] for c in found["cycles"] if c["pod"] == "default/custom-pod")
    assert message.startswith(
        "0/2 nodes are available: 1 node(s) didn't match scheduler-enforced node affinity, "
        "1 node(s) had untolerated taint(s)."
    )


def test_a_quota_refuses_before_any_scheduler_sees_the_pod() -> None:
    found = shown("resource-quota")
    refused = {problem["name"]: problem["message"]["params"]["message"] for problem in found["x-problems"]}
    assert refused == {
        "beyond-quota": 'pods "beyond-quota" is forbidden: exceeded quota: custom-quota, requested: cpu=1, '
        "used: cpu=20, limited: cpu=20",
        "no-requests": 'pods "no-requests" is forbidden: failed quota: custom-quota: must specify cpu for: app; '
        "memory for: app",
    }
    assert [(pod, node) for _process, pod, node in took(found)] == [
        ("custom-workloads/big", "node-1"),
        ("custom-workloads/no-room", "Unschedulable"),
    ]
