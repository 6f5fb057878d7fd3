"""The volume controller's part: completing bindings and making the volumes that were asked for.

A simplification of kube-controller-manager's persistent volume controller and an external provisioner, both without
delay: a claim with a volumeName or a volume with a claimRef is bound to the other side as soon as both exist, and a
claim with a selected node gets a new volume there. Claims of immediate classes that name no volume stay unbound.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scheduler_lab.engine.cluster.claims import (
    BIND_COMPLETED,
    NO_PROVISIONER,
    SELECTED_NODE,
    STORAGE,
    claim_class,
    fully_bound,
    requested,
    reserved_for,
    with_claim_ref,
)
from scheduler_lab.engine.cluster.storage_drivers import csi_driver
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.meta import ObjectMeta
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.persistent import (
    CSIPersistentVolumeSource,
    PersistentVolume,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    VolumeNodeAffinity,
)
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.objects.storage import CSINode, StorageClass

BOUND = "Bound"


class VolumeController:
    """Listens to the store; subscribe it after the scheduler, so that the scheduler hears of a change first."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __call__(self, kind: str, old: Any, new: Any) -> None:
        """A change in the store."""
        if isinstance(new, PersistentVolumeClaim):
            self._claim_changed(new)
        elif isinstance(new, PersistentVolume):
            self._volume_changed(new)

    def _claim_changed(self, claim: PersistentVolumeClaim) -> None:
        if fully_bound(claim):
            return
        volume = self._volume_for(claim)
        if volume is not None:
            self._bind(claim, volume)
        elif not claim.spec.volume_name and SELECTED_NODE in claim.metadata.annotations:
            self._provision(claim, claim.metadata.annotations[SELECTED_NODE])

    def _volume_for(self, claim: PersistentVolumeClaim) -> PersistentVolume | None:
        """The volume that the claim names, if no other claim has it, or the one reserved for the claim."""
        name = claim.spec.volume_name
        if name:
            volume: PersistentVolume | None = self._store.get("PersistentVolume", "", name)
            free = volume is not None and (volume.spec.claim_ref is None or reserved_for(volume, claim))
            return volume if free else None
        return next((v for v in self._store.list("PersistentVolume") if reserved_for(v, claim)), None)

    def _volume_changed(self, volume: PersistentVolume) -> None:
        reference = volume.spec.claim_ref
        if reference is not None:
            claim: PersistentVolumeClaim | None = self._store.get(
                "PersistentVolumeClaim", reference.namespace, reference.name
            )
            fits = claim is not None and reserved_for(volume, claim) and not fully_bound(claim)
            if claim is not None and fits and claim.spec.volume_name in ("", volume.metadata.name):
                self._bind(claim, volume)
            return
        for claim in self._store.list("PersistentVolumeClaim"):
            if claim.spec.volume_name == volume.metadata.name and not fully_bound(claim):
                self._bind(claim, volume)
                return

    def _bind(self, claim: PersistentVolumeClaim, volume: PersistentVolume) -> None:
        """Complete both sides; the claim's side comes first, so that the volume's update finds nothing left to do."""
        annotations = {**claim.metadata.annotations, BIND_COMPLETED: "yes"}
        self._store.put(
            replace(
                claim,
                metadata=replace(claim.metadata, annotations=annotations),
                spec=replace(claim.spec, volume_name=volume.metadata.name),
                status=replace(
                    claim.status,
                    phase=BOUND,
                    access_modes=volume.spec.access_modes,
                    capacity=volume.spec.capacity,
                ),
            )
        )
        self._store.put(replace(with_claim_ref(volume, claim), status=replace(volume.status, phase=BOUND)))

    def _provision(self, claim: PersistentVolumeClaim, node_name: str) -> None:
        storage_class: StorageClass | None = self._store.get("StorageClass", "", claim_class(claim))
        node: Node | None = self._store.get("Node", "", node_name)
        if node is None or storage_class is None or storage_class.provisioner in ("", NO_PROVISIONER):
            return
        meta = claim.metadata
        name = f"pvc-{meta.namespace}-{meta.name}"
        driver = csi_driver(storage_class.provisioner)
        spec = PersistentVolumeSpec(
            access_modes=claim.spec.access_modes,
            capacity={STORAGE: requested(claim)},
            csi=CSIPersistentVolumeSource(driver=driver, volume_handle=name),
            node_affinity=self._reach(node, driver),
            persistent_volume_reclaim_policy=storage_class.reclaim_policy or "Delete",
            storage_class_name=storage_class.metadata.name,
            volume_attributes_class_name=claim.spec.volume_attributes_class_name,
            volume_mode=claim.spec.volume_mode,
        )
        volume = PersistentVolume(
            metadata=ObjectMeta(name=name, uid=name), spec=spec, status=PersistentVolumeStatus(phase=BOUND)
        )
        self._store.put(with_claim_ref(volume, claim))

    def _reach(self, node: Node, driver: str) -> VolumeNodeAffinity | None:
        """Where a volume made for the node can be used: the node's values of the driver's topology keys."""
        csi_node: CSINode | None = self._store.get("CSINode", "", node.metadata.name)
        drivers = csi_node.spec.drivers if csi_node is not None else []
        keys = [key for entry in drivers if entry.name == driver for key in entry.topology_keys]
        labels = node.metadata.labels
        expressions = [
            NodeSelectorRequirement(key=key, operator="In", values=[labels[key]]) for key in keys if key in labels
        ]
        if not expressions:
            return None
        terms = [NodeSelectorTerm(match_expressions=expressions)]
        return VolumeNodeAffinity(required=NodeSelector(node_selector_terms=terms))
