from typing import Any

import pytest

from scheduler_lab.engine.cluster.storage_drivers import MIGRATED_PLUGINS, PORTWORX
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.plugins.node_volume_limits import NodeVolumeLimits
from tests.engine.plugins.clusters import World, zoned
from tests.engine.plugins.volumes import claim, csi_node, limited, obj, storage_class, user, volume

FULL = "node(s) exceed max volume count"
DRIVER = "disk.lab.io"


def world(count: int, *pods: PodInfo, objects: tuple[dict[str, Any], ...] = (), gates: Any = None) -> World:
    names = ("a", "b", "c")
    stock = [claim(name, f"pv-{name}") for name in names] + [volume(f"pv-{name}") for name in names]
    node = [csi_node("n1", limited(DRIVER, count), limited("ebs.csi.aws.com", count))]
    return World(NodeVolumeLimits, None, [zoned("n1")], pods, objects=[*stock, *node, *objects], gates=gates)


def attachment(pv: str, node: str = "n1") -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": f"att-{pv}"},
        "spec": {"attacher": DRIVER, "nodeName": node, "source": {"persistentVolumeName": pv}},
    }


@pytest.mark.parametrize(
    ("count", "running", "wanted", "fits"),
    [
        (2, ["a"], ["b"], True),
        (1, ["a"], ["b"], False),
        (1, ["a"], ["a"], True),
        (1, [], ["a", "b"], False),
        (0, [], ["a"], False),
    ],
)
def test_counts_different_volumes(count: int, running: list[str], wanted: list[str], fits: bool) -> None:
    cluster = world(count, user("other", *running, on="n1"))
    assert cluster.filter(user("web", *wanted)) == {"n1": "" if fits else FULL}
    evidence = cluster.plugin.explain_filter(cluster.state, user("web", *wanted), cluster.node("n1"))
    assert evidence.rows[2].amount == len({*running, *wanted})
    assert evidence.rows[3].amount == count


@pytest.mark.parametrize(
    ("count", "attached", "fits"),
    [(2, ["pv-c"], False), (3, ["pv-c"], True), (2, ["pv-a"], True), (2, ["pv-b"], False), (2, ["pv-gone"], True)],
)
def test_attachments_count_too_those_of_the_new_volume_twice(count: int, attached: list[str], fits: bool) -> None:
    cluster = world(count, user("other", "a", on="n1"), objects=tuple(attachment(name) for name in attached))
    assert cluster.filter(user("web", "b")) == {"n1": "" if fits else FULL}


@pytest.mark.parametrize(
    ("provisioner", "fits"), [(DRIVER, False), ("other.lab.io", True), ("kubernetes.io/aws-ebs", False)]
)
def test_volumes_to_be_made_count_for_their_class(provisioner: str, fits: bool) -> None:
    cluster = world(1, objects=(storage_class(provisioner=provisioner), claim("x"), claim("y")))
    assert cluster.filter(user("web", "x", "y")) == {"n1": "" if fits else FULL}


@pytest.mark.parametrize(
    ("source", "fits"),
    [
        ({"awsElasticBlockStore": {"volumeID": "vol-1"}}, False),
        ({"awsElasticBlockStore": {"volumeID": "aws://zone-a/vol-2"}}, True),
        ({"portworxVolume": {"volumeID": "vol-1"}}, True),
    ],
)
def test_inline_disks_that_moved_to_csi(source: dict[str, Any], fits: bool) -> None:
    ebs = volume("pv-e", csi={"driver": "ebs.csi.aws.com", "volumeHandle": "vol-2"})
    running = user("other", "e", on="n1")
    cluster = world(1, running, objects=(claim("e", "pv-e"), ebs))
    assert cluster.filter(user("web", volumes=[{"name": "d", **source}])) == {"n1": "" if fits else FULL}


def test_portworx_counts_where_the_node_says_so() -> None:
    node = csi_node("n1", limited("pxd.portworx.com", 0), annotations={MIGRATED_PLUGINS: PORTWORX})
    pod = user("web", volumes=[{"name": "d", "portworxVolume": {"volumeID": "x"}}])
    assert world(0, objects=(node,)).filter(pod) == {"n1": FULL}


def test_an_unreadable_disk_is_an_error() -> None:
    cluster = world(1)
    pod = user("web", volumes=[{"name": "d", "awsElasticBlockStore": {"volumeID": "disk-1"}}])
    status = cluster.plugin.filter(cluster.state, pod, cluster.node("n1"))
    assert status.code.value == "Error"
    assert status.message.startswith("converting volume(d) from inline to csi: failed to translate")


def test_missing_and_foreign_claims() -> None:
    cluster = world(1, objects=(claim("web-tmp"),))
    status = cluster.plugin.filter(cluster.state, user("web", "gone"), cluster.node("n1"))
    assert status.message == 'looking up PVC default/gone: persistentvolumeclaim "gone" not found'
    assert status.code.value == "UnschedulableAndUnresolvable"
    pod = user("web", volumes=[{"name": "tmp", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}])
    status = cluster.plugin.filter(cluster.state, pod, cluster.node("n1"))
    assert status.code.value == "Error"
    assert status.message == "PVC default/web-tmp was not created for pod default/web (pod is not owner)"


@pytest.mark.parametrize(
    ("gate", "reason"), [(True, "new.lab.io CSI driver is not installed on the node"), (False, "")]
)
def test_a_known_driver_that_the_node_lacks(gate: bool, reason: str) -> None:
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "new.lab.io"}, "spec": {}}
    objects = (driver, storage_class(provisioner="new.lab.io"), claim("x"))
    cluster = world(1, objects=objects, gates={"VolumeLimitScaling": gate})
    assert cluster.filter(user("web", "x")) == {"n1": reason}


def test_pre_filter_skips_without_volumes_that_count() -> None:
    status = world(1).pre_filter(user("web", volumes=[{"name": "d", "configMap": {"name": "x"}}]))
    assert status is not None
    assert status.code.value == "Skip"


def test_hints() -> None:
    _, by_limit, by_pod, by_claim, by_attachment = (r.hint for r in world(1).plugin.events_to_register())
    waiting = user("web", "a")
    two, three = obj(csi_node("n1", limited(DRIVER, 2))), obj(csi_node("n1", limited(DRIVER, 3)))
    none = obj(csi_node("n1", {"name": DRIVER}))
    answers = [by_limit(waiting, *pair).value for pair in ((two, three), (three, two), (two, none), (none, two))]
    assert answers == ["Queue", "Skip", "Skip", "Queue"]
    assert by_pod(waiting, user("x", "b", on="n1"), None).value == "Queue"
    assert by_pod(waiting, user("x", "b"), None).value == "Skip"
    assert by_pod(waiting, user("x", on="n1"), None).value == "Skip"
    assert by_claim(waiting, None, obj(claim("a"))).value == "Queue"
    assert by_attachment(waiting, obj(attachment("pv-x")), None).value == "Queue"
    assert by_attachment(user("web"), obj(attachment("pv-x")), None).value == "Skip"
