"""ReplicaSet, ReplicationController and Deployment."""

from __future__ import annotations

import re

import pytest

from tests.engine.controllers.texts import Run, apply, delete, node, pod, pod_spec, timeline, workload

RS_NAME = re.compile(r"web-[bcdfghjklmnpqrstvwxz2456789]{5}")
DEPLOYED = re.compile(r"web-([bcdfghjklmnpqrstvwxz2456789]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}")


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController"])
def test_pods_are_queued_at_their_owners_place(kind: str) -> None:
    run = Run(node("n1"), pod("before"), workload(kind, replicas=2), pod("after"))
    first, one, two, last = run.tried
    assert (first, last) == ("before", "after")
    assert RS_NAME.fullmatch(one) and RS_NAME.fullmatch(two)
    assert run.events("SuccessfulCreate") == [(f"{kind} default/web", f"Created pod: {name}") for name in (one, two)]


def test_names_are_the_same_in_every_run_and_follow_the_content() -> None:
    text = (node("n1"), workload("Deployment", replicas=2))
    assert Run(*text).record == Run(*text).record
    other = workload("Deployment", replicas=2, pod=pod_spec(cpu="1"))
    assert DEPLOYED.fullmatch(Run(*text).pods[0])[1] != DEPLOYED.fullmatch(Run(node("n1"), other).pods[0])[1]  # type: ignore[index]


def test_one_replica_is_the_default_and_none_is_none() -> None:
    assert len(Run(node("n1"), workload("ReplicaSet")).tried) == 1
    assert Run(node("n1"), workload("ReplicaSet", replicas=0)).tried == []


def test_the_owners_service_spreads_its_pods() -> None:
    run = Run(node("n1"), node("n2"), node("n3"), workload("Deployment", replicas=3))
    assert sorted(run.nodes().values()) == ["n1", "n2", "n3"]


@pytest.mark.parametrize("owner", [None, {"kind": "ReplicaSet", "name": "web"}])
def test_an_owner_with_pods_in_the_text_is_left_alone(owner: dict[str, str] | None) -> None:
    written = [pod(f"web-{i}", {"app": "web"}, owner) for i in range(2)]
    assert Run(node("n1"), workload("ReplicaSet", replicas=2), *written).tried == ["web-0", "web-1"]
    assert Run(node("n1"), workload("ReplicaSet", replicas=5), *written).tried == ["web-0", "web-1"]


def test_pods_of_others_do_not_count() -> None:
    foreign = pod("other", {"app": "web"}, {"kind": "ReplicaSet", "name": "another"})
    elsewhere = pod("elsewhere", {"app": "db"})
    assert len(Run(node("n1"), workload("ReplicaSet", replicas=2), foreign, elsewhere).tried) == 4


def test_a_template_without_containers_makes_nothing() -> None:
    assert Run(node("n1"), workload("ReplicaSet", replicas=2, pod={})).tried == []


def test_an_owner_without_selector_is_refused() -> None:
    bad = workload("Deployment", replicas=2)
    del bad["spec"]["selector"]
    run = Run(node("n1"), bad)
    assert run.tried == []
    assert 'Deployment.apps "web" is invalid: spec.selector: Required value' in run.problems()[0]


def test_scaling_up_and_down() -> None:
    run = Run(
        node("n1"),
        workload("ReplicaSet", replicas=2),
        timeline(apply(workload("ReplicaSet", replicas=3)), apply(workload("ReplicaSet", replicas=1))),
    )
    assert len(run.tried) == 3
    assert len(run.pods) == 1
    assert len(run.events("SuccessfulDelete")) == 2


def test_the_pod_without_a_node_goes_first() -> None:
    big = workload("ReplicaSet", replicas=2, pod=pod_spec(cpu="5"))
    run = Run(node("n1"), big, timeline(apply({**big, "spec": {**big["spec"], "replicas": 1}})))
    assert list(run.nodes().values()) == ["n1"]


def test_deleting_the_owner_deletes_its_pods_but_not_those_without_owner() -> None:
    run = Run(
        node("n1"),
        workload("Deployment", replicas=2),
        pod("bare", {"app": "web"}),
        timeline(delete("Deployment", "web")),
    )
    assert len(run.tried) == 3
    assert run.pods == ["bare"]


def test_a_preempted_pod_is_replaced() -> None:
    low = workload("ReplicaSet", replicas=1, pod=pod_spec(cpu="5"))
    high = pod("high", priority=10, cpu="5")
    run = Run(node("n1"), low, timeline(apply(high)))
    victim = run.record["deleted"][0].rpartition("/")[2]
    created = run.events("SuccessfulCreate")
    assert len(created) == 2
    assert victim not in run.pods
    assert run.nodes()["high"] == "n1"
    assert sorted(run.nodes().values()) == ["", "n1"]


def test_the_text_is_not_changed_for_an_owner_it_already_serves() -> None:
    low = workload("ReplicaSet", replicas=1)
    written = pod("web-0", {"app": "web"}, {"kind": "ReplicaSet", "name": "web"}, cpu="5")
    run = Run(node("n1"), low, written, timeline(apply(pod("high", priority=10, cpu="5"))))
    assert run.record["deleted"] == ["default/web-0"]
    assert run.pods == ["high"]
    assert "x-events" not in run.record


def test_a_deployment_makes_a_replica_set_that_owns_the_pods() -> None:
    run = Run(node("n1"), workload("Deployment", replicas=2))
    match = DEPLOYED.fullmatch(run.tried[0])
    assert match
    assert run.events("ScalingReplicaSet") == [
        ("Deployment default/web", f"Scaled up replica set web-{match[1]} from 0 to 2")
    ]


def test_a_new_template_rolls_within_surge_and_unavailability() -> None:
    new = workload("Deployment", replicas=4, pod=pod_spec(cpu="100m"))
    run = Run(node("n1"), workload("Deployment", replicas=4), timeline(apply(new)))
    steps = [re.sub(r"web-\S+", "web", message) for _, message in run.events("ScalingReplicaSet")]
    assert steps[:3] == [
        "Scaled up replica set web from 0 to 4",
        "Scaled up replica set web from 0 to 1",
        "Scaled down replica set web from 4 to 3",
    ]
    assert len(run.pods) == 4
    assert len({name.split("-")[1] for name in run.pods}) == 1


def test_a_rollout_that_does_not_fit_keeps_what_must_stay_available() -> None:
    new = workload("Deployment", replicas=4, pod=pod_spec(cpu="100"))
    run = Run(node("n1"), workload("Deployment", replicas=4), timeline(apply(new)))
    assert sorted(run.nodes().values()) == ["", "", "n1", "n1", "n1"]


def test_recreate_deletes_first() -> None:
    old = workload("Deployment", replicas=2, pod=pod_spec(cpu="4"), strategy={"type": "Recreate"})
    new = workload("Deployment", replicas=2, pod=pod_spec(cpu="3"), strategy={"type": "Recreate"})
    run = Run(node("n1"), old, timeline(apply(new)))
    assert list(run.nodes().values()) == ["n1", "n1"]
    assert len(run.tried) == 4


def test_a_paused_deployment_makes_nothing_new() -> None:
    assert Run(node("n1"), workload("Deployment", replicas=2, paused=True)).tried == []


def test_a_deleted_replica_set_is_made_anew() -> None:
    first = Run(node("n1"), workload("Deployment", replicas=1))
    name = first.pods[0].rpartition("-")[0]
    run = Run(node("n1"), workload("Deployment", replicas=1), timeline(delete("ReplicaSet", name)))
    assert len(run.events("ScalingReplicaSet")) == 2
    assert len(run.pods) == 1


def test_pods_are_bounded() -> None:
    run = Run(workload("ReplicaSet", replicas=2_000_000_000))
    assert len(run.pods) == 5000
    assert run.problems() == ["The controllers make at most 5000 pods in one run."]
