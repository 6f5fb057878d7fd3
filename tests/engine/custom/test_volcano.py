"""Volcano: all of a gang's pods in one session, or none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.custom.gangs import GROUP_ANNOTATION, applied, documents, node, nodes, pod, record, timeline


def group(name: str, spec: str, more: str = "") -> str:
    return f"""apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {{name: {name}{more}}}
spec: {{{spec}}}"""


def queue(name: str, spec: str) -> str:
    return f"apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {{name: {name}}}\nspec: {{{spec}}}"


def task(name: str, of: str, cpu: str = "1", spec: str = "") -> str:
    more = f", {spec}" if spec else ""
    return pod(name, cpu, meta=f"annotations: {{{GROUP_ANNOTATION}: {of}}}", spec=f"schedulerName: volcano{more}")


def sessions(found: dict[str, Any]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = found["x-volcano"]["sessions"]
    return result


def job(found: dict[str, Any], name: str) -> dict[str, Any]:
    """What the last session says of a job."""
    return next(entry for entry in sessions(found)[-1]["jobs"] if entry["podGroup"] == f"default/{name}")


def gang(count: int, of: str = "a", cpu: str = "1") -> tuple[str, ...]:
    return tuple(task(f"{of}-{index}", of, cpu) for index in range(count))


def test_a_gang_that_fits_starts_in_one_session() -> None:
    found = record(documents(node("n1", "4"), group("a", "minMember: 3"), *gang(3)))
    assert nodes(found) == {"a-0": "n1", "a-1": "n1", "a-2": "n1"}
    assert len(sessions(found)) == 1
    assert job(found, "a")["phase"] == "Running"
    assert "cycles" not in found
    assert found["pods"]["default/a-0"]["scheduled"] == {"status": "True"}


def test_more_pods_than_needed_start_as_far_as_there_is_room() -> None:
    found = record(documents(node("n1", "4"), group("a", "minMember: 3"), *gang(5)))
    assert set(nodes(found)) == {"a-0", "a-1", "a-2", "a-3"}
    assert job(found, "a")["phase"] == "Running"


def test_a_gang_that_does_not_fit_holds_nothing() -> None:
    text = documents(
        node("n1", "1500m"), node("n2", "1500m"), group("a", "minMember: 3"), *gang(3), pod("web", "1400m")
    )
    found = record(text)
    assert nodes(found) == {"web": "n1"}
    entry = job(found, "a")
    assert entry["phase"] == "Inqueue"
    assert [task["outcome"] for task in entry["tasks"]] == ["possible", "pending", "pending"]
    reason = "0/2 nodes are unavailable: 2 Insufficient cpu."
    assert entry["condition"] == {
        "type": "Unschedulable",
        "reason": "NotEnoughResources",
        "message": "2/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; "
        f"Pending: 1 Schedulable, 2 Unschedulable. Origin reason is a-1: {reason}",
    }
    assert found["pods"]["default/a-0"]["scheduled"]["reason"] == "Schedulable"
    assert found["pods"]["default/a-1"]["scheduled"] == {
        "status": "False",
        "reason": "Unschedulable",
        "message": reason,
    }


def test_it_starts_when_room_is_made() -> None:
    text = documents(node("n1", "2"), group("a", "minMember: 3"), *gang(3), timeline(applied(node("n2", "4"))))
    found = record(text)
    assert set(nodes(found)) == {"a-0", "a-1", "a-2"}
    assert [session["step"] for session in sessions(found)] == [0, 1]


def test_a_gang_with_too_few_pods_is_not_tried() -> None:
    found = record(documents(node("n1", "4"), group("a", "minMember: 3"), *gang(2)))
    assert nodes(found) == {}
    entry = job(found, "a")
    assert (entry["phase"], entry["condition"]["reason"]) == ("Pending", "NotEnoughTasks")
    assert entry["condition"]["message"] == "Not enough valid tasks for gang-scheduling, valid: 2, min: 3"


def test_two_gangs_do_not_block_each_other() -> None:
    names = [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    pods = [task(f"{of}-{index}", of) for of, index in names]
    found = record(documents(node("n1", "4"), group("a", "minMember: 3"), group("b", "minMember: 3"), *pods))
    assert set(nodes(found)) == {"a-0", "a-1", "a-2"}


@pytest.mark.parametrize(("cpu", "let_in"), [("3.6", True), ("3.7", False)])
def test_min_resources_let_a_job_in_up_to_an_overcommitment_of_a_fifth(cpu: str, let_in: bool) -> None:
    found = record(documents(node("n1", "3"), group("a", f"minMember: 2, minResources: {{cpu: {cpu!r}}}"), *gang(2)))
    assert bool(nodes(found)) == let_in
    if not let_in:
        assert job(found, "a")["phase"] == "Pending"
        assert job(found, "a")["notEnqueued"] == "resource in cluster is overused"


def test_a_queue_keeps_to_its_capability() -> None:
    text = documents(
        node("n1", "8"),
        queue("small", "weight: 1, capability: {cpu: 2}"),
        group("a", "minMember: 3, queue: small"),
        group("b", "minMember: 2, queue: small"),
        *gang(3),
        *gang(2, "b"),
    )
    found = record(text)
    assert set(nodes(found)) == {"b-0", "b-1"}
    assert [task["outcome"] for task in job(found, "a")["tasks"]][-1] == "overused"


def test_a_job_beyond_its_queues_capability_is_not_let_in() -> None:
    spec = "minMember: 1, queue: small, minResources: {cpu: 3}"
    text = documents(node("n1", "8"), queue("small", "capability: {cpu: 2}"), group("a", spec), *gang(1))
    assert job(record(text), "a")["notEnqueued"] == "queue resource quota insufficient"


def test_queues_share_by_weight() -> None:
    text = documents(
        node("n1", "6"),
        queue("one", "weight: 1"),
        queue("two", "weight: 2"),
        group("a", "minMember: 1, queue: one"),
        group("b", "minMember: 1, queue: two"),
        *gang(6),
        *gang(6, "b"),
    )
    placed = nodes(record(text))
    assert (sum(name[0] == "a" for name in placed), sum(name[0] == "b" for name in placed)) == (2, 4)


def test_an_unknown_queue() -> None:
    found = record(documents(node("n1", "4"), group("a", "minMember: 1, queue: nowhere"), *gang(1)))
    assert nodes(found) == {}
    assert job(found, "a")["note"]["params"]["queue"] == "nowhere"


def test_the_wrong_annotation_makes_no_gang() -> None:
    pods = [
        pod(f"a-{index}", meta="annotations: {scheduling.volcano.sh/pod-group: a}", spec="schedulerName: volcano")
        for index in range(3)
    ]
    found = record(documents(node("n1", "2"), group("a", "minMember: 3"), *pods))
    assert set(nodes(found)) == {"a-0", "a-1"}
    assert job(found, "a")["tasks"] == []
    assert job(found, "podgroup-default/a-0")["minMember"] == 1


def test_an_annotation_that_names_no_group() -> None:
    found = record(documents(node("n1", "2"), group("b", "minMember: 1"), task("a-0", "a")))
    assert nodes(found) == {}
    assert job(found, "a")["note"]["params"] == {"pod": "default/a-0", "group": "default/a"}


def test_the_more_important_job_goes_first() -> None:
    urgent = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: urgent}\nvalue: 1000"
    jobs = (group("a", "minMember: 2"), group("b", "minMember: 2, priorityClassName: urgent"))
    found = record(documents(urgent, node("n1", "2"), *jobs, *gang(2), *gang(2, "b")))
    assert set(nodes(found)) == {"b-0", "b-1"}


def test_filters_see_what_the_session_has_given_out() -> None:
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{labelSelector: {}, topologyKey: kubernetes.io/hostname}]}}"
    )
    pods = [task(f"a-{index}", "a", spec=apart) for index in range(2)]
    one = record(documents(node("n1", "4"), group("a", "minMember: 2"), *pods))
    assert nodes(one) == {}
    two = record(documents(node("n1", "4"), node("n2", "4"), group("a", "minMember: 2"), *pods))
    assert sorted(nodes(two).values()) == ["n1", "n2"]


def test_pods_that_ask_for_nothing_are_filled_in() -> None:
    found = record(documents(node("n1", "4"), group("a", "minMember: 2"), task("a-0", "a", ""), task("a-1", "a")))
    assert set(nodes(found)) == {"a-0", "a-1"}


def test_volcano_is_there_where_it_has_objects() -> None:
    without = record(documents(node("n1", "4"), *gang(1)))
    assert nodes(without) == {}
    assert without["x-unserved"][0]["schedulerName"] == "volcano"
    assert "x-unserved" not in record(documents(node("n1", "4"), group("a", "minMember: 1"), *gang(1)))


def test_kube_scheduler_sees_what_volcano_has_bound() -> None:
    late = timeline(applied(pod("late", "2")))
    found = record(documents(node("n1", "4"), group("a", "minMember: 3"), *gang(3), late))
    assert "Insufficient cpu" in found["pods"]["default/late"]["scheduled"]["message"]


def test_what_is_not_simulated_is_told() -> None:
    found = record(documents(node("n1", "4"), group("a", "minMember: 1, minTaskMember: {worker: 1}"), *gang(1)))
    assert found["x-problems"][0]["message"]["params"] == {"field": "minTaskMember"}


def test_a_running_gang_that_loses_a_pod() -> None:
    text = documents(node("n1", "3"), group("a", "minMember: 3"), *gang(3), timeline("delete: {kind: Pod, name: a-0}"))
    assert job(record(text), "a")["condition"]["reason"] == "NotEnoughTasks"
