from typing import Any

import pytest

from scheduler_lab.engine.cluster.storage_drivers import EBS, MIGRATED_PLUGINS
from scheduler_lab.engine.cluster.volume_controller import VolumeController
from scheduler_lab.engine.configuration.types import UtilizationShapePoint, VolumeBindingArgs
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.plugins.volume_binding import VolumeBinding
from tests.engine.plugins.clusters import ZONE, World, zoned
from tests.engine.plugins.volumes import BOUND, claim, csi_node, obj, reachable, storage_class, user, volume

AFFINITY = "node(s) didn't match PersistentVolume's node affinity"
NOTHING = "node(s) didn't find available persistent volumes to bind"
STORAGE = "node(s) did not have enough free storage"
GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
LOCAL = storage_class(provisioner="kubernetes.io/no-provisioner")
SELECTED = "volume.kubernetes.io/selected-node"
Objects = tuple[dict[str, Any], ...]


def world(*objects: dict[str, Any], gates: Any = None, args: VolumeBindingArgs | None = None) -> World:
    nodes = [zoned("n1", "a"), zoned("n2", "b")]
    cluster = World(VolumeBinding, args or VolumeBindingArgs(), nodes, objects=objects, gates=gates)
    for node in nodes:
        cluster.handle.store.put(node)
    cluster.handle.store.subscribe(VolumeController(cluster.handle.store))
    return cluster


def ephemeral(name: str = "web") -> PodInfo:
    return user(name, volumes=[{"name": "tmp", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}])


def get(cluster: World, kind: str, name: str) -> Any:
    return cluster.handle.store.get(kind, "" if kind == "PersistentVolume" else "default", name)


@pytest.mark.parametrize(
    ("objects", "pod", "code", "message"),
    [
        ((), user("web"), "Skip", ""),
        ((), user("web", "data"), "UnschedulableAndUnresolvable", 'persistentvolumeclaim "data" not found'),
        (
            (),
            ephemeral(),
            "UnschedulableAndUnresolvable",
            'waiting for ephemeral volume controller to create the persistentvolumeclaim "web-tmp"',
        ),
        (
            (claim("web-tmp"),),
            ephemeral(),
            "UnschedulableAndUnresolvable",
            "PVC default/web-tmp was not created for pod default/web (pod is not owner)",
        ),
        (
            (claim("data", "pv", status={"phase": "Lost"}),),
            user("web", "data"),
            "UnschedulableAndUnresolvable",
            'persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"',
        ),
        (
            (claim("data", meta={"deletionTimestamp": "2030-01-01T00:00:00Z"}),),
            user("web", "data"),
            "UnschedulableAndUnresolvable",
            'persistentvolumeclaim "data" is being deleted',
        ),
        *(
            (
                objects,
                user("web", "data"),
                "UnschedulableAndUnresolvable",
                "pod has unbound immediate PersistentVolumeClaims",
            )
            for objects in (
                (claim("data"),),
                (claim("data", storageClassName=""),),
                (claim("data"), storage_class(volumeBindingMode="Immediate")),
                (claim("data", "pv", meta={"annotations": {}}), LOCAL),
            )
        ),
        (
            (claim("data"), storage_class(volumeBindingMode=None)),
            user("web", "data"),
            "Error",
            'VolumeBindingMode not set for StorageClass "wait"',
        ),
    ],
)
def test_pre_filter(objects: Objects, pod: PodInfo, code: str, message: str) -> None:
    cluster = world(*objects)
    status = cluster.pre_filter(pod)
    assert status is not None
    assert (status.code.value, status.message) == (code, message)
    assert cluster.plugin.explain_pre_filter(cluster.state, pod) is not None


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ((volume("pv", node="n2"),), AFFINITY),
        ((volume("pv", node="n1"),), ""),
        ((volume("pv"),), ""),
        ((), GONE),
        ((volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": []}}),), AFFINITY),
        ((volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}),), ""),
        ((volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "Exists"}]}]}}),), AFFINITY),
    ],
)  # fmt: skip
def test_bound_volumes(objects: Objects, reason: str) -> None:
    assert world(claim("data", "pv"), *objects).filter(user("web", "data"))["n1"] == reason


@pytest.mark.parametrize(
    ("more", "annotation", "reason"),
    [
        ({"nodeAffinity": reachable({"key": ZONE, "operator": "In", "values": ["a"]})}, "", ""),
        ({"nodeAffinity": reachable({"key": ZONE, "operator": "In", "values": ["a"]})}, EBS, AFFINITY),
        ({"meta": {"labels": {ZONE: "a"}}}, "", ""),
        ({"meta": {"labels": {ZONE: "a"}}}, EBS, AFFINITY),
    ],
)
def test_nodes_that_moved_to_csi_ask_for_the_drivers_own_zone_label(
    more: dict[str, Any], annotation: str, reason: str
) -> None:
    disk = volume("pv", awsElasticBlockStore={"volumeID": "vol-1"}, **more)
    node = csi_node("n1", annotations={MIGRATED_PLUGINS: annotation})
    assert world(claim("data", "pv"), disk, node).filter(user("web", "data"))["n1"] == reason


@pytest.mark.parametrize(
    ("wanted", "stock", "found"),
    [
        (claim("data"), volume("pv"), True),
        (claim("data"), volume("pv", node="n2"), False),
        (claim("data", size="2Gi"), volume("pv"), False),
        (claim("data"), volume("pv", storageClassName="other"), False),
        (claim("data"), volume("pv", status={"phase": "Bound"}), False),
        (claim("data"), volume("pv", volumeMode="Block"), False),
        (claim("data", volumeMode="Block"), volume("pv", volumeMode="Block"), True),
        (claim("data", volumeAttributesClassName="gold"), volume("pv"), False),
        (claim("data", accessModes=["ReadWriteMany"]), volume("pv"), False),
        (claim("data"), volume("pv", accessModes=["ReadWriteMany", "ReadWriteOnce"]), True),
        (claim("data", selector={"matchLabels": {"a": "b"}}), volume("pv"), False),
        (claim("data", selector={"matchLabels": {"a": "b"}}), volume("pv", meta={"labels": {"a": "b"}}), True),
        (claim("data"), volume("pv", meta={"deletionTimestamp": "2030-01-01T00:00:00Z"}), False),
        (claim("data"), volume("pv", claimRef={"namespace": "default", "name": "other"}), False),
        (claim("data"), volume("pv", claimRef={"namespace": "default", "name": "data", "uid": "old"}), False),
        (claim("data"), volume("pv", claimRef={"namespace": "default", "name": "data"}, status={}), True),
    ],
)
def test_free_volumes(wanted: dict[str, Any], stock: dict[str, Any], found: bool) -> None:
    cluster = world(LOCAL, wanted, stock)
    assert cluster.filter(user("web", "data"))["n1"] == ("" if found else NOTHING)
    evidence = cluster.plugin.explain_filter(cluster.state, user("web", "data"), cluster.node("n1"))
    assert bool(evidence.table.highlight) is not found
    assert evidence.rows[0].tone == ("ok" if found else "bad")


def test_the_smallest_volume_is_taken_and_only_once() -> None:
    stock = (volume("large", "9Gi"), volume("middle", "5Gi"), volume("small", "2Gi"))
    cluster = world(LOCAL, *stock, claim("big", size="3Gi"), claim("little"))
    pod = user("web", "big", "little")
    assert cluster.filter(pod)["n1"] == ""
    assert cluster.plugin.reserve(cluster.state, pod, "n1") is None
    assert cluster.plugin.pre_bind(cluster.state, pod, "n1") is None
    assert get(cluster, "PersistentVolumeClaim", "little").spec.volume_name == "small"
    assert get(cluster, "PersistentVolumeClaim", "big").spec.volume_name == "middle"


CAPACITY = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "CSIStorageCapacity",
    "metadata": {"name": "c", "namespace": "kube-system"},
    "storageClassName": "wait",
    "nodeTopology": {"matchLabels": {ZONE: "a"}},
}
DRIVER = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "CSIDriver",
    "metadata": {"name": "disk.lab.io"},
    "spec": {"storageCapacity": True},
}


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ((storage_class(),), ""),
        ((LOCAL,), NOTHING),
        ((storage_class(allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]),), ""),
        ((storage_class(allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}]),), NOTHING),
        ((storage_class(allowedTopologies=[{}]),), NOTHING),
        ((storage_class(), DRIVER), STORAGE),
        ((storage_class(), DRIVER, {**CAPACITY, "capacity": "1Gi"}), ""),
        ((storage_class(), DRIVER, {**CAPACITY, "capacity": "1023Mi"}), STORAGE),
        ((storage_class(), DRIVER, {**CAPACITY, "capacity": "9Gi", "maximumVolumeSize": "1Mi"}), STORAGE),
        ((storage_class(), DRIVER, {**CAPACITY, "capacity": "9Gi", "nodeTopology": None}), STORAGE),
        ((storage_class(), {**DRIVER, "spec": {}}), ""),
    ],
)
def test_provisioning(objects: Objects, reason: str) -> None:
    cluster = world(claim("data"), *objects)
    assert cluster.filter(user("web", "data"))["n1"] == reason
    evidence = cluster.plugin.explain_filter(cluster.state, user("web", "data"), cluster.node("n1"))
    assert evidence.rows[0].tone == ("bad" if reason else "ok")


def test_a_claim_sent_to_a_node_is_for_no_other() -> None:
    sent = claim("data", meta={"annotations": {SELECTED: "n2"}})
    assert world(storage_class(), sent).filter(user("web", "data")) == {"n1": NOTHING, "n2": ""}


def test_two_reasons() -> None:
    cluster = world(LOCAL, claim("new"), claim("old", "pv"), volume("pv", node="n2", storageClassName="x"))
    assert cluster.filter(user("web", "new", "old")) == {"n1": f"{AFFINITY}, {NOTHING}", "n2": NOTHING}


def test_reserved_volumes_are_taken_until_given_back() -> None:
    cluster = world(LOCAL, volume("pv"), claim("a"), claim("b"))
    first, second = user("first", "a"), user("second", "b")
    cluster.filter(first)
    cluster.plugin.reserve(cluster.state, first, "n1")
    other = CycleState()
    assert cluster.plugin.pre_filter(other, second, [])[1] is None
    assert cluster.plugin.filter(other, second, cluster.node("n1")).message == NOTHING
    assert get(cluster, "PersistentVolume", "pv").spec.claim_ref is None
    cluster.plugin.unreserve(cluster.state, first, "n1")
    other = CycleState()
    cluster.plugin.pre_filter(other, second, [])
    assert cluster.plugin.filter(other, second, cluster.node("n1")) is None


def test_profiles_do_not_see_each_others_reservations() -> None:
    cluster = world(LOCAL, volume("pv"), claim("a"), claim("b"))
    cluster.filter(user("first", "a"))
    cluster.plugin.reserve(cluster.state, user("first", "a"), "n1")
    other, state = VolumeBinding(VolumeBindingArgs(), cluster.handle), CycleState()
    other.pre_filter(state, user("second", "b"), [])
    assert other.filter(state, user("second", "b"), cluster.node("n1")) is None


def test_a_provisioned_volume_follows_the_drivers_topology() -> None:
    node = csi_node("n1", {"name": "disk.lab.io", "topologyKeys": [ZONE]})
    cluster = world(storage_class(), claim("data"), node)
    pod = user("web", "data")
    cluster.filter(pod)
    assert cluster.plugin.reserve(cluster.state, pod, "n1") is None
    assert cluster.plugin.pre_bind_pre_flight(cluster.state, pod, "n1") is None
    assert cluster.plugin.pre_bind(cluster.state, pod, "n1") is None
    made = get(cluster, "PersistentVolumeClaim", "data")
    assert (made.spec.volume_name, made.status.phase) == ("pvc-default-data", "Bound")
    assert made.metadata.annotations == {SELECTED: "n1", BOUND: "yes"}
    assert cluster.filter(pod) == {"n1": "", "n2": AFFINITY}
    cluster.plugin.reserve(cluster.state, pod, "n1")
    assert cluster.plugin.pre_bind_pre_flight(cluster.state, pod, "n1").code.value == "Skip"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("delete", 'persistentvolumes "pv" not found'),
        ("update", 'Operation cannot be fulfilled on persistentvolumes "pv": the object has been modified'),
        ("node", 'binding volumes: failed to get node "n1": node "n1" not found'),
        ("claim", 'binding volumes: failed to check binding: v1.PersistentVolumeClaim "default/data": not found'),
    ],
)
def test_binding_fails_when_things_change_meanwhile(change: str, message: str) -> None:
    cluster = world(LOCAL, volume("pv"), claim("data"))
    pod, store = user("web", "data"), cluster.handle.store
    cluster.filter(pod)
    cluster.plugin.reserve(cluster.state, pod, "n1")
    if change == "delete":
        store.delete("PersistentVolume", "", "pv")
    elif change == "update":
        store.put(obj(volume("pv", meta={"labels": {"a": "b"}})))
    elif change == "node":
        store.delete("Node", "", "n1")
    else:
        store.delete("PersistentVolumeClaim", "default", "data")
    status = cluster.plugin.pre_bind(cluster.state, pod, "n1")
    assert status.code.value == "Error"
    assert status.message.startswith(message)


def test_capacity_scoring() -> None:
    shape = [UtilizationShapePoint(utilization=0, score=10), UtilizationShapePoint(utilization=100, score=0)]
    objects = (storage_class(), DRIVER, claim("data"), {**CAPACITY, "capacity": "3Gi", "nodeTopology": {}})
    cluster = world(*objects, gates={"StorageCapacityScoring": True}, args=VolumeBindingArgs(shape=shape))
    pod = user("web", "data")
    cluster.filter(pod)
    assert cluster.plugin.pre_score(cluster.state, pod, []) is None
    assert cluster.plugin.score(cluster.state, pod, cluster.node("n1")) == 67
    assert cluster.plugin.explain_score(cluster.state, pod, cluster.node("n1")).rows[-1].amount == 67
    assert world().plugin.pre_score(CycleState(), pod, []).code.value == "Skip"


def test_hints() -> None:
    by_class, by_claim, by_volume, _, by_csi_node, by_driver, by_capacity = world().plugin.events_to_register()
    waiting = user("web", "data")
    plain, zonal = obj(storage_class()), obj(storage_class(allowedTopologies=[{}]))
    few, many = obj({**CAPACITY, "capacity": "1Gi"}), obj({**CAPACITY, "capacity": "2Gi"})
    moved = obj(csi_node("n1", annotations={MIGRATED_PLUGINS: EBS}))
    off = obj({**DRIVER, "spec": {}})
    assert by_volume.hint is None
    cases = [
        (by_class, None, plain, "Queue"),
        (by_class, plain, zonal, "Queue"),
        (by_class, plain, plain, "Skip"),
        (by_claim, None, obj(claim("data")), "Queue"),
        (by_claim, None, obj(claim("other")), "Skip"),
        (by_csi_node, None, moved, "Queue"),
        (by_csi_node, obj(csi_node("n1")), moved, "Queue"),
        (by_csi_node, moved, moved, "Skip"),
        (by_driver, obj(DRIVER), off, "Skip"),
        (by_capacity, None, few, "Queue"),
        (by_capacity, few, many, "Queue"),
        (by_capacity, many, few, "Skip"),
    ]
    for registration, old, new, answer in cases:
        assert registration.hint(waiting, old, new).value == answer
    inline = user("web", volumes=[{"name": "v", "csi": {"driver": "disk.lab.io"}}])
    assert by_driver.hint(inline, obj(DRIVER), off).value == "Queue"
