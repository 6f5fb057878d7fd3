"""Service and Endpoints (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, IntOrString, KubeStruct
from scheduler_lab.engine.objects.meta import Condition, KubeObject
from scheduler_lab.engine.objects.references import ObjectReference


class ServicePort(KubeStruct):
    app_protocol: str | None = None
    name: str = ""
    node_port: Int32 = 0
    port: Int32 = 0
    protocol: str = ""
    target_port: IntOrString | None = None


class ClientIPConfig(KubeStruct):
    timeout_seconds: Int32 | None = None


class SessionAffinityConfig(KubeStruct):
    client_ip: ClientIPConfig | None = field(default=None, name="clientIP")


class ServiceSpec(KubeStruct):
    allocate_load_balancer_node_ports: bool | None = None
    cluster_ip: str = field(default="", name="clusterIP")
    cluster_ips: list[str] = field(default_factory=list, name="clusterIPs")
    external_ips: list[str] = field(default_factory=list, name="externalIPs")
    external_name: str = ""
    external_traffic_policy: str = ""
    health_check_node_port: Int32 = 0
    internal_traffic_policy: str | None = None
    ip_families: list[str] = []
    ip_family_policy: str | None = None
    load_balancer_class: str | None = None
    load_balancer_ip: str = field(default="", name="loadBalancerIP")
    load_balancer_source_ranges: list[str] = []
    ports: list[ServicePort] = []
    publish_not_ready_addresses: bool = False
    selector: dict[str, str] = {}
    session_affinity: str = ""
    session_affinity_config: SessionAffinityConfig | None = None
    traffic_distribution: str | None = None
    type: str = ""


class PortStatus(KubeStruct):
    error: str | None = None
    port: Int32 = 0
    protocol: str = ""


class LoadBalancerIngress(KubeStruct):
    hostname: str = ""
    ip: str = ""
    ip_mode: str | None = None
    ports: list[PortStatus] = []


class LoadBalancerStatus(KubeStruct):
    ingress: list[LoadBalancerIngress] = []


class ServiceStatus(KubeStruct):
    conditions: list[Condition] = []
    load_balancer: LoadBalancerStatus = field(default_factory=LoadBalancerStatus)


class Service(KubeObject):
    api_version: str = "v1"
    kind: str = "Service"
    spec: ServiceSpec = field(default_factory=ServiceSpec)
    status: ServiceStatus = field(default_factory=ServiceStatus)


class EndpointAddress(KubeStruct):
    hostname: str = ""
    ip: str = ""
    node_name: str | None = None
    target_ref: ObjectReference | None = None


class EndpointPort(KubeStruct):
    app_protocol: str | None = None
    name: str = ""
    port: Int32 = 0
    protocol: str = ""


class EndpointSubset(KubeStruct):
    addresses: list[EndpointAddress] = []
    not_ready_addresses: list[EndpointAddress] = []
    ports: list[EndpointPort] = []


class Endpoints(KubeObject):
    api_version: str = "v1"
    kind: str = "Endpoints"
    subsets: list[EndpointSubset] = []
