"""What the plugin writes to the API server: allocations, reservations, and taking them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from scheduler_lab.engine.cluster.device_claims import deallocated, is_reserved_for, without_reservation
from scheduler_lab.engine.objects.meta import ObjectMeta
from scheduler_lab.engine.objects.pod import Pod, PodExtendedResourceClaimStatus
from scheduler_lab.engine.objects.resource import (
    AllocationResult,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceClaimStatus,
)
from scheduler_lab.engine.plugins.dynamic_resources.state import NodeAllocation

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store

FINALIZER = "resource.kubernetes.io/delete-protection"


class WriteRefused(Exception):
    """The claim is not as the scheduler believed."""


def reserve_for(claim: ResourceClaim, allocation: AllocationResult | None, pod: Pod, store: Store) -> ResourceClaim:
    """Write the allocation, if there is one, and the pod's reservation; the stored claim.

    Two updates, as upstream makes them: the finalizer, then the status. Raises WriteRefused if the claim has gone or
    was allocated by somebody else.
    """
    current: ResourceClaim | None = store.get("ResourceClaim", claim.metadata.namespace, claim.metadata.name)
    if current is None or current.metadata.uid != claim.metadata.uid:
        name = claim.metadata.name
        raise WriteRefused(f'add reservation to claim {claim.key}: resourceclaims.resource.k8s.io "{name}" not found')
    if current.metadata.deletion_timestamp:
        raise WriteRefused(f"claim {claim.key} got deleted in the meantime")
    status = current.status
    if allocation is not None:
        if status.allocation is not None:
            raise WriteRefused(f"claim {claim.key} got allocated elsewhere in the meantime")
        if FINALIZER not in current.metadata.finalizers:
            finalizers = [*current.metadata.finalizers, FINALIZER]
            current = replace(current, metadata=replace(current.metadata, finalizers=finalizers))
            store.put(current)
        status = replace(status, allocation=allocation)
    consumer = ResourceClaimConsumerReference(resource="pods", name=pod.metadata.name, uid=pod.metadata.uid)
    current = replace(current, status=replace(status, reserved_for=[*status.reserved_for, consumer]))
    store.put(current)
    return current


def drop_reservation(claim: ResourceClaim, uid: str, store: Store) -> None:
    """Take the pod with this UID out of the claim's reservedFor; the allocation stays."""
    current: ResourceClaim | None = store.get("ResourceClaim", claim.metadata.namespace, claim.metadata.name)
    if current is None:
        return
    if is_reserved_for(current, uid):
        store.put(without_reservation(current, uid))


def deallocate(claim: ResourceClaim, store: Store) -> None:
    """Clear the claim's status."""
    current: ResourceClaim | None = store.get("ResourceClaim", claim.metadata.namespace, claim.metadata.name)
    if current is not None:
        store.put(deallocated(current))


def create_extended(claim: ResourceClaim, store: Store) -> ResourceClaim:
    """Write a claim for extended resources that existed in memory only; the stored claim, not allocated yet."""
    meta: ObjectMeta = claim.metadata
    number = 0
    while store.get("ResourceClaim", meta.namespace, f"{meta.generate_name}{number}") is not None:
        number += 1
    name = f"{meta.generate_name}{number}"
    created = replace(
        claim,
        metadata=replace(meta, name=name, uid=f"{meta.namespace}/{name}"),
        status=ResourceClaimStatus(),
    )
    store.put(created)
    return created


def note_extended(pod: Pod, claim: ResourceClaim, allocation: NodeAllocation, store: Store) -> None:
    """Tell in the pod's status which claim serves its extended resources."""
    current: Pod | None = store.get("Pod", pod.metadata.namespace, pod.metadata.name)
    if current is None:
        return
    noted = PodExtendedResourceClaimStatus(
        resource_claim_name=claim.metadata.name, request_mappings=allocation.mappings
    )
    store.put(replace(current, status=replace(current.status, extended_resource_claim_status=noted)))
