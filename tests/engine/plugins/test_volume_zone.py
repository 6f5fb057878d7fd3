from typing import Any

import pytest

from scheduler_lab.engine.plugins.volume_zone import VolumeZone
from tests.engine.plugins.clusters import ZONE, World, zoned
from tests.engine.plugins.volumes import claim, obj, storage_class, user, volume

BETA = "failure-domain.beta.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
NO_ZONE = "node(s) had no available volume zone"


def world(labels: dict[str, str], *nodes: Any) -> World:
    objects = [claim("data", "pv"), volume("pv", meta={"labels": labels})]
    return World(VolumeZone, None, nodes or [zoned("n1", "a")], objects=objects)


@pytest.mark.parametrize(
    ("labels", "node", "passes"),
    [
        ({ZONE: "a"}, zoned("n", "a"), True),
        ({ZONE: "a"}, zoned("n", "b"), False),
        ({ZONE: "a"}, zoned("n"), True),
        ({ZONE: "a"}, zoned("n", **{REGION: "r"}), False),
        ({ZONE: "a__ b"}, zoned("n", "b"), True),
        ({ZONE: "a__b"}, zoned("n", "a__b"), False),
        ({BETA: "a"}, zoned("n", "a"), True),
        ({ZONE: "a"}, zoned("n", **{BETA: "a"}), False),
        ({ZONE: "a", REGION: "r"}, zoned("n", "a"), False),
    ],
)
def test_labels(labels: dict[str, str], node: Any, passes: bool) -> None:
    cluster = world(labels, node)
    assert cluster.filter(user("web", "data")) == {"n": "" if passes else NO_ZONE}
    evidence = cluster.plugin.explain_filter(cluster.state, user("web", "data"), cluster.node("n"))
    assert evidence is not None
    assert (evidence.table is not None and bool(evidence.table.highlight)) is not passes


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([], 'persistentvolumeclaim "data" not found'),
        ([claim("data", "pv")], 'persistentvolume "pv" not found'),
        ([claim("data", storageClassName="")], "PersistentVolumeClaim had no pv name and storageClass name"),
        ([claim("data")], 'storageclass.storage.k8s.io "wait" not found'),
        ([claim("data"), storage_class(volumeBindingMode="Immediate")], "PersistentVolume had no name"),
        ([claim("data"), storage_class()], ""),
        ([claim("data", "pv"), volume("pv", meta={"labels": {ZONE: "a__"}})], ""),
    ],
)
def test_pre_filter(objects: list[dict[str, Any]], message: str) -> None:
    status = World(VolumeZone, None, [zoned("n")], objects=objects).pre_filter(user("web", "data"))
    assert status is not None
    assert status.message == message
    assert status.code.value == ("UnschedulableAndUnresolvable" if message else "Skip")


def test_hints() -> None:
    by_class, _, by_claim, by_volume = (r.hint for r in world({}).plugin.events_to_register())
    waiting = user("web", "data")
    assert by_class(waiting, None, obj(storage_class())).value == "Queue"
    assert by_class(waiting, None, obj(storage_class(volumeBindingMode="Immediate"))).value == "Skip"
    assert by_claim(waiting, None, obj(claim("data"))).value == "Queue"
    assert by_claim(waiting, None, obj(claim("other"))).value == "Skip"
    old, new = obj(volume("pv")), obj(volume("pv", meta={"labels": {ZONE: "a"}}))
    assert by_volume(waiting, None, old).value == "Queue"
    assert by_volume(waiting, old, new).value == "Queue"
    assert by_volume(waiting, new, new).value == "Skip"
