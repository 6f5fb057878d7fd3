"""Node (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.affinity import Taint
from scheduler_lab.engine.objects.base import Int32, Int64, KubeStruct, ResourceList
from scheduler_lab.engine.objects.meta import KubeObject


class ConfigMapNodeConfigSource(KubeStruct):
    kubelet_config_key: str = ""
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    uid: str = ""


class NodeConfigSource(KubeStruct):
    config_map: ConfigMapNodeConfigSource | None = None


class NodeSpec(KubeStruct):
    config_source: NodeConfigSource | None = None
    external_id: str = field(default="", name="externalID")
    pod_cidr: str = field(default="", name="podCIDR")
    pod_cidrs: list[str] = field(default_factory=list, name="podCIDRs")
    provider_id: str = field(default="", name="providerID")
    taints: list[Taint] = []
    unschedulable: bool = False


class NodeAddress(KubeStruct):
    address: str = ""
    type: str = ""


class NodeCondition(KubeStruct):
    last_heartbeat_time: str | None = None
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class NodeConfigStatus(KubeStruct):
    active: NodeConfigSource | None = None
    assigned: NodeConfigSource | None = None
    error: str = ""
    last_known_good: NodeConfigSource | None = None


class DaemonEndpoint(KubeStruct):
    port: Int32 = field(default=0, name="Port")


class NodeDaemonEndpoints(KubeStruct):
    kubelet_endpoint: DaemonEndpoint = field(default_factory=DaemonEndpoint)


class NodeFeatures(KubeStruct):
    supplemental_groups_policy: bool | None = None


class ContainerImage(KubeStruct):
    names: list[str] = []
    size_bytes: Int64 = 0


class NodeSwapStatus(KubeStruct):
    capacity: Int64 | None = None


class NodeSystemInfo(KubeStruct):
    architecture: str = ""
    boot_id: str = field(default="", name="bootID")
    container_runtime_version: str = ""
    kernel_version: str = ""
    kube_proxy_version: str = ""
    kubelet_version: str = ""
    machine_id: str = field(default="", name="machineID")
    operating_system: str = ""
    os_image: str = ""
    swap: NodeSwapStatus | None = None
    system_uuid: str = field(default="", name="systemUUID")


class NodeRuntimeHandlerFeatures(KubeStruct):
    recursive_read_only_mounts: bool | None = None
    user_namespaces: bool | None = None


class NodeRuntimeHandler(KubeStruct):
    features: NodeRuntimeHandlerFeatures | None = None
    name: str = ""


class AttachedVolume(KubeStruct):
    device_path: str = ""
    name: str = ""


class NodeStatus(KubeStruct):
    addresses: list[NodeAddress] = []
    allocatable: ResourceList = {}
    capacity: ResourceList = {}
    conditions: list[NodeCondition] = []
    config: NodeConfigStatus | None = None
    daemon_endpoints: NodeDaemonEndpoints = field(default_factory=NodeDaemonEndpoints)
    declared_features: list[str] = []
    features: NodeFeatures | None = None
    images: list[ContainerImage] = []
    node_info: NodeSystemInfo = field(default_factory=NodeSystemInfo)
    phase: str = ""
    runtime_handlers: list[NodeRuntimeHandler] = []
    volumes_attached: list[AttachedVolume] = []
    volumes_in_use: list[str] = []


class Node(KubeObject):
    api_version: str = "v1"
    kind: str = "Node"
    spec: NodeSpec = field(default_factory=NodeSpec)
    status: NodeStatus = field(default_factory=NodeStatus)
