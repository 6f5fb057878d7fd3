"""Containers, their probes, security contexts and statuses (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, Int64, IntOrString, KubeStruct, Quantity, ResourceList


class ConfigMapKeySelector(KubeStruct):
    key: str = ""
    name: str = ""
    optional: bool | None = None


class ObjectFieldSelector(KubeStruct):
    api_version: str = ""
    field_path: str = ""


class FileKeySelector(KubeStruct):
    key: str = ""
    optional: bool | None = None
    path: str = ""
    volume_name: str = ""


class ResourceFieldSelector(KubeStruct):
    container_name: str = ""
    divisor: Quantity | None = None
    resource: str = ""


class SecretKeySelector(KubeStruct):
    key: str = ""
    name: str = ""
    optional: bool | None = None


class EnvVarSource(KubeStruct):
    config_map_key_ref: ConfigMapKeySelector | None = None
    field_ref: ObjectFieldSelector | None = None
    file_key_ref: FileKeySelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    secret_key_ref: SecretKeySelector | None = None


class EnvVar(KubeStruct):
    name: str = ""
    value: str = ""
    value_from: EnvVarSource | None = None


class ConfigMapEnvSource(KubeStruct):
    name: str = ""
    optional: bool | None = None


class SecretEnvSource(KubeStruct):
    name: str = ""
    optional: bool | None = None


class EnvFromSource(KubeStruct):
    config_map_ref: ConfigMapEnvSource | None = None
    prefix: str = ""
    secret_ref: SecretEnvSource | None = None


class ExecAction(KubeStruct):
    command: list[str] = []


class HTTPHeader(KubeStruct):
    name: str = ""
    value: str = ""


class HTTPGetAction(KubeStruct):
    host: str = ""
    http_headers: list[HTTPHeader] = []
    path: str = ""
    port: IntOrString | None = None
    scheme: str = ""


class SleepAction(KubeStruct):
    seconds: Int32 = 0


class TCPSocketAction(KubeStruct):
    host: str = ""
    port: IntOrString | None = None


class LifecycleHandler(KubeStruct):
    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    sleep: SleepAction | None = None
    tcp_socket: TCPSocketAction | None = None


class Lifecycle(KubeStruct):
    post_start: LifecycleHandler | None = None
    pre_stop: LifecycleHandler | None = None
    stop_signal: str | None = None


class GRPCAction(KubeStruct):
    port: Int32 = 0
    service: str | None = None


class Probe(KubeStruct):
    exec: ExecAction | None = None
    failure_threshold: Int32 = 0
    grpc: GRPCAction | None = None
    http_get: HTTPGetAction | None = None
    initial_delay_seconds: Int32 = 0
    period_seconds: Int32 = 0
    success_threshold: Int32 = 0
    tcp_socket: TCPSocketAction | None = None
    termination_grace_period_seconds: Int64 | None = None
    timeout_seconds: Int32 = 0


class ContainerPort(KubeStruct):
    container_port: Int32 = 0
    host_ip: str = field(default="", name="hostIP")
    host_port: Int32 = 0
    name: str = ""
    protocol: str = ""


class ContainerResizePolicy(KubeStruct):
    resource_name: str = ""
    restart_policy: str = ""


class ContainerResourceClaim(KubeStruct):
    name: str = ""
    request: str = ""


class ResourceRequirements(KubeStruct):
    claims: list[ContainerResourceClaim] = []
    limits: ResourceList = {}
    requests: ResourceList = {}


class ContainerRestartRuleOnExitCodes(KubeStruct):
    operator: str = ""
    values: list[Int32] = []


class ContainerRestartRule(KubeStruct):
    action: str = ""
    exit_codes: ContainerRestartRuleOnExitCodes | None = None


class AppArmorProfile(KubeStruct):
    localhost_profile: str | None = None
    type: str = ""


class Capabilities(KubeStruct):
    add: list[str] = []
    drop: list[str] = []


class SELinuxOptions(KubeStruct):
    level: str = ""
    role: str = ""
    type: str = ""
    user: str = ""


class SeccompProfile(KubeStruct):
    localhost_profile: str | None = None
    type: str = ""


class WindowsSecurityContextOptions(KubeStruct):
    gmsa_credential_spec: str | None = None
    gmsa_credential_spec_name: str | None = None
    host_process: bool | None = None
    run_as_user_name: str | None = None


class SecurityContext(KubeStruct):
    allow_privilege_escalation: bool | None = None
    app_armor_profile: AppArmorProfile | None = None
    capabilities: Capabilities | None = None
    privileged: bool | None = None
    proc_mount: str | None = None
    read_only_root_filesystem: bool | None = None
    run_as_group: Int64 | None = None
    run_as_non_root: bool | None = None
    run_as_user: Int64 | None = None
    se_linux_options: SELinuxOptions | None = None
    seccomp_profile: SeccompProfile | None = None
    windows_options: WindowsSecurityContextOptions | None = None


class VolumeDevice(KubeStruct):
    device_path: str = ""
    name: str = ""


class VolumeMount(KubeStruct):
    mount_path: str = ""
    mount_propagation: str | None = None
    name: str = ""
    read_only: bool = False
    recursive_read_only: str | None = None
    sub_path: str = ""
    sub_path_expr: str = ""


class Container(KubeStruct):
    args: list[str] = []
    command: list[str] = []
    env: list[EnvVar] = []
    env_from: list[EnvFromSource] = []
    image: str = ""
    image_pull_policy: str = ""
    lifecycle: Lifecycle | None = None
    liveness_probe: Probe | None = None
    name: str = ""
    ports: list[ContainerPort] = []
    readiness_probe: Probe | None = None
    resize_policy: list[ContainerResizePolicy] = []
    resources: ResourceRequirements = field(default_factory=ResourceRequirements)
    restart_policy: str | None = None
    restart_policy_rules: list[ContainerRestartRule] = []
    security_context: SecurityContext | None = None
    startup_probe: Probe | None = None
    stdin: bool = False
    stdin_once: bool = False
    termination_message_path: str = ""
    termination_message_policy: str = ""
    tty: bool = False
    volume_devices: list[VolumeDevice] = []
    volume_mounts: list[VolumeMount] = []
    working_dir: str = ""


class EphemeralContainer(KubeStruct):
    args: list[str] = []
    command: list[str] = []
    env: list[EnvVar] = []
    env_from: list[EnvFromSource] = []
    image: str = ""
    image_pull_policy: str = ""
    lifecycle: Lifecycle | None = None
    liveness_probe: Probe | None = None
    name: str = ""
    ports: list[ContainerPort] = []
    readiness_probe: Probe | None = None
    resize_policy: list[ContainerResizePolicy] = []
    resources: ResourceRequirements = field(default_factory=ResourceRequirements)
    restart_policy: str | None = None
    restart_policy_rules: list[ContainerRestartRule] = []
    security_context: SecurityContext | None = None
    startup_probe: Probe | None = None
    stdin: bool = False
    stdin_once: bool = False
    target_container_name: str = ""
    termination_message_path: str = ""
    termination_message_policy: str = ""
    tty: bool = False
    volume_devices: list[VolumeDevice] = []
    volume_mounts: list[VolumeMount] = []
    working_dir: str = ""


class ResourceHealth(KubeStruct):
    health: str = ""
    resource_id: str = field(default="", name="resourceID")


class ResourceStatus(KubeStruct):
    name: str = ""
    resources: list[ResourceHealth] = []


class ContainerStateRunning(KubeStruct):
    started_at: str | None = None


class ContainerStateTerminated(KubeStruct):
    container_id: str = field(default="", name="containerID")
    exit_code: Int32 = 0
    finished_at: str | None = None
    message: str = ""
    reason: str = ""
    signal: Int32 = 0
    started_at: str | None = None


class ContainerStateWaiting(KubeStruct):
    message: str = ""
    reason: str = ""


class ContainerState(KubeStruct):
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None
    waiting: ContainerStateWaiting | None = None


class LinuxContainerUser(KubeStruct):
    gid: Int64 = 0
    supplemental_groups: list[Int64] = []
    uid: Int64 = 0


class ContainerUser(KubeStruct):
    linux: LinuxContainerUser | None = None


class VolumeMountStatus(KubeStruct):
    mount_path: str = ""
    name: str = ""
    read_only: bool = False
    recursive_read_only: str | None = None


class ContainerStatus(KubeStruct):
    allocated_resources: ResourceList = {}
    allocated_resources_status: list[ResourceStatus] = []
    container_id: str = field(default="", name="containerID")
    image: str = ""
    image_id: str = field(default="", name="imageID")
    last_state: ContainerState = field(default_factory=ContainerState)
    name: str = ""
    ready: bool = False
    resources: ResourceRequirements | None = None
    restart_count: Int32 = 0
    started: bool | None = None
    state: ContainerState = field(default_factory=ContainerState)
    stop_signal: str | None = None
    user: ContainerUser | None = None
    volume_mounts: list[VolumeMountStatus] = []
