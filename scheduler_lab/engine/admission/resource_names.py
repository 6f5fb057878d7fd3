"""The API's names of resources: what `kubectl` and quotas call a kind."""

from __future__ import annotations

from typing import Final

_GROUPS: Final = {
    "apps": ("ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"),
    "batch": ("CronJob", "Job"),
    "coordination.k8s.io": ("Lease",),
    "policy": ("PodDisruptionBudget",),
    "resource.k8s.io": ("DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"),
    "scheduling.k8s.io": ("PriorityClass", "Workload"),
    "storage.k8s.io": (
        "CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment", "VolumeAttributesClass",
    ),
}  # fmt: skip
_GROUP_OF: Final = {kind: group for group, kinds in _GROUPS.items() for kind in kinds}


def resource_of(kind: str) -> str:
    """The plural of a kind, with its API group where it has one: `pods`, `replicasets.apps`."""
    name = kind.lower()
    if name.endswith("y"):
        plural = f"{name[:-1]}ies"
    elif name.endswith("s"):
        plural = name if name == "endpoints" else f"{name}es"
    else:
        plural = f"{name}s"
    group = _GROUP_OF.get(kind)
    return f"{plural}.{group}" if group else plural
