"""Opportunistic batching: when the runner-up of the last cycle is tried first."""

from __future__ import annotations

import json

import pytest

from scheduler_lab.engine import run_text

UNSPREAD = {"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultingType": "List"}}]}


def node(name: str, cpu: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"capacity": {"cpu": cpu}}}


def pod(name: str, cpu: str = "2", **more: object) -> dict[str, object]:
    container = {"name": name, "image": "web", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], **more}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def hints(
    pods: list[dict[str, object]],
    profile: dict[str, object] = UNSPREAD,
    gates: dict[str, bool] | None = None,
    **config: object,
) -> list[tuple[str, int]]:
    """(hint, nodes filtered) of every cycle."""
    documents: list[dict[str, object]] = [
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [profile],
            **config,
        },
        {"apiVersion": "lab/v1", "kind": "Options", "featureGates": gates or {}},
        node("n1", "2"),
        node("n2", "2"),
        node("n3", "3"),
        *pods,
    ]
    record = run_text("\n---\n".join(json.dumps(document) for document in documents))
    return [(cycle.node_hint, len(cycle.filter)) for cycle in record.cycles]


def test_equal_pods_take_the_ranking_one_by_one() -> None:
    assert hints([pod("a"), pod("b"), pod("c")]) == [("", 3), ("n1", 1), ("n2", 1)]


def test_the_default_profile_signs_no_pod() -> None:
    assert hints([pod("a"), pod("b")], {}) == [("", 3), ("", 3)]


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (pod("b", "1"), "another request"),
        (pod("b", tolerations=[{"key": "x", "operator": "Exists"}]), "another toleration"),
        (pod("b", resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]), "devices"),
    ],
)
def test_another_kind_of_pod_starts_over(second: dict[str, object], why: str) -> None:
    assert [hint for hint, _ in hints([pod("a"), second])][1:] in ([""], []), why


def test_a_node_that_still_has_room_gives_no_hint() -> None:
    assert hints([pod("a", "1"), pod("b", "1")]) == [("", 3), ("", 3)]


def test_a_pod_in_between_breaks_the_batch() -> None:
    between = pod("between", "9")
    assert [hint for hint, _ in hints([pod("a"), between, pod("b")])] == ["", "", ""]


def test_what_scheduling_does_not_look_at_does_not_count() -> None:
    named = pod("b", terminationGracePeriodSeconds=5, volumes=[{"name": "v", "configMap": {"name": "settings"}}])
    assert hints([pod("a"), named])[1] == ("n1", 1)


def test_the_gate_and_extenders_switch_it_off() -> None:
    assert hints([pod("a"), pod("b")], gates={"OpportunisticBatching": False})[1] == ("", 3)
    extender = {"urlPrefix": "http://lab-extender-x", "filterVerb": "filter", "managedResources": [{"name": "a.b/c"}]}
    assert hints([pod("a"), pod("b")], extenders=[extender])[1] == ("", 3)
