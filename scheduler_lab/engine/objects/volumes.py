"""Volumes of a pod (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, Int64, KubeStruct, Quantity
from scheduler_lab.engine.objects.claims import PersistentVolumeClaimTemplate
from scheduler_lab.engine.objects.containers import ObjectFieldSelector, ResourceFieldSelector
from scheduler_lab.engine.objects.meta import LabelSelector
from scheduler_lab.engine.objects.references import LocalObjectReference


class AWSElasticBlockStoreVolumeSource(KubeStruct):
    fs_type: str = ""
    partition: Int32 = 0
    read_only: bool = False
    volume_id: str = field(default="", name="volumeID")


class AzureDiskVolumeSource(KubeStruct):
    caching_mode: str | None = None
    disk_name: str = ""
    disk_uri: str = field(default="", name="diskURI")
    fs_type: str | None = None
    kind: str | None = None
    read_only: bool | None = None


class AzureFileVolumeSource(KubeStruct):
    read_only: bool = False
    secret_name: str = ""
    share_name: str = ""


class CephFSVolumeSource(KubeStruct):
    monitors: list[str] = []
    path: str = ""
    read_only: bool = False
    secret_file: str = ""
    secret_ref: LocalObjectReference | None = None
    user: str = ""


class CinderVolumeSource(KubeStruct):
    fs_type: str = ""
    read_only: bool = False
    secret_ref: LocalObjectReference | None = None
    volume_id: str = field(default="", name="volumeID")


class KeyToPath(KubeStruct):
    key: str = ""
    mode: Int32 | None = None
    path: str = ""


class ConfigMapVolumeSource(KubeStruct):
    default_mode: Int32 | None = None
    items: list[KeyToPath] = []
    name: str = ""
    optional: bool | None = None


class CSIVolumeSource(KubeStruct):
    driver: str = ""
    fs_type: str | None = None
    node_publish_secret_ref: LocalObjectReference | None = None
    read_only: bool | None = None
    volume_attributes: dict[str, str] = {}


class DownwardAPIVolumeFile(KubeStruct):
    field_ref: ObjectFieldSelector | None = None
    mode: Int32 | None = None
    path: str = ""
    resource_field_ref: ResourceFieldSelector | None = None


class DownwardAPIVolumeSource(KubeStruct):
    default_mode: Int32 | None = None
    items: list[DownwardAPIVolumeFile] = []


class EmptyDirVolumeSource(KubeStruct):
    medium: str = ""
    size_limit: Quantity | None = None


class EphemeralVolumeSource(KubeStruct):
    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class FCVolumeSource(KubeStruct):
    fs_type: str = ""
    lun: Int32 | None = None
    read_only: bool = False
    target_wwns: list[str] = field(default_factory=list, name="targetWWNs")
    wwids: list[str] = []


class FlexVolumeSource(KubeStruct):
    driver: str = ""
    fs_type: str = ""
    options: dict[str, str] = {}
    read_only: bool = False
    secret_ref: LocalObjectReference | None = None


class FlockerVolumeSource(KubeStruct):
    dataset_name: str = ""
    dataset_uuid: str = field(default="", name="datasetUUID")


class GCEPersistentDiskVolumeSource(KubeStruct):
    fs_type: str = ""
    partition: Int32 = 0
    pd_name: str = ""
    read_only: bool = False


class GitRepoVolumeSource(KubeStruct):
    directory: str = ""
    repository: str = ""
    revision: str = ""


class GlusterfsVolumeSource(KubeStruct):
    endpoints: str = ""
    path: str = ""
    read_only: bool = False


class HostPathVolumeSource(KubeStruct):
    path: str = ""
    type: str | None = None


class ImageVolumeSource(KubeStruct):
    pull_policy: str = ""
    reference: str = ""


class ISCSIVolumeSource(KubeStruct):
    chap_auth_discovery: bool = False
    chap_auth_session: bool = False
    fs_type: str = ""
    initiator_name: str | None = None
    iqn: str = ""
    iscsi_interface: str = ""
    lun: Int32 | None = None
    portals: list[str] = []
    read_only: bool = False
    secret_ref: LocalObjectReference | None = None
    target_portal: str = ""


class NFSVolumeSource(KubeStruct):
    path: str = ""
    read_only: bool = False
    server: str = ""


class PersistentVolumeClaimVolumeSource(KubeStruct):
    claim_name: str = ""
    read_only: bool = False


class PhotonPersistentDiskVolumeSource(KubeStruct):
    fs_type: str = ""
    pd_id: str = field(default="", name="pdID")


class PortworxVolumeSource(KubeStruct):
    fs_type: str = ""
    read_only: bool = False
    volume_id: str = field(default="", name="volumeID")


class ClusterTrustBundleProjection(KubeStruct):
    label_selector: LabelSelector | None = None
    name: str | None = None
    optional: bool | None = None
    path: str = ""
    signer_name: str | None = None


class ConfigMapProjection(KubeStruct):
    items: list[KeyToPath] = []
    name: str = ""
    optional: bool | None = None


class DownwardAPIProjection(KubeStruct):
    items: list[DownwardAPIVolumeFile] = []


class PodCertificateProjection(KubeStruct):
    certificate_chain_path: str = ""
    credential_bundle_path: str = ""
    key_path: str = ""
    key_type: str = ""
    max_expiration_seconds: Int32 | None = None
    signer_name: str | None = None
    user_annotations: dict[str, str] = {}


class SecretProjection(KubeStruct):
    items: list[KeyToPath] = []
    name: str = ""
    optional: bool | None = None


class ServiceAccountTokenProjection(KubeStruct):
    audience: str = ""
    expiration_seconds: Int64 | None = None
    path: str = ""


class VolumeProjection(KubeStruct):
    cluster_trust_bundle: ClusterTrustBundleProjection | None = None
    config_map: ConfigMapProjection | None = None
    downward_api: DownwardAPIProjection | None = field(default=None, name="downwardAPI")
    pod_certificate: PodCertificateProjection | None = None
    secret: SecretProjection | None = None
    service_account_token: ServiceAccountTokenProjection | None = None


class ProjectedVolumeSource(KubeStruct):
    default_mode: Int32 | None = None
    sources: list[VolumeProjection] = []


class QuobyteVolumeSource(KubeStruct):
    group: str = ""
    read_only: bool = False
    registry: str = ""
    tenant: str = ""
    user: str = ""
    volume: str = ""


class RBDVolumeSource(KubeStruct):
    fs_type: str = ""
    image: str = ""
    keyring: str = ""
    monitors: list[str] = []
    pool: str = ""
    read_only: bool = False
    secret_ref: LocalObjectReference | None = None
    user: str = ""


class ScaleIOVolumeSource(KubeStruct):
    fs_type: str = ""
    gateway: str = ""
    protection_domain: str = ""
    read_only: bool = False
    secret_ref: LocalObjectReference | None = None
    ssl_enabled: bool = False
    storage_mode: str = ""
    storage_pool: str = ""
    system: str = ""
    volume_name: str = ""


class SecretVolumeSource(KubeStruct):
    default_mode: Int32 | None = None
    items: list[KeyToPath] = []
    optional: bool | None = None
    secret_name: str = ""


class StorageOSVolumeSource(KubeStruct):
    fs_type: str = ""
    read_only: bool = False
    secret_ref: LocalObjectReference | None = None
    volume_name: str = ""
    volume_namespace: str = ""


class VsphereVirtualDiskVolumeSource(KubeStruct):
    fs_type: str = ""
    storage_policy_id: str = field(default="", name="storagePolicyID")
    storage_policy_name: str = ""
    volume_path: str = ""


class Volume(KubeStruct):
    aws_elastic_block_store: AWSElasticBlockStoreVolumeSource | None = None
    azure_disk: AzureDiskVolumeSource | None = None
    azure_file: AzureFileVolumeSource | None = None
    cephfs: CephFSVolumeSource | None = None
    cinder: CinderVolumeSource | None = None
    config_map: ConfigMapVolumeSource | None = None
    csi: CSIVolumeSource | None = None
    downward_api: DownwardAPIVolumeSource | None = field(default=None, name="downwardAPI")
    empty_dir: EmptyDirVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    fc: FCVolumeSource | None = None
    flex_volume: FlexVolumeSource | None = None
    flocker: FlockerVolumeSource | None = None
    gce_persistent_disk: GCEPersistentDiskVolumeSource | None = None
    git_repo: GitRepoVolumeSource | None = None
    glusterfs: GlusterfsVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    image: ImageVolumeSource | None = None
    iscsi: ISCSIVolumeSource | None = None
    name: str = ""
    nfs: NFSVolumeSource | None = None
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    photon_persistent_disk: PhotonPersistentDiskVolumeSource | None = None
    portworx_volume: PortworxVolumeSource | None = None
    projected: ProjectedVolumeSource | None = None
    quobyte: QuobyteVolumeSource | None = None
    rbd: RBDVolumeSource | None = None
    scale_io: ScaleIOVolumeSource | None = field(default=None, name="scaleIO")
    secret: SecretVolumeSource | None = None
    storageos: StorageOSVolumeSource | None = None
    vsphere_volume: VsphereVirtualDiskVolumeSource | None = None
