"""Which kinds are typed: apiVersion and kind → struct type, and whether the kind lives in a namespace."""

from typing import Final

from scheduler_lab.engine.objects import resource_v1beta1
from scheduler_lab.engine.objects.apps import (
    ControllerRevision,
    DaemonSet,
    Deployment,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from scheduler_lab.engine.objects.batch import CronJob, Job
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.config import (
    ConfigMap,
    Event,
    LimitRange,
    Namespace,
    ResourceQuota,
    Secret,
    ServiceAccount,
)
from scheduler_lab.engine.objects.coordination import Lease
from scheduler_lab.engine.objects.gang import PodGroup, VolcanoPodGroup, VolcanoQueue
from scheduler_lab.engine.objects.lab import Extender, Options, Permit, Timeline
from scheduler_lab.engine.objects.lab_plugin import Plugin
from scheduler_lab.engine.objects.lab_scheduler import Scheduler
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.pod import Binding, Pod, PodTemplate
from scheduler_lab.engine.objects.policy import PodDisruptionBudget
from scheduler_lab.engine.objects.resource import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from scheduler_lab.engine.objects.scheduling import PriorityClass, Workload
from scheduler_lab.engine.objects.services import Endpoints, Service
from scheduler_lab.engine.objects.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    StorageClass,
    VolumeAttachment,
    VolumeAttributesClass,
)

_TYPES: Final[tuple[type[KubeObject], ...]] = (
    Binding, ConfigMap, ControllerRevision, CronJob, CSIDriver, CSINode, CSIStorageCapacity, DaemonSet, Deployment,
    DeviceClass, DeviceTaintRule, Endpoints, Event, Extender, Job, Lease, LimitRange, Namespace, Node, Options, Permit,
    PersistentVolume, PersistentVolumeClaim, Plugin, Pod, PodDisruptionBudget, PodGroup, PodTemplate, PriorityClass,
    ReplicaSet, ReplicationController, ResourceClaim, ResourceClaimTemplate, ResourceQuota, ResourceSlice,
    Scheduler, Secret, Service, ServiceAccount, StatefulSet, StorageClass, Timeline, VolcanoPodGroup, VolcanoQueue,
    VolumeAttachment, VolumeAttributesClass, Workload,
)  # fmt: skip

_CLUSTER_SCOPED: Final = frozenset({
    "CSIDriver", "CSINode", "DeviceClass", "DeviceTaintRule", "Extender", "Namespace", "Node", "Options", "Permit",
    "PersistentVolume", "Plugin", "PriorityClass", "ResourceSlice", "Scheduler", "StorageClass", "Timeline",
    "VolumeAttachment", "VolumeAttributesClass", "KubeSchedulerConfiguration", "Queue",
})  # fmt: skip

CONFIGURATION_GROUP: Final = "kubescheduler.config.k8s.io"
CONFIGURATION_KIND: Final = "KubeSchedulerConfiguration"


def _default(kind: type[KubeObject], name: str) -> str:
    fields = kind.__struct_fields__
    return str(kind.__struct_defaults__[fields.index(name) - len(fields)])


TYPES: Final[dict[tuple[str, str], type[KubeObject]]] = {
    (_default(kind, "api_version"), _default(kind, "kind")): kind for kind in _TYPES
}
"""(apiVersion, kind) → the struct type that decodes such an object."""

STORED_RESOURCE_VERSION: Final = "resource.k8s.io/v1"

for _kind in ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"):
    # v1beta2 has the very fields of v1.
    TYPES["resource.k8s.io/v1beta2", _kind] = TYPES[STORED_RESOURCE_VERSION, _kind]
    TYPES["resource.k8s.io/v1beta1", _kind] = getattr(resource_v1beta1, _kind)


_ALIKE: Final = {("PodGroup", "scheduling.volcano.sh"): "PodGroup.scheduling.volcano.sh"}


def stored_kind(kind: str, api_version: str) -> str:
    """The name under which objects of a kind are kept: of two kinds named alike one gets its group appended."""
    return _ALIKE.get((kind, api_version.partition("/")[0]), kind)


def is_namespaced(kind: str) -> bool:
    """Whether objects of the kind live in a namespace (unknown kinds are taken to)."""
    return kind not in _CLUSTER_SCOPED


def versions_of(kind: str) -> list[str]:
    """The apiVersions under which a kind is typed."""
    return [api_version for api_version, name in TYPES if name == kind]


def kinds() -> list[str]:
    """The names of all typed kinds, sorted."""
    return sorted({kind for _, kind in TYPES})
