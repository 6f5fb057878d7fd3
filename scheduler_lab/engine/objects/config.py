"""Namespace, ConfigMap, Secret, ServiceAccount, LimitRange, ResourceQuota and Event (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, KubeStruct, ResourceList
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.references import LocalObjectReference, ObjectReference


class ConfigMap(KubeObject):
    api_version: str = "v1"
    kind: str = "ConfigMap"
    binary_data: dict[str, str] = {}
    data: dict[str, str] = {}
    immutable: bool | None = None


class Secret(KubeObject):
    api_version: str = "v1"
    kind: str = "Secret"
    data: dict[str, str] = {}
    immutable: bool | None = None
    string_data: dict[str, str] = {}
    type: str = ""


class ServiceAccount(KubeObject):
    api_version: str = "v1"
    kind: str = "ServiceAccount"
    automount_service_account_token: bool | None = None
    image_pull_secrets: list[LocalObjectReference] = []
    secrets: list[ObjectReference] = []


class NamespaceSpec(KubeStruct):
    finalizers: list[str] = []


class NamespaceCondition(KubeStruct):
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class NamespaceStatus(KubeStruct):
    conditions: list[NamespaceCondition] = []
    phase: str = ""


class Namespace(KubeObject):
    api_version: str = "v1"
    kind: str = "Namespace"
    spec: NamespaceSpec = field(default_factory=NamespaceSpec)
    status: NamespaceStatus = field(default_factory=NamespaceStatus)


class LimitRangeItem(KubeStruct):
    default: ResourceList = {}
    default_request: ResourceList = {}
    max: ResourceList = {}
    max_limit_request_ratio: ResourceList = {}
    min: ResourceList = {}
    type: str = ""


class LimitRangeSpec(KubeStruct):
    limits: list[LimitRangeItem] = []


class LimitRange(KubeObject):
    api_version: str = "v1"
    kind: str = "LimitRange"
    spec: LimitRangeSpec = field(default_factory=LimitRangeSpec)


class ScopedResourceSelectorRequirement(KubeStruct):
    operator: str = ""
    scope_name: str = ""
    values: list[str] = []


class ScopeSelector(KubeStruct):
    match_expressions: list[ScopedResourceSelectorRequirement] = []


class ResourceQuotaSpec(KubeStruct):
    hard: ResourceList = {}
    scope_selector: ScopeSelector | None = None
    scopes: list[str] = []


class ResourceQuotaStatus(KubeStruct):
    hard: ResourceList = {}
    used: ResourceList = {}


class ResourceQuota(KubeObject):
    api_version: str = "v1"
    kind: str = "ResourceQuota"
    spec: ResourceQuotaSpec = field(default_factory=ResourceQuotaSpec)
    status: ResourceQuotaStatus = field(default_factory=ResourceQuotaStatus)


class EventSeries(KubeStruct):
    count: Int32 = 0
    last_observed_time: str | None = None


class EventSource(KubeStruct):
    component: str = ""
    host: str = ""


class Event(KubeObject):
    api_version: str = "v1"
    kind: str = "Event"
    action: str = ""
    count: Int32 = 0
    event_time: str | None = None
    first_timestamp: str | None = None
    involved_object: ObjectReference = field(default_factory=ObjectReference)
    last_timestamp: str | None = None
    message: str = ""
    reason: str = ""
    related: ObjectReference | None = None
    reporting_component: str = ""
    reporting_instance: str = ""
    series: EventSeries | None = None
    source: EventSource = field(default_factory=EventSource)
    type: str = ""
