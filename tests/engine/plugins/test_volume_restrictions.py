from typing import Any

import pytest

from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.plugins.volume_restrictions import VolumeRestrictions
from tests.engine.plugins.clusters import World, zoned
from tests.engine.plugins.volumes import claim, obj, user

DISK = "node(s) had no available disk"
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
ALONE = {"accessModes": ["ReadWriteOncePod"]}


def inline(**source: Any) -> PodInfo:
    return user("web", volumes=[{"name": "d", **source}])


def gce(**more: Any) -> dict[str, Any]:
    return {"gcePersistentDisk": {"pdName": "maps", **more}}


def rbd(*monitors: str, image: str = "a", **more: Any) -> dict[str, Any]:
    return {"rbd": {"monitors": list(monitors), "image": image, **more}}


def world(*pods: PodInfo, claims: tuple[dict[str, Any], ...] = ()) -> World:
    return World(VolumeRestrictions, None, [zoned("n1"), zoned("n2")], pods, objects=claims)


@pytest.mark.parametrize(
    ("wanted", "used", "conflict"),
    [
        (gce(), gce(partition=2), True),
        (gce(readOnly=True), gce(readOnly=True), False),
        (gce(readOnly=True), gce(), True),
        (gce(), {"gcePersistentDisk": {"pdName": "other"}}, False),
        (
            {"awsElasticBlockStore": {"volumeID": "v", "readOnly": True}},
            {"awsElasticBlockStore": {"volumeID": "v", "readOnly": True}},
            True,
        ),
        ({"iscsi": {"iqn": "q", "lun": 1}}, {"iscsi": {"iqn": "q", "lun": 2}}, True),
        (rbd("m1", "m2"), rbd("m2"), True),
        (rbd("m1"), rbd("m2"), False),
        (rbd("m1"), rbd("m1", pool="rbd"), True),
        (rbd("m1"), rbd("m1", pool="kube"), False),
        ({"emptyDir": {}}, gce(), None),
    ],
)
def test_disks(wanted: dict[str, Any], used: dict[str, Any], conflict: bool | None) -> None:
    holder = user("holder", on="n1", volumes=[{"name": "d", **used}])
    cluster = world(holder)
    status = cluster.pre_filter(inline(**wanted))
    if conflict is None:
        assert status is not None
        assert status.code.value == "Skip"
        return
    assert status is None
    assert cluster.refilter(inline(**wanted)) == {"n1": DISK if conflict else "", "n2": ""}


def test_a_missing_claim_is_reported_here() -> None:
    status = world(claims=(claim("data", meta={"namespace": "other"}),)).pre_filter(user("web", "data"))
    assert status is not None
    assert (status.code.value, status.message) == (
        "UnschedulableAndUnresolvable",
        'persistentvolumeclaim "data" not found',
    )


def test_a_claim_for_one_pod_rejects_every_node_until_its_user_is_gone() -> None:
    holder = user("holder", "data", on="n1")
    cluster = world(holder, claims=(claim("data", **ALONE),))
    waiting = user("web", "data")
    assert cluster.filter(waiting) == {"n1": IN_USE, "n2": IN_USE}
    copy = cluster.state.clone()
    cluster.plugin.remove_pod(cluster.state, waiting, holder, cluster.node("n1"))
    assert cluster.refilter(waiting) == {"n1": "", "n2": ""}
    assert cluster.plugin.filter(copy, waiting, cluster.node("n1")).message == IN_USE
    evidence = cluster.plugin.explain_filter(copy, waiting, cluster.node("n2"))
    assert evidence.table.rows == [["data", "default/holder", "n1"]]


def test_dry_runs_ignore_the_namespace() -> None:
    holder, stranger = user("holder", "data", on="n1"), user("stranger", "data", on="n1", namespace="other")
    cluster = world(holder, stranger, claims=(claim("data", **ALONE),))
    waiting = user("web", "data")
    cluster.filter(waiting)
    cluster.plugin.remove_pod(cluster.state, waiting, stranger, cluster.node("n1"))
    assert cluster.refilter(waiting)["n1"] == ""
    cluster.plugin.add_pod(cluster.state, waiting, stranger, cluster.node("n1"))
    assert cluster.refilter(waiting)["n1"] == IN_USE


@pytest.mark.parametrize(
    ("gone", "answer"),
    [
        (user("other", "data", on="n1"), "Queue"),
        (user("other", "logs", on="n1"), "Skip"),
        (user("other", "data", on="n1", namespace="b"), "Skip"),
    ],
)
def test_pod_hint(gone: PodInfo, answer: str) -> None:
    assert world().hint(0, user("web", "data"), gone, None) == answer


def test_claim_hint() -> None:
    hint = world().plugin.events_to_register()[2].hint
    assert hint(user("web", "data"), None, obj(claim("data"))).value == "Queue"
    assert hint(user("web", "data"), None, obj(claim("logs"))).value == "Skip"
