"""Pod, PodTemplate and Binding (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.affinity import Affinity, Toleration, TopologySpreadConstraint
from scheduler_lab.engine.objects.base import Int32, Int64, KubeStruct, ResourceList
from scheduler_lab.engine.objects.containers import (
    AppArmorProfile,
    Container,
    ContainerStatus,
    EphemeralContainer,
    ResourceRequirements,
    SeccompProfile,
    SELinuxOptions,
    WindowsSecurityContextOptions,
)
from scheduler_lab.engine.objects.meta import KubeObject, ObjectMeta
from scheduler_lab.engine.objects.references import LocalObjectReference, ObjectReference
from scheduler_lab.engine.objects.volumes import Volume

FINISHED_PHASES = ("Succeeded", "Failed")
"""The phases a pod never leaves: its containers have stopped for good."""


class PodDNSConfigOption(KubeStruct):
    name: str = ""
    value: str | None = None


class PodDNSConfig(KubeStruct):
    nameservers: list[str] = []
    options: list[PodDNSConfigOption] = []
    searches: list[str] = []


class HostAlias(KubeStruct):
    hostnames: list[str] = []
    ip: str = ""


class PodOS(KubeStruct):
    name: str = ""


class PodReadinessGate(KubeStruct):
    condition_type: str = ""


class PodResourceClaim(KubeStruct):
    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodSchedulingGate(KubeStruct):
    name: str = ""


class Sysctl(KubeStruct):
    name: str = ""
    value: str = ""


class PodSecurityContext(KubeStruct):
    app_armor_profile: AppArmorProfile | None = None
    fs_group: Int64 | None = None
    fs_group_change_policy: str | None = None
    run_as_group: Int64 | None = None
    run_as_non_root: bool | None = None
    run_as_user: Int64 | None = None
    se_linux_change_policy: str | None = None
    se_linux_options: SELinuxOptions | None = None
    seccomp_profile: SeccompProfile | None = None
    supplemental_groups: list[Int64] = []
    supplemental_groups_policy: str | None = None
    sysctls: list[Sysctl] = []
    windows_options: WindowsSecurityContextOptions | None = None


class WorkloadReference(KubeStruct):
    name: str = ""
    pod_group: str = ""
    pod_group_replica_key: str = ""


class PodSpec(KubeStruct):
    active_deadline_seconds: Int64 | None = None
    affinity: Affinity | None = None
    automount_service_account_token: bool | None = None
    containers: list[Container] = []
    dns_config: PodDNSConfig | None = None
    dns_policy: str = ""
    enable_service_links: bool | None = None
    ephemeral_containers: list[EphemeralContainer] = []
    host_aliases: list[HostAlias] = []
    host_ipc: bool = field(default=False, name="hostIPC")
    host_network: bool = False
    host_pid: bool = field(default=False, name="hostPID")
    host_users: bool | None = None
    hostname: str = ""
    hostname_override: str | None = None
    image_pull_secrets: list[LocalObjectReference] = []
    init_containers: list[Container] = []
    node_name: str = ""
    node_selector: dict[str, str] | None = None
    os: PodOS | None = None
    overhead: ResourceList = {}
    preemption_policy: str | None = None
    priority: Int32 | None = None
    priority_class_name: str = ""
    readiness_gates: list[PodReadinessGate] = []
    resource_claims: list[PodResourceClaim] = []
    resources: ResourceRequirements | None = None
    restart_policy: str = ""
    runtime_class_name: str | None = None
    scheduler_name: str = ""
    scheduling_gates: list[PodSchedulingGate] = []
    security_context: PodSecurityContext | None = None
    service_account: str = ""
    service_account_name: str = ""
    set_hostname_as_fqdn: bool | None = field(default=None, name="setHostnameAsFQDN")
    share_process_namespace: bool | None = None
    subdomain: str = ""
    termination_grace_period_seconds: Int64 | None = None
    tolerations: list[Toleration] = []
    topology_spread_constraints: list[TopologySpreadConstraint] = []
    volumes: list[Volume] = []
    workload_ref: WorkloadReference | None = None


class PodCondition(KubeStruct):
    last_probe_time: str | None = None
    last_transition_time: str | None = None
    message: str = ""
    observed_generation: Int64 = 0
    reason: str = ""
    status: str = ""
    type: str = ""


class ContainerExtendedResourceRequest(KubeStruct):
    container_name: str = ""
    request_name: str = ""
    resource_name: str = ""


class PodExtendedResourceClaimStatus(KubeStruct):
    request_mappings: list[ContainerExtendedResourceRequest] = []
    resource_claim_name: str | None = None


class HostIP(KubeStruct):
    ip: str = ""


class PodIP(KubeStruct):
    ip: str = ""


class PodResourceClaimStatus(KubeStruct):
    name: str = ""
    resource_claim_name: str | None = None


class PodStatus(KubeStruct):
    allocated_resources: ResourceList = {}
    conditions: list[PodCondition] = []
    container_statuses: list[ContainerStatus] = []
    ephemeral_container_statuses: list[ContainerStatus] = []
    extended_resource_claim_status: PodExtendedResourceClaimStatus | None = None
    host_ip: str = field(default="", name="hostIP")
    host_ips: list[HostIP] = field(default_factory=list, name="hostIPs")
    init_container_statuses: list[ContainerStatus] = []
    message: str = ""
    nominated_node_name: str = ""
    observed_generation: Int64 = 0
    phase: str = ""
    pod_ip: str = field(default="", name="podIP")
    pod_ips: list[PodIP] = field(default_factory=list, name="podIPs")
    qos_class: str = ""
    reason: str = ""
    resize: str = ""
    resource_claim_statuses: list[PodResourceClaimStatus] = []
    resources: ResourceRequirements | None = None
    start_time: str | None = None


class Pod(KubeObject):
    api_version: str = "v1"
    kind: str = "Pod"
    spec: PodSpec = field(default_factory=PodSpec)
    status: PodStatus = field(default_factory=PodStatus)


class PodTemplateSpec(KubeStruct):
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PodSpec = field(default_factory=PodSpec)


class PodTemplate(KubeObject):
    api_version: str = "v1"
    kind: str = "PodTemplate"
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)


class Binding(KubeObject):
    api_version: str = "v1"
    kind: str = "Binding"
    target: ObjectReference = field(default_factory=ObjectReference)
