"""PersistentVolume (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, KubeStruct, ResourceList
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.references import NodeSelector, ObjectReference, SecretReference
from scheduler_lab.engine.objects.volumes import (
    AWSElasticBlockStoreVolumeSource,
    AzureDiskVolumeSource,
    FCVolumeSource,
    FlockerVolumeSource,
    GCEPersistentDiskVolumeSource,
    HostPathVolumeSource,
    NFSVolumeSource,
    PhotonPersistentDiskVolumeSource,
    PortworxVolumeSource,
    QuobyteVolumeSource,
    VsphereVirtualDiskVolumeSource,
)


class AzureFilePersistentVolumeSource(KubeStruct):
    read_only: bool = False
    secret_name: str = ""
    secret_namespace: str | None = None
    share_name: str = ""


class CephFSPersistentVolumeSource(KubeStruct):
    monitors: list[str] = []
    path: str = ""
    read_only: bool = False
    secret_file: str = ""
    secret_ref: SecretReference | None = None
    user: str = ""


class CinderPersistentVolumeSource(KubeStruct):
    fs_type: str = ""
    read_only: bool = False
    secret_ref: SecretReference | None = None
    volume_id: str = field(default="", name="volumeID")


class CSIPersistentVolumeSource(KubeStruct):
    controller_expand_secret_ref: SecretReference | None = None
    controller_publish_secret_ref: SecretReference | None = None
    driver: str = ""
    fs_type: str = ""
    node_expand_secret_ref: SecretReference | None = None
    node_publish_secret_ref: SecretReference | None = None
    node_stage_secret_ref: SecretReference | None = None
    read_only: bool = False
    volume_attributes: dict[str, str] = {}
    volume_handle: str = ""


class FlexPersistentVolumeSource(KubeStruct):
    driver: str = ""
    fs_type: str = ""
    options: dict[str, str] = {}
    read_only: bool = False
    secret_ref: SecretReference | None = None


class GlusterfsPersistentVolumeSource(KubeStruct):
    endpoints: str = ""
    endpoints_namespace: str | None = None
    path: str = ""
    read_only: bool = False


class ISCSIPersistentVolumeSource(KubeStruct):
    chap_auth_discovery: bool = False
    chap_auth_session: bool = False
    fs_type: str = ""
    initiator_name: str | None = None
    iqn: str = ""
    iscsi_interface: str = ""
    lun: Int32 | None = None
    portals: list[str] = []
    read_only: bool = False
    secret_ref: SecretReference | None = None
    target_portal: str = ""


class LocalVolumeSource(KubeStruct):
    fs_type: str | None = None
    path: str = ""


class VolumeNodeAffinity(KubeStruct):
    required: NodeSelector | None = None


class RBDPersistentVolumeSource(KubeStruct):
    fs_type: str = ""
    image: str = ""
    keyring: str = ""
    monitors: list[str] = []
    pool: str = ""
    read_only: bool = False
    secret_ref: SecretReference | None = None
    user: str = ""


class ScaleIOPersistentVolumeSource(KubeStruct):
    fs_type: str = ""
    gateway: str = ""
    protection_domain: str = ""
    read_only: bool = False
    secret_ref: SecretReference | None = None
    ssl_enabled: bool = False
    storage_mode: str = ""
    storage_pool: str = ""
    system: str = ""
    volume_name: str = ""


class StorageOSPersistentVolumeSource(KubeStruct):
    fs_type: str = ""
    read_only: bool = False
    secret_ref: ObjectReference | None = None
    volume_name: str = ""
    volume_namespace: str = ""


class PersistentVolumeSpec(KubeStruct):
    access_modes: list[str] = []
    aws_elastic_block_store: AWSElasticBlockStoreVolumeSource | None = None
    azure_disk: AzureDiskVolumeSource | None = None
    azure_file: AzureFilePersistentVolumeSource | None = None
    capacity: ResourceList = {}
    cephfs: CephFSPersistentVolumeSource | None = None
    cinder: CinderPersistentVolumeSource | None = None
    claim_ref: ObjectReference | None = None
    csi: CSIPersistentVolumeSource | None = None
    fc: FCVolumeSource | None = None
    flex_volume: FlexPersistentVolumeSource | None = None
    flocker: FlockerVolumeSource | None = None
    gce_persistent_disk: GCEPersistentDiskVolumeSource | None = None
    glusterfs: GlusterfsPersistentVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    iscsi: ISCSIPersistentVolumeSource | None = None
    local: LocalVolumeSource | None = None
    mount_options: list[str] = []
    nfs: NFSVolumeSource | None = None
    node_affinity: VolumeNodeAffinity | None = None
    persistent_volume_reclaim_policy: str = ""
    photon_persistent_disk: PhotonPersistentDiskVolumeSource | None = None
    portworx_volume: PortworxVolumeSource | None = None
    quobyte: QuobyteVolumeSource | None = None
    rbd: RBDPersistentVolumeSource | None = None
    scale_io: ScaleIOPersistentVolumeSource | None = field(default=None, name="scaleIO")
    storage_class_name: str = ""
    storageos: StorageOSPersistentVolumeSource | None = None
    volume_attributes_class_name: str | None = None
    volume_mode: str | None = None
    vsphere_volume: VsphereVirtualDiskVolumeSource | None = None


class PersistentVolumeStatus(KubeStruct):
    last_phase_transition_time: str | None = None
    message: str = ""
    phase: str = ""
    reason: str = ""


class PersistentVolume(KubeObject):
    api_version: str = "v1"
    kind: str = "PersistentVolume"
    spec: PersistentVolumeSpec = field(default_factory=PersistentVolumeSpec)
    status: PersistentVolumeStatus = field(default_factory=PersistentVolumeStatus)
