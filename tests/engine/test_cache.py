"""The scheduler's picture of the cluster: order of nodes, assumed pods, ghosts, images."""

from __future__ import annotations

import pytest

from scheduler_lab.engine.cluster.cache import Cache, zone_key
from tests.engine.plugins.builders import node, pod

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"


def cache(*zones: tuple[str, str]) -> Cache:
    """Nodes given as (name, zone)."""
    result = Cache()
    for name, zone in zones:
        result.set_node(node(name, {ZONE: zone} if zone else {}))
    return result


def order(found: Cache) -> list[str]:
    return [info.name for info in found.nodes]


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        ("a1:a a2:a b1:b c1:c a3:a", "a1 b1 c1 a2 a3"),
        ("n1: n2: n3:", "n1 n2 n3"),
        ("x: a1:a y: a2:a z:", "x a1 y a2 z"),
        ("b1:b a1:a b2:b b3:b a2:a", "b1 a1 b2 a2 b3"),
    ],
)
def test_zones_take_turns_in_order_of_appearance(zones: str, expected: str) -> None:
    pairs = [(name, zone) for name, _, zone in (entry.partition(":") for entry in zones.split())]
    assert order(cache(*pairs)) == expected.split()


def test_a_zone_that_empties_comes_back_last() -> None:
    found = cache(("a1", "a"), ("b1", "b"))
    found.remove_node("a1")
    found.set_node(node("a2", {ZONE: "a"}))
    assert order(found) == ["b1", "a2"]


def test_a_changed_zone_shows_when_the_next_node_joins() -> None:
    found = cache(("a1", "a"), ("a2", "a"), ("b1", "b"))
    assert order(found) == ["a1", "b1", "a2"]
    found.set_node(node("a1", {ZONE: "b"}))
    assert order(found) == ["a1", "b1", "a2"]
    found.set_node(node("c1", {ZONE: "c"}))
    assert order(found) == ["a2", "b1", "c1", "a1"]


def test_zone_key() -> None:
    assert zone_key(node("n", {})) == ""
    assert zone_key(node("n", {ZONE: "a"})) != zone_key(node("n", {REGION: "a"})) != ""
    assert zone_key(node("n", {ZONE: "a", OLD_ZONE: "b"})) == zone_key(node("n", {OLD_ZONE: "b"}))


def test_assumed_pods_count_until_removed() -> None:
    found = cache(("n1", ""))
    assumed = pod("web", {"cpu": "1"}, nodeName="n1")
    found.assume(assumed)
    [info] = found.nodes
    assert found.is_assumed(assumed.uid) and found.holds(assumed.uid)
    assert info.requested.milli_cpu == 1000
    found.add_pod(pod("web", {"cpu": "2"}, nodeName="n1"))
    assert not found.is_assumed(assumed.uid) and info.requested.milli_cpu == 2000
    found.remove_pod(assumed.uid)
    found.remove_pod(assumed.uid)
    assert not found.holds(assumed.uid) and info.requested.milli_cpu == 0 and not info.pods


def test_a_removed_node_stays_as_a_ghost_while_pods_are_left() -> None:
    found = cache(("n1", ""), ("n2", ""))
    found.add_pod(pod("web", {"cpu": "1"}, nodeName="n1"))
    found.remove_node("n1")
    assert order(found) == ["n2"] and found.get("n1") is None and found.holds("default/web")
    found.set_node(node("n1"))
    back = found.get("n1")
    assert back is not None and back.requested.milli_cpu == 1000
    found.remove_node("n1")
    found.remove_pod("default/web")
    assert order(found) == ["n2"]


def test_a_pod_may_arrive_before_its_node() -> None:
    found = cache()
    found.add_pod(pod("web", {"cpu": "1"}, nodeName="n1"))
    assert order(found) == [] and found.get("n1") is None
    found.set_node(node("n1"))
    assert [info.requested.milli_cpu for info in found.nodes] == [1000]


def test_nodes_with_affinity_pods() -> None:
    found = cache(("n1", ""), ("n2", ""))
    term = {"topologyKey": "zone", "labelSelector": {}}
    required = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    found.add_pod(pod("plain", nodeName="n1"))
    assert not found.nodes_with_affinity_pods
    found.add_pod(pod("picky", nodeName="n2", affinity=required))
    found.add_pod(pod("social", nodeName="n1", affinity={"podAffinity": {}}))
    assert [info.name for info in found.nodes_with_affinity_pods] == ["n1", "n2"]
    assert [info.name for info in found.nodes_with_required_anti_affinity_pods] == ["n2"]
    found.remove_pod("default/picky")
    assert not found.nodes_with_required_anti_affinity_pods


def test_claims_in_use() -> None:
    found = cache(("n1", ""))
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    for name in ("a", "b"):
        found.add_pod(pod(name, nodeName="n1", volumes=volumes))
    found.remove_pod("default/a")
    assert found.claim_in_use("default/data") and not found.claim_in_use("other/data")
    found.remove_pod("default/b")
    assert not found.claim_in_use("default/data")
