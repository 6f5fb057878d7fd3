"""Bindings complete by themselves, wherever both sides exist; claims of immediate classes stay unbound."""

from typing import Any

import pytest

from scheduler_lab.engine.cluster.claims import fully_bound
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.cluster.volume_controller import VolumeController
from tests.engine.plugins.clusters import ZONE, zoned
from tests.engine.plugins.volumes import claim, csi_node, obj, storage_class, volume

SELECTED = {"annotations": {"volume.kubernetes.io/selected-node": "n1"}}
UNBOUND: dict[str, Any] = {"annotations": {}}


def store_of(*objects: dict[str, Any]) -> Store:
    store = Store()
    store.subscribe(VolumeController(store))
    store.put(zoned("n1", "a"))
    for each in objects:
        store.put(obj(each))
    return store


@pytest.mark.parametrize(
    ("wanted", "stock", "bound"),
    [
        (claim("data", "pv", meta=UNBOUND), volume("pv"), True),
        (claim("data", "pv", meta=UNBOUND), volume("other"), False),
        (claim("data", "pv", meta=UNBOUND), volume("pv", claimRef={"namespace": "default", "name": "x"}), False),
        (claim("data"), volume("pv", claimRef={"namespace": "default", "name": "data"}), True),
        (claim("data"), volume("pv", claimRef={"namespace": "default", "name": "data", "uid": "old"}), False),
        (claim("data"), volume("pv"), False),
    ],
)
@pytest.mark.parametrize("claim_first", [True, False])
def test_both_sides(wanted: dict[str, Any], stock: dict[str, Any], bound: bool, claim_first: bool) -> None:
    store = store_of(*((wanted, stock) if claim_first else (stock, wanted)))
    data = store.get("PersistentVolumeClaim", "default", "data")
    assert fully_bound(data) is bound
    if bound:
        pv = store.get("PersistentVolume", "", "pv")
        assert (data.spec.volume_name, data.status.phase) == ("pv", "Bound")
        assert (pv.spec.claim_ref.uid, pv.status.phase) == ("default/data", "Bound")


def test_a_selected_node_makes_a_volume_there() -> None:
    node = csi_node("n1", {"name": "disk.lab.io", "topologyKeys": [ZONE, "rack"]})
    store = store_of(storage_class(), node, claim("data", meta=SELECTED))
    made = store.get("PersistentVolume", "", "pvc-default-data")
    term = made.spec.node_affinity.required.node_selector_terms[0]
    assert [(r.key, r.values) for r in term.match_expressions] == [(ZONE, ["a"])]
    assert (made.spec.csi.driver, str(made.spec.capacity["storage"])) == ("disk.lab.io", "1Gi")
    assert fully_bound(store.get("PersistentVolumeClaim", "default", "data"))


@pytest.mark.parametrize("kind", [storage_class(provisioner="kubernetes.io/no-provisioner"), storage_class("other")])
def test_nothing_is_made_without_a_provisioner(kind: dict[str, Any]) -> None:
    store = store_of(kind, claim("data", meta=SELECTED))
    assert store.list("PersistentVolume") == []
