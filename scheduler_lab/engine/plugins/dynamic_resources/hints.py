"""Which events may make a pod schedulable that DynamicResources rejected or holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.resource import ResourceClaim
from scheduler_lab.engine.plugins.dynamic_resources.claims import ClaimError, pod_claims

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store


def registrations(store: Store) -> list[Registration]:
    """The events in upstream's order."""

    def claim_changed(waiting: PodInfo, old: ResourceClaim | None, new: ResourceClaim | None) -> Hint:
        claims = _resolved(waiting.pod, store)
        if claims is None or new is None:
            return Hint.SKIP
        if old is not None and old.status.allocation is not None and new.status.allocation is None:
            return Hint.QUEUE
        if all(claim.metadata.uid != new.metadata.uid for claim in claims):
            return Hint.SKIP
        return Hint.QUEUE if old is None or old.status != new.status else Hint.SKIP

    def pod_changed(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
        if new is None or new.uid != waiting.uid:
            return Hint.SKIP
        return Hint.QUEUE if _resolved(new.pod, store) is not None else Hint.SKIP

    changed = Action.ADD | Action.UPDATE
    return [
        Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE),
        Registration(Resource.RESOURCE_CLAIM, changed, claim_changed),
        Registration(Resource.POD, Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM, pod_changed),
        Registration(Resource.DEVICE_CLASS, changed),
        Registration(Resource.RESOURCE_SLICE, changed),
    ]


def _resolved(pod: Pod, store: Store) -> list[ResourceClaim] | None:
    """The pod's claims, or None as long as one of them cannot be used."""
    try:
        return pod_claims(pod, store)
    except ClaimError:
        return None
