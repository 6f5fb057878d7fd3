"""What classes, annotations and references say about a claim and its volume (v1.35, storage helpers)."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.references import ObjectReference

BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
STORAGE = "storage"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
_NOTHING = Quantity.parse(0)


def claim_key(claim: PersistentVolumeClaim) -> str:
    """namespace/name"""
    return f"{claim.metadata.namespace}/{claim.metadata.name}"


def claim_class(claim: PersistentVolumeClaim) -> str:
    """The claim's class: the old annotation if present, else storageClassName; "" for none."""
    annotations = claim.metadata.annotations
    return annotations.get(BETA_CLASS, claim.spec.storage_class_name or "")


def volume_class(volume: PersistentVolume) -> str:
    """The volume's class: the old annotation if present, else storageClassName; "" for none."""
    annotations = volume.metadata.annotations
    return annotations.get(BETA_CLASS, volume.spec.storage_class_name)


def requested(claim: PersistentVolumeClaim) -> Quantity:
    """The storage that the claim asks for; nothing when it does not say."""
    return claim.spec.resources.requests.get(STORAGE, _NOTHING)


def capacity(volume: PersistentVolume) -> Quantity:
    """The volume's size; nothing when it does not say."""
    return volume.spec.capacity.get(STORAGE, _NOTHING)


def fully_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the volume controller has finished binding the claim; volumeName alone does not say so."""
    return bool(claim.spec.volume_name) and BIND_COMPLETED in claim.metadata.annotations


def reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume's claimRef is this claim: same namespace and name, and same UID where claimRef has one."""
    reference = volume.spec.claim_ref
    if reference is None:
        return False
    meta = claim.metadata
    return (reference.namespace, reference.name) == (meta.namespace, meta.name) and reference.uid in ("", meta.uid)


def with_claim_ref(volume: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    """The volume reserved for the claim, marked as bound by the system unless it was reserved for it before."""
    meta = claim.metadata
    reference = ObjectReference(
        api_version=claim.api_version, kind=claim.kind, namespace=meta.namespace, name=meta.name, uid=meta.uid
    )
    annotations = volume.metadata.annotations
    if not reserved_for(volume, claim):
        annotations = {**annotations, BOUND_BY_CONTROLLER: "yes"}
    return replace(
        volume,
        metadata=replace(volume.metadata, annotations=annotations),
        spec=replace(volume.spec, claim_ref=reference),
    )


def with_selected_node(claim: PersistentVolumeClaim, node: str) -> PersistentVolumeClaim:
    """The claim with the node on which its volume is to be made."""
    annotations = {**claim.metadata.annotations, SELECTED_NODE: node}
    return replace(claim, metadata=replace(claim.metadata, annotations=annotations))
