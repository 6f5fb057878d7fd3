"""What owner references and reservations say about a ResourceClaim."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.resource import ResourceClaim, ResourceClaimStatus


def is_for_pod(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether the pod controls the claim, as it does with those made for it from a template."""
    return any(owner.controller and owner.uid == pod.metadata.uid for owner in claim.metadata.owner_references)


def is_reserved_for(claim: ResourceClaim, uid: str) -> bool:
    """Whether the pod with this UID has reserved the claim."""
    return any(consumer.uid == uid for consumer in claim.status.reserved_for)


def without_reservation(claim: ResourceClaim, uid: str) -> ResourceClaim:
    """The claim without that pod's reservation; the allocation stays."""
    left = [consumer for consumer in claim.status.reserved_for if consumer.uid != uid]
    return replace(claim, status=replace(claim.status, reserved_for=left))


def deallocated(claim: ResourceClaim) -> ResourceClaim:
    """The claim with its status cleared."""
    return replace(claim, status=ResourceClaimStatus())
