"""Which claims a pod's volumes use, and the texts about them that several plugins share."""

from __future__ import annotations

from typing import Final

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.evidence import Mark
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.runtime import quoted
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.volumes import Volume

CLAIM: Final = "PersistentVolumeClaim"
VOLUME: Final = "PersistentVolume"
CLASS: Final = "StorageClass"


def claim_name(pod: Pod, volume: Volume) -> str | None:
    """The claim a volume stands for, an ephemeral one's being called `<pod>-<volume>`; None for other volumes."""
    if volume.persistent_volume_claim is not None:
        return volume.persistent_volume_claim.claim_name
    return f"{pod.metadata.name}-{volume.name}" if volume.ephemeral is not None else None


def find_claim(store: Store, pod: PodInfo, name: str) -> PersistentVolumeClaim | None:
    """The claim of that name in the pod's namespace."""
    claim: PersistentVolumeClaim | None = store.get(CLAIM, pod.namespace, name)
    return claim


def claim_not_found(name: str) -> str:
    """The API's text for a missing claim."""
    return f"persistentvolumeclaim {quoted(name)} not found"


def controlled_by(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """Whether the pod is the claim's controller, as the claim of an ephemeral volume must have it."""
    return any(owner.controller and owner.uid == pod.metadata.uid for owner in claim.metadata.owner_references)


def not_owner(claim: PersistentVolumeClaim, pod: Pod) -> str:
    """The text for a claim with an ephemeral volume's name that belongs to somebody else."""
    meta = claim.metadata
    name = f"{meta.namespace}/{meta.name}"
    owner = f"{pod.metadata.namespace}/{pod.metadata.name}"
    return f"PVC {name} was not created for pod {owner} (pod is not owner)"


def uses_claim(pod: PodInfo, claim: PersistentVolumeClaim, *, ephemeral: bool) -> bool:
    """Whether one of the pod's volumes is the claim; `ephemeral` volumes are looked at too if asked for."""
    if claim.metadata.namespace != pod.namespace:
        return False
    return any(
        claim_name(pod.pod, volume) == claim.metadata.name
        for volume in pod.pod.spec.volumes
        if ephemeral or volume.persistent_volume_claim is not None
    )


def claim_mark(claim: PersistentVolumeClaim, path: str) -> Mark:
    """A field of a claim."""
    return Mark(CLAIM, claim.metadata.name, path, claim.metadata.namespace)


def volume_mark(name: str, path: str) -> Mark:
    """A field of a persistent volume."""
    return Mark(VOLUME, name, path)


def class_mark(name: str, path: str) -> Mark:
    """A field of a storage class."""
    return Mark(CLASS, name, path)


def pod_volume_marks(pod: PodInfo, claim: str) -> list[Mark]:
    """The pod's volumes that stand for a claim."""
    return [
        Mark("Pod", pod.pod.metadata.name, f"spec.volumes[{index}]", pod.namespace)
        for index, volume in enumerate(pod.pod.spec.volumes)
        if claim_name(pod.pod, volume) == claim
    ]
