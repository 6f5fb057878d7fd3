"""Cluster events and what plugins register for them (kube-scheduler v1.35, `ClusterEvent`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, Flag, auto
from typing import Any


class Action(Flag):
    """What happened to an object. A general Update is the union of the specific ones."""

    ADD = auto()
    DELETE = auto()
    UPDATE_NODE_ALLOCATABLE = auto()
    UPDATE_NODE_LABEL = auto()
    UPDATE_NODE_TAINT = auto()
    UPDATE_NODE_CONDITION = auto()
    UPDATE_NODE_ANNOTATION = auto()
    UPDATE_NODE_DECLARED_FEATURE = auto()
    UPDATE_POD_LABEL = auto()
    UPDATE_POD_SCALE_DOWN = auto()
    UPDATE_POD_TOLERATION = auto()
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = auto()
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = auto()
    UPDATE_OTHER = auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_CONDITION
        | UPDATE_NODE_ANNOTATION
        | UPDATE_NODE_DECLARED_FEATURE
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_TOLERATION
        | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM
        | UPDATE_OTHER
    )
    ALL = ADD | DELETE | UPDATE


class Resource(Enum):
    """The kinds of object whose events plugins may register for; the value is upstream's name."""

    POD = "Pod"
    ASSIGNED_POD = "AssignedPod"
    UNSCHEDULABLE_POD = "UnschedulablePod"
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    RESOURCE_CLAIM = "resource.k8s.io/ResourceClaim"
    RESOURCE_SLICE = "resource.k8s.io/ResourceSlice"
    DEVICE_CLASS = "resource.k8s.io/DeviceClass"
    WORKLOAD = "scheduling.k8s.io/Workload"
    POD_GROUP = "podgroups.v1alpha1.scheduling.x-k8s.io"
    WILDCARD = "*"


@dataclass(frozen=True, slots=True)
class ClusterEvent:
    """One event as it happens, or a pattern in a registration."""

    resource: Resource
    action: Action
    label: str = ""


class Hint(Enum):
    """A queueing hint's answer."""

    QUEUE = "Queue"
    SKIP = "Skip"


HintFunction = Callable[[Any, Any, Any], Hint]
"""(waiting pod, old object or None, new object or None) → Queue or Skip; raising ValueError counts as Queue."""


@dataclass(frozen=True, slots=True)
class Registration:
    """An event a plugin wants its rejected pods to be retried on; without a hint always Queue."""

    resource: Resource
    action: Action
    hint: HintFunction | None = None
