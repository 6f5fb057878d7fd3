"""The kinds of resource.k8s.io/v1beta1 that differ from v1, and their conversion to it."""

from msgspec import field

from scheduler_lab.engine.objects import resource as v1
from scheduler_lab.engine.objects.base import Int64, KubeStruct
from scheduler_lab.engine.objects.meta import KubeObject, ObjectMeta
from scheduler_lab.engine.objects.references import NodeSelector


class DeviceRequest(KubeStruct):
    """A request with the members of an exact one beside `first_available`."""

    admin_access: bool | None = None
    allocation_mode: str = ""
    capacity: v1.CapacityRequirements | None = None
    count: Int64 = 0
    device_class_name: str = ""
    first_available: list[v1.DeviceSubRequest] = []
    name: str = ""
    selectors: list[v1.DeviceSelector] = []
    tolerations: list[v1.DeviceToleration] = []

    def to_v1(self) -> v1.DeviceRequest:
        """The same request with its exact members under `exactly`."""
        if self.first_available and not self.device_class_name:
            return v1.DeviceRequest(name=self.name, first_available=self.first_available)
        exact = v1.ExactDeviceRequest(
            admin_access=self.admin_access,
            allocation_mode=self.allocation_mode,
            capacity=self.capacity,
            count=self.count,
            device_class_name=self.device_class_name,
            selectors=self.selectors,
            tolerations=self.tolerations,
        )
        return v1.DeviceRequest(name=self.name, exactly=exact, first_available=self.first_available)


class DeviceClaim(KubeStruct):
    config: list[v1.DeviceClaimConfiguration] = []
    constraints: list[v1.DeviceConstraint] = []
    requests: list[DeviceRequest] = []


class ResourceClaimSpec(KubeStruct):
    devices: DeviceClaim = field(default_factory=DeviceClaim)

    def to_v1(self) -> v1.ResourceClaimSpec:
        """The same claim in v1."""
        claim = self.devices
        requests = [request.to_v1() for request in claim.requests]
        return v1.ResourceClaimSpec(
            devices=v1.DeviceClaim(config=claim.config, constraints=claim.constraints, requests=requests)
        )


class ResourceClaim(KubeObject):
    api_version: str = "resource.k8s.io/v1beta1"
    kind: str = "ResourceClaim"
    spec: ResourceClaimSpec = field(default_factory=ResourceClaimSpec)
    status: v1.ResourceClaimStatus = field(default_factory=v1.ResourceClaimStatus)

    def to_v1(self) -> v1.ResourceClaim:
        """The same claim in v1."""
        return v1.ResourceClaim(metadata=self.metadata, spec=self.spec.to_v1(), status=self.status)


class ResourceClaimTemplateSpec(KubeStruct):
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ResourceClaimSpec = field(default_factory=ResourceClaimSpec)


class ResourceClaimTemplate(KubeObject):
    api_version: str = "resource.k8s.io/v1beta1"
    kind: str = "ResourceClaimTemplate"
    spec: ResourceClaimTemplateSpec = field(default_factory=ResourceClaimTemplateSpec)

    def to_v1(self) -> v1.ResourceClaimTemplate:
        """The same template in v1."""
        spec = v1.ResourceClaimTemplateSpec(metadata=self.spec.metadata, spec=self.spec.spec.to_v1())
        return v1.ResourceClaimTemplate(metadata=self.metadata, spec=spec)


class BasicDevice(KubeStruct):
    all_nodes: bool | None = None
    allow_multiple_allocations: bool | None = None
    attributes: dict[str, v1.DeviceAttribute] = {}
    binding_conditions: list[str] = []
    binding_failure_conditions: list[str] = []
    binds_to_node: bool | None = None
    capacity: dict[str, v1.DeviceCapacity] = {}
    consumes_counters: list[v1.DeviceCounterConsumption] = []
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    taints: list[v1.DeviceTaint] = []


class Device(KubeStruct):
    basic: BasicDevice | None = None
    name: str = ""

    def to_v1(self) -> v1.Device:
        """The same device with its members beside the name."""
        basic = self.basic or BasicDevice()
        return v1.Device(name=self.name, **{name: getattr(basic, name) for name in basic.__struct_fields__})


class ResourceSliceSpec(KubeStruct):
    all_nodes: bool | None = None
    devices: list[Device] = []
    driver: str = ""
    node_name: str = ""
    node_selector: NodeSelector | None = None
    per_device_node_selection: bool | None = None
    pool: v1.ResourcePool = field(default_factory=v1.ResourcePool)
    shared_counters: list[v1.CounterSet] = []


class ResourceSlice(KubeObject):
    api_version: str = "resource.k8s.io/v1beta1"
    kind: str = "ResourceSlice"
    spec: ResourceSliceSpec = field(default_factory=ResourceSliceSpec)

    def to_v1(self) -> v1.ResourceSlice:
        """The same slice in v1."""
        spec = self.spec
        return v1.ResourceSlice(
            metadata=self.metadata,
            spec=v1.ResourceSliceSpec(
                all_nodes=spec.all_nodes,
                devices=[device.to_v1() for device in spec.devices],
                driver=spec.driver,
                node_name=spec.node_name or None,
                node_selector=spec.node_selector,
                per_device_node_selection=spec.per_device_node_selection,
                pool=spec.pool,
                shared_counters=spec.shared_counters,
            ),
        )


class DeviceClass(v1.DeviceClass):
    api_version: str = "resource.k8s.io/v1beta1"

    def to_v1(self) -> v1.DeviceClass:
        """The same class in v1."""
        return v1.DeviceClass(metadata=self.metadata, spec=self.spec)
