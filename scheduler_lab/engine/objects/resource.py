"""Dynamic resource allocation: claims, templates, slices and device classes (resource.k8s.io/v1), taint rules."""

from typing import Any

from msgspec import field

from scheduler_lab.engine.objects.base import Int64, KubeStruct, Quantity, ResourceList
from scheduler_lab.engine.objects.meta import Condition, KubeObject, ObjectMeta
from scheduler_lab.engine.objects.references import NodeSelector


class OpaqueDeviceConfiguration(KubeStruct):
    driver: str = ""
    parameters: Any = None


class DeviceClaimConfiguration(KubeStruct):
    opaque: OpaqueDeviceConfiguration | None = None
    requests: list[str] = []


class DeviceConstraint(KubeStruct):
    distinct_attribute: str | None = None
    match_attribute: str | None = None
    requests: list[str] = []


class CapacityRequirements(KubeStruct):
    requests: ResourceList = {}


class CELDeviceSelector(KubeStruct):
    expression: str = ""


class DeviceSelector(KubeStruct):
    cel: CELDeviceSelector | None = None


class DeviceToleration(KubeStruct):
    effect: str = ""
    key: str = ""
    operator: str = ""
    toleration_seconds: Int64 | None = None
    value: str = ""


class ExactDeviceRequest(KubeStruct):
    admin_access: bool | None = None
    allocation_mode: str = ""
    capacity: CapacityRequirements | None = None
    count: Int64 = 0
    device_class_name: str = ""
    selectors: list[DeviceSelector] = []
    tolerations: list[DeviceToleration] = []


class DeviceSubRequest(KubeStruct):
    allocation_mode: str = ""
    capacity: CapacityRequirements | None = None
    count: Int64 = 0
    device_class_name: str = ""
    name: str = ""
    selectors: list[DeviceSelector] = []
    tolerations: list[DeviceToleration] = []


class DeviceRequest(KubeStruct):
    exactly: ExactDeviceRequest | None = None
    first_available: list[DeviceSubRequest] = []
    name: str = ""


class DeviceClaim(KubeStruct):
    config: list[DeviceClaimConfiguration] = []
    constraints: list[DeviceConstraint] = []
    requests: list[DeviceRequest] = []


class ResourceClaimSpec(KubeStruct):
    devices: DeviceClaim = field(default_factory=DeviceClaim)


class ResourceClaimTemplateSpec(KubeStruct):
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ResourceClaimSpec = field(default_factory=ResourceClaimSpec)


class ResourceClaimTemplate(KubeObject):
    api_version: str = "resource.k8s.io/v1"
    kind: str = "ResourceClaimTemplate"
    spec: ResourceClaimTemplateSpec = field(default_factory=ResourceClaimTemplateSpec)


class DeviceAttribute(KubeStruct):
    bool_: bool | None = None
    int_: Int64 | None = None
    string_: str | None = None
    version: str | None = None


class CapacityRequestPolicyRange(KubeStruct):
    max: Quantity | None = None
    min: Quantity | None = None
    step: Quantity | None = None


class CapacityRequestPolicy(KubeStruct):
    default: Quantity | None = None
    valid_range: CapacityRequestPolicyRange | None = None
    valid_values: list[Quantity] = []


class DeviceCapacity(KubeStruct):
    request_policy: CapacityRequestPolicy | None = None
    value: Quantity | None = None


class Counter(KubeStruct):
    value: Quantity | None = None


class DeviceCounterConsumption(KubeStruct):
    counter_set: str = ""
    counters: dict[str, Counter] = {}


class DeviceTaint(KubeStruct):
    effect: str = ""
    key: str = ""
    time_added: str | None = None
    value: str = ""


class Device(KubeStruct):
    all_nodes: bool | None = None
    allow_multiple_allocations: bool | None = None
    attributes: dict[str, DeviceAttribute] = {}
    binding_conditions: list[str] = []
    binding_failure_conditions: list[str] = []
    binds_to_node: bool | None = None
    capacity: dict[str, DeviceCapacity] = {}
    consumes_counters: list[DeviceCounterConsumption] = []
    name: str = ""
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    taints: list[DeviceTaint] = []


class ResourcePool(KubeStruct):
    generation: Int64 = 0
    name: str = ""
    resource_slice_count: Int64 = 0


class CounterSet(KubeStruct):
    counters: dict[str, Counter] = {}
    name: str = ""


class ResourceSliceSpec(KubeStruct):
    all_nodes: bool | None = None
    devices: list[Device] = []
    driver: str = ""
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    per_device_node_selection: bool | None = None
    pool: ResourcePool = field(default_factory=ResourcePool)
    shared_counters: list[CounterSet] = []


class ResourceSlice(KubeObject):
    api_version: str = "resource.k8s.io/v1"
    kind: str = "ResourceSlice"
    spec: ResourceSliceSpec = field(default_factory=ResourceSliceSpec)


class DeviceTaintSelector(KubeStruct):
    device: str | None = None
    driver: str | None = None
    pool: str | None = None


class DeviceTaintRuleSpec(KubeStruct):
    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint = field(default_factory=DeviceTaint)


class DeviceTaintRuleStatus(KubeStruct):
    conditions: list[Condition] = []


class DeviceTaintRule(KubeObject):
    api_version: str = "resource.k8s.io/v1alpha3"
    kind: str = "DeviceTaintRule"
    spec: DeviceTaintRuleSpec = field(default_factory=DeviceTaintRuleSpec)
    status: DeviceTaintRuleStatus = field(default_factory=DeviceTaintRuleStatus)


class DeviceClassConfiguration(KubeStruct):
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClassSpec(KubeStruct):
    config: list[DeviceClassConfiguration] = []
    extended_resource_name: str | None = None
    selectors: list[DeviceSelector] = []


class DeviceClass(KubeObject):
    api_version: str = "resource.k8s.io/v1"
    kind: str = "DeviceClass"
    spec: DeviceClassSpec = field(default_factory=DeviceClassSpec)


class DeviceAllocationConfiguration(KubeStruct):
    opaque: OpaqueDeviceConfiguration | None = None
    requests: list[str] = []
    source: str = ""


class DeviceRequestAllocationResult(KubeStruct):
    admin_access: bool | None = None
    binding_conditions: list[str] = []
    binding_failure_conditions: list[str] = []
    consumed_capacity: ResourceList = {}
    device: str = ""
    driver: str = ""
    pool: str = ""
    request: str = ""
    share_id: str | None = field(default=None, name="shareID")
    tolerations: list[DeviceToleration] = []


class DeviceAllocationResult(KubeStruct):
    config: list[DeviceAllocationConfiguration] = []
    results: list[DeviceRequestAllocationResult] = []


class AllocationResult(KubeStruct):
    allocation_timestamp: str | None = None
    devices: DeviceAllocationResult = field(default_factory=DeviceAllocationResult)
    node_selector: NodeSelector | None = None


class NetworkDeviceData(KubeStruct):
    hardware_address: str = ""
    interface_name: str = ""
    ips: list[str] = []


class AllocatedDeviceStatus(KubeStruct):
    conditions: list[Condition] = []
    data: Any = None
    device: str = ""
    driver: str = ""
    network_data: NetworkDeviceData | None = None
    pool: str = ""
    share_id: str | None = field(default=None, name="shareID")


class ResourceClaimConsumerReference(KubeStruct):
    api_group: str | None = None
    name: str = ""
    resource: str = ""
    uid: str = ""


class ResourceClaimStatus(KubeStruct):
    allocation: AllocationResult | None = None
    devices: list[AllocatedDeviceStatus] = []
    reserved_for: list[ResourceClaimConsumerReference] = []


class ResourceClaim(KubeObject):
    api_version: str = "resource.k8s.io/v1"
    kind: str = "ResourceClaim"
    spec: ResourceClaimSpec = field(default_factory=ResourceClaimSpec)
    status: ResourceClaimStatus = field(default_factory=ResourceClaimStatus)
