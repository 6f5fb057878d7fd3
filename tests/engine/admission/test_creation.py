"""Namespace, LimitRange and ResourceQuota, in the API server's words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.controllers.texts import Run, apply, delete, node, pod, pod_spec, timeline, workload

Json = dict[str, Any]


def quota(hard: Json, name: str = "q", **spec: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name},
        "spec": {"hard": hard, **spec},
    }


def limits(*items: Json) -> Json:
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": list(items)}}


def sized(name: str, requests: Json | None = None, limit: Json | None = None, **spec: Any) -> Json:
    made = pod(name, **spec)
    made["spec"]["containers"][0]["resources"] = {"requests": requests or {}, "limits": limit or {}}
    return made


def refusal(*objects: Json) -> str:
    """Why the API server refused the one object that it refused."""
    (problem,) = Run(node("n1"), *objects).problems()
    return problem.partition(" is forbidden: ")[2]


def test_the_rest_goes_on() -> None:
    run = Run(node("n1"), quota({"pods": "1"}), pod("a"), pod("b"), timeline(apply(pod("c")), delete("Pod", "a")))
    assert run.tried == ["a"]
    assert run.problems()[0] == (
        'The API server refuses Pod default/b: pods "b" is forbidden: '
        "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"
    )
    assert len(run.problems()) == 2


@pytest.mark.parametrize(
    ("hard", "made", "message"),
    [
        ({"requests.cpu": "1"}, sized("p", {"cpu": "1500m"}),
         "exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=0, limited: requests.cpu=1"),
        ({"cpu": "1", "memory": "1Gi"}, sized("p", {"cpu": "2", "memory": "2Gi"}),
         "exceeded quota: q, requested: cpu=2,memory=2Gi, used: cpu=0,memory=0, limited: cpu=1,memory=1Gi"),
        ({"limits.memory": "1Gi", "limits.cpu": "1"}, sized("p", {"cpu": "1"}),
         "failed quota: q: must specify limits.cpu for: c; limits.memory for: c"),
        ({"requests.example.com/gpu": "1"}, sized("p", limit={"example.com/gpu": "2"}),
         "exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=0, "
         "limited: requests.example.com/gpu=1"),
        ({"count/pods": "0"}, pod("p"),
         "exceeded quota: q, requested: count/pods=1, used: count/pods=0, limited: count/pods=0"),
    ],
)  # fmt: skip
def test_a_quota_names_what_is_asked_used_and_limited(hard: Json, made: Json, message: str) -> None:
    assert refusal(quota(hard), made) == message


@pytest.mark.parametrize(
    ("spec", "counted"),
    [
        ({"scopes": ["BestEffort"]}, "plain"),
        ({"scopes": ["NotBestEffort"]}, "sized"),
        ({"scopes": ["Terminating"]}, "ending"),
        ({"scopeSelector": {"matchExpressions": [
            {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}}, "classy"),
    ],
)  # fmt: skip
def test_scopes_choose_the_pods(spec: Json, counted: str) -> None:
    high = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 10,
    }
    one = {"cpu": "1"}
    pods = {
        "plain": pod("plain"),
        "sized": sized("sized", one),
        "ending": sized("ending", one, activeDeadlineSeconds=9),
        "classy": sized("classy", one, priorityClassName="high"),
    }
    refused = Run(node("n1"), quota({"pods": "0"}, **spec), high, *pods.values())
    assert counted not in refused.pods
    unscoped = {"sized": 3, "plain": 1}.get(counted, 1)
    assert len(refused.problems()) == unscoped


def test_a_quota_of_claims_by_class() -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "2Gi"}}},
    }
    name = "fast.storageclass.storage.k8s.io/requests.storage"
    assert refusal(quota({name: "1Gi"}), claim) == (
        f"exceeded quota: q, requested: {name}=2Gi, used: {name}=0, limited: {name}=1Gi"
    )
    assert refusal(limits({"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}), claim) == (
        "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi"
    )


@pytest.mark.parametrize(
    ("item", "made", "message"),
    [
        ({"type": "Container", "max": {"cpu": "1"}}, sized("p", limit={"cpu": "2"}),
         "maximum cpu usage per Container is 1, but limit is 2"),
        ({"type": "Container", "min": {"cpu": "1"}}, sized("p", {"cpu": "500m"}),
         "minimum cpu usage per Container is 1, but request is 500m"),
        ({"type": "Pod", "max": {"memory": "1Gi"}}, pod("p"),
         "maximum memory usage per Pod is 1Gi.  No limit is specified"),
        ({"type": "Pod", "min": {"cpu": "1"}}, pod("p"),
         "minimum cpu usage per Pod is 1.  No request is specified"),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}, sized("p", {"cpu": "1"}, {"cpu": "3"}),
         "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000"),
        ({"type": "Container", "max": {"cpu": "1", "memory": "1Gi"}}, sized("p", limit={"cpu": "2", "memory": "2Gi"}),
         "[maximum cpu usage per Container is 1, but limit is 2, "
         "maximum memory usage per Container is 1Gi, but limit is 2Gi]"),
    ],
)  # fmt: skip
def test_a_limit_range_says_what_is_out_of_bounds(item: Json, made: Json, message: str) -> None:
    assert refusal(limits(item), made) == message


def test_a_limit_range_fills_in_what_the_scheduler_then_counts() -> None:
    run = Run(node("n1", cpu="2"), pod("a"), pod("b"), limits({"type": "Container", "max": {"cpu": "1500m"}}))
    assert run.nodes() == {"a": "n1", "b": ""}
    assert "Insufficient cpu" in run.record["pods"]["default/b"]["scheduled"]["message"]


def test_defaults_satisfy_a_quota() -> None:
    default = limits({"type": "Container", "default": {"cpu": "500m", "memory": "128Mi"}})
    assert Run(node("n1"), quota({"limits.cpu": "1", "limits.memory": "1Gi"}), default, pod("a"), pod("b")).tried == [
        "a",
        "b",
    ]


def test_a_terminating_namespace_takes_nothing_new() -> None:
    gone = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "default"},
        "status": {"phase": "Terminating"},
    }
    assert refusal(pod("a"), gone) == (
        "unable to create new content in namespace default because it is being terminated"
    )


def test_a_refused_pod_of_a_controller_is_an_event_and_is_tried_again() -> None:
    run = Run(
        node("n1"),
        quota({"pods": "1"}),
        workload("ReplicaSet", replicas=2),
        timeline(apply(quota({"pods": "5"}))),
    )
    ((about, message),) = run.events("FailedCreate")
    assert about == "ReplicaSet default/web"
    assert message.startswith('Error creating: pods "web-')
    assert message.endswith("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1")
    assert run.problems() == []
    assert len(run.tried) == 2


def test_an_unknown_priority_class_of_a_template_is_an_event() -> None:
    run = Run(node("n1"), workload("ReplicaSet", pod=pod_spec(priorityClassName="nope")))
    assert run.tried == []
    assert run.events("FailedCreate")[0][1].endswith(" is forbidden: no PriorityClass with name nope was found")


def test_a_class_that_is_not_in_the_text_is_taken_from_the_written_priority() -> None:
    assert Run(node("n1"), pod("a", priorityClassName="elsewhere", priority=7)).nodes() == {"a": "n1"}


def test_deleting_a_namespace_deletes_what_is_in_it() -> None:
    run = Run(node("n1"), workload("Deployment", replicas=2), pod("bare"), timeline(delete("Namespace", "default")))
    assert run.pods == []


def test_a_generated_name() -> None:
    unnamed = pod("")
    unnamed["metadata"] = {"generateName": "task-"}
    run = Run(node("n1"), unnamed, unnamed)
    assert len(set(run.tried)) == 2
    assert all(name.startswith("task-") for name in run.tried)
