"""PersistentVolumeClaim and the template of ephemeral volumes (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import KubeStruct, ResourceList
from scheduler_lab.engine.objects.meta import KubeObject, LabelSelector, ObjectMeta
from scheduler_lab.engine.objects.references import TypedLocalObjectReference, TypedObjectReference


class VolumeResourceRequirements(KubeStruct):
    limits: ResourceList = {}
    requests: ResourceList = {}


class PersistentVolumeClaimSpec(KubeStruct):
    access_modes: list[str] = []
    data_source: TypedLocalObjectReference | None = None
    data_source_ref: TypedObjectReference | None = None
    resources: VolumeResourceRequirements = field(default_factory=VolumeResourceRequirements)
    selector: LabelSelector | None = None
    storage_class_name: str | None = None
    volume_attributes_class_name: str | None = None
    volume_mode: str | None = None
    volume_name: str = ""


class PersistentVolumeClaimTemplate(KubeStruct):
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PersistentVolumeClaimSpec = field(default_factory=PersistentVolumeClaimSpec)


class PersistentVolumeClaimCondition(KubeStruct):
    last_probe_time: str | None = None
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class ModifyVolumeStatus(KubeStruct):
    status: str = ""
    target_volume_attributes_class_name: str = ""


class PersistentVolumeClaimStatus(KubeStruct):
    access_modes: list[str] = []
    allocated_resource_statuses: dict[str, str] = {}
    allocated_resources: ResourceList = {}
    capacity: ResourceList = {}
    conditions: list[PersistentVolumeClaimCondition] = []
    current_volume_attributes_class_name: str | None = None
    modify_volume_status: ModifyVolumeStatus | None = None
    phase: str = ""


class PersistentVolumeClaim(KubeObject):
    api_version: str = "v1"
    kind: str = "PersistentVolumeClaim"
    spec: PersistentVolumeClaimSpec = field(default_factory=PersistentVolumeClaimSpec)
    status: PersistentVolumeClaimStatus = field(default_factory=PersistentVolumeClaimStatus)
