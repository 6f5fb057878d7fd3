"""Storage classes, CSI objects and volume attachments (storage.k8s.io/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, Int64, KubeStruct, Quantity
from scheduler_lab.engine.objects.meta import KubeObject, LabelSelector
from scheduler_lab.engine.objects.persistent import PersistentVolumeSpec
from scheduler_lab.engine.objects.references import TopologySelectorTerm


class StorageClass(KubeObject):
    api_version: str = "storage.k8s.io/v1"
    kind: str = "StorageClass"
    allow_volume_expansion: bool | None = None
    allowed_topologies: list[TopologySelectorTerm] = []
    mount_options: list[str] = []
    parameters: dict[str, str] = {}
    provisioner: str = ""
    reclaim_policy: str | None = None
    volume_binding_mode: str | None = None


class VolumeNodeResources(KubeStruct):
    count: Int32 | None = None


class CSINodeDriver(KubeStruct):
    allocatable: VolumeNodeResources | None = None
    name: str = ""
    node_id: str = field(default="", name="nodeID")
    topology_keys: list[str] = []


class CSINodeSpec(KubeStruct):
    drivers: list[CSINodeDriver] = []


class CSINode(KubeObject):
    api_version: str = "storage.k8s.io/v1"
    kind: str = "CSINode"
    spec: CSINodeSpec = field(default_factory=CSINodeSpec)


class TokenRequest(KubeStruct):
    audience: str = ""
    expiration_seconds: Int64 | None = None


class CSIDriverSpec(KubeStruct):
    attach_required: bool | None = None
    fs_group_policy: str | None = None
    node_allocatable_update_period_seconds: Int64 | None = None
    pod_info_on_mount: bool | None = None
    requires_republish: bool | None = None
    se_linux_mount: bool | None = None
    service_account_token_in_secrets: bool | None = None
    storage_capacity: bool | None = None
    token_requests: list[TokenRequest] = []
    volume_lifecycle_modes: list[str] = []


class CSIDriver(KubeObject):
    api_version: str = "storage.k8s.io/v1"
    kind: str = "CSIDriver"
    spec: CSIDriverSpec = field(default_factory=CSIDriverSpec)


class CSIStorageCapacity(KubeObject):
    api_version: str = "storage.k8s.io/v1"
    kind: str = "CSIStorageCapacity"
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None
    node_topology: LabelSelector | None = None
    storage_class_name: str = ""


class VolumeAttachmentSource(KubeStruct):
    inline_volume_spec: PersistentVolumeSpec | None = None
    persistent_volume_name: str | None = None


class VolumeAttachmentSpec(KubeStruct):
    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = field(default_factory=VolumeAttachmentSource)


class VolumeError(KubeStruct):
    error_code: Int32 | None = None
    message: str = ""
    time: str | None = None


class VolumeAttachmentStatus(KubeStruct):
    attach_error: VolumeError | None = None
    attached: bool = False
    attachment_metadata: dict[str, str] = {}
    detach_error: VolumeError | None = None


class VolumeAttachment(KubeObject):
    api_version: str = "storage.k8s.io/v1"
    kind: str = "VolumeAttachment"
    spec: VolumeAttachmentSpec = field(default_factory=VolumeAttachmentSpec)
    status: VolumeAttachmentStatus = field(default_factory=VolumeAttachmentStatus)


class VolumeAttributesClass(KubeObject):
    api_version: str = "storage.k8s.io/v1"
    kind: str = "VolumeAttributesClass"
    driver_name: str = ""
    parameters: dict[str, str] = {}
