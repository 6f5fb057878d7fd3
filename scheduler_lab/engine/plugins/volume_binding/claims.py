"""Sorting a pod's claims: bound, waiting for their first consumer, or not to be waited for."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_lab.engine.cluster.claims import WAIT_FOR_FIRST_CONSUMER, claim_class, fully_bound, volume_class
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.runtime import quoted
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.storage import StorageClass
from scheduler_lab.engine.plugins.pod_claims import (
    CLASS,
    claim_name,
    claim_not_found,
    controlled_by,
    find_claim,
    not_owner,
)
from scheduler_lab.engine.plugins.volume_binding.assumed import AssumedObjects

LOST = "Lost"


class BindingError(Exception):
    """The plugin cannot judge; the cycle ends with this text."""


@dataclass(slots=True)
class PodClaims:
    """The claims of one pod, and the volumes that those waiting could get, by class."""

    bound: list[PersistentVolumeClaim] = field(default_factory=list)
    delayed: list[PersistentVolumeClaim] = field(default_factory=list)
    immediate: list[PersistentVolumeClaim] = field(default_factory=list)
    volumes: dict[str, list[PersistentVolume]] = field(default_factory=dict)


def unusable_claim(store: Store, pod: PodInfo) -> tuple[bool, str, str]:
    """(whether the pod has claims, why the first unusable one is, its name); "" when all can be used."""
    has_claims = False
    for volume in pod.pod.spec.volumes:
        name = claim_name(pod.pod, volume)
        if name is None:
            continue
        has_claims = True
        ephemeral = volume.ephemeral is not None and volume.persistent_volume_claim is None
        claim = find_claim(store, pod, name)
        problem = _missing(name, ephemeral) if claim is None else _problem(claim, pod, ephemeral)
        if problem:
            return True, problem, name
    return has_claims, "", ""


def _missing(name: str, ephemeral: bool) -> str:
    if ephemeral:
        return f"waiting for ephemeral volume controller to create the persistentvolumeclaim {quoted(name)}"
    return claim_not_found(name)


def _problem(claim: PersistentVolumeClaim, pod: PodInfo, ephemeral: bool) -> str:
    name = quoted(claim.metadata.name)
    if claim.status.phase == LOST:
        volume = quoted(claim.spec.volume_name)
        return f"persistentvolumeclaim {name} bound to non-existent persistentvolume {volume}"
    if claim.metadata.deletion_timestamp is not None:
        return f"persistentvolumeclaim {name} is being deleted"
    if ephemeral and not controlled_by(claim, pod.pod):
        return not_owner(claim, pod.pod)
    return ""


def sort_claims(store: Store, claims: AssumedObjects, volumes: AssumedObjects, pod: PodInfo) -> PodClaims:
    """The pod's claims by what can be done with them. Raises BindingError for a class without a binding mode."""
    found = PodClaims()
    for volume in pod.pod.spec.volumes:
        name = claim_name(pod.pod, volume)
        claim: PersistentVolumeClaim | None = claims.get(pod.namespace, name) if name is not None else None
        if claim is None:
            continue
        if fully_bound(claim):
            found.bound.append(claim)
        elif waits_for_consumer(store, claim) and not claim.spec.volume_name:
            found.delayed.append(claim)
        else:
            found.immediate.append(claim)
    if found.delayed:
        wanted = {claim_class(claim) for claim in found.delayed}
        found.volumes = {name: [] for name in wanted}
        for candidate in volumes.list():
            name = volume_class(candidate)
            if name in wanted:
                found.volumes[name].append(candidate)
    return found


def waits_for_consumer(store: Store, claim: PersistentVolumeClaim) -> bool:
    """Whether the claim's class binds volumes when a pod is scheduled. Raises BindingError for a class without mode."""
    name = claim_class(claim)
    storage_class: StorageClass | None = store.get(CLASS, "", name) if name else None
    if storage_class is None:
        return False
    if storage_class.volume_binding_mode is None:
        raise BindingError(f"VolumeBindingMode not set for StorageClass {quoted(name)}")
    return storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
