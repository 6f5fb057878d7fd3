"""KubeSchedulerConfiguration, kubescheduler.config.k8s.io/v1, and the args of the plugins that take any.

Attributes are the snake_case of the JSON names. A pointer upstream is `X | None` and stays None until defaulting.
`go_package` names the package of the Go type, as decoding errors print it.
"""

from typing import Annotated, Any, ClassVar, Final

from msgspec import Struct, field

from scheduler_lab.engine.configuration.durations import Duration
from scheduler_lab.engine.objects.affinity import NodeAffinity, TopologySpreadConstraint
from scheduler_lab.engine.objects.base import Int32, Int64, KubeStruct

API_VERSION: Final = "kubescheduler.config.k8s.io/v1"
KIND: Final = "KubeSchedulerConfiguration"


class GoType(Struct, frozen=True):
    """The Go type of a member where it is not what the Python type suggests."""

    name: str


class Plugin(KubeStruct):
    """A plugin in an `enabled` or `disabled` list; the weight counts at score and multiPoint only."""

    name: str = ""
    weight: Int32 | None = None


class PluginSet(KubeStruct):
    enabled: list[Plugin] = []
    disabled: list[Plugin] = []

    def disables(self, name: str) -> bool:
        """Whether the set names the plugin as disabled (`*` is a name of its own)."""
        return any(plugin.name == name for plugin in self.disabled)


class Plugins(KubeStruct):
    pre_enqueue: PluginSet = field(default_factory=PluginSet)
    queue_sort: PluginSet = field(default_factory=PluginSet)
    pre_filter: PluginSet = field(default_factory=PluginSet)
    filter: PluginSet = field(default_factory=PluginSet)
    post_filter: PluginSet = field(default_factory=PluginSet)
    pre_score: PluginSet = field(default_factory=PluginSet)
    score: PluginSet = field(default_factory=PluginSet)
    reserve: PluginSet = field(default_factory=PluginSet)
    permit: PluginSet = field(default_factory=PluginSet)
    pre_bind: PluginSet = field(default_factory=PluginSet)
    bind: PluginSet = field(default_factory=PluginSet)
    post_bind: PluginSet = field(default_factory=PluginSet)
    multi_point: PluginSet = field(default_factory=PluginSet)


class PluginArgs(KubeStruct):
    """What the args of every in-tree plugin share."""

    api_version: str = ""
    kind: str = ""


class DefaultPreemptionArgs(PluginArgs):
    min_candidate_nodes_percentage: Int32 | None = None
    min_candidate_nodes_absolute: Int32 | None = None


class DynamicResourcesArgs(PluginArgs):
    """A timeout whose feature gate is off stays None."""

    filter_timeout: Duration | None = None
    binding_timeout: Duration | None = None


class InterPodAffinityArgs(PluginArgs):
    hard_pod_affinity_weight: Int32 | None = None
    ignore_preferred_terms_of_existing_pods: bool = False


class NodeAffinityArgs(PluginArgs):
    added_affinity: NodeAffinity | None = None


class ResourceSpec(KubeStruct):
    name: str = ""
    weight: Int64 = 0


class UtilizationShapePoint(KubeStruct):
    utilization: Int32 = 0
    score: Int32 = 0


class RequestedToCapacityRatioParam(KubeStruct):
    shape: list[UtilizationShapePoint] = []


class ScoringStrategy(KubeStruct):
    type: Annotated[str, GoType("v1.ScoringStrategyType")] = ""
    resources: list[ResourceSpec] = []
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None


class NodeResourcesFitArgs(PluginArgs):
    ignored_resources: list[str] = []
    ignored_resource_groups: list[str] = []
    scoring_strategy: ScoringStrategy | None = None


class NodeResourcesBalancedAllocationArgs(PluginArgs):
    resources: list[ResourceSpec] = []


class PodTopologySpreadArgs(PluginArgs):
    default_constraints: list[TopologySpreadConstraint] = []
    defaulting_type: Annotated[str, GoType("v1.PodTopologySpreadConstraintsDefaulting")] = ""


class VolumeBindingArgs(PluginArgs):
    bind_timeout_seconds: Int64 | None = None
    shape: list[UtilizationShapePoint] | None = None


class CoschedulingArgs(PluginArgs):
    """Args of the out-of-tree plugin Coscheduling."""

    permit_waiting_time_seconds: Int64 | None = None
    pod_group_backoff_seconds: Int64 | None = None
    pod_group_reject_percentage: Int32 | None = None


ARGS: Final[dict[str, type[PluginArgs]]] = {
    "Coscheduling": CoschedulingArgs,
    "DefaultPreemption": DefaultPreemptionArgs,
    "DynamicResources": DynamicResourcesArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs,
    "NodeResourcesFit": NodeResourcesFitArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "VolumeBinding": VolumeBindingArgs,
}
"""The plugins that take typed args."""


class PluginConfig(KubeStruct):
    """Args of one plugin: as written until decoding has typed them; those of other plugins stay as written."""

    name: str = ""
    args: Any = None


class Profile(KubeStruct):
    go_name: ClassVar[str] = "KubeSchedulerProfile"

    scheduler_name: str | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    plugins: Plugins | None = None
    plugin_config: list[PluginConfig] = []


class ExtenderManagedResource(KubeStruct):
    name: str = ""
    ignored_by_scheduler: bool = False


class ExtenderTLSConfig(KubeStruct):
    """Certificates of an extender; the `*_data` members are base64."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: Annotated[str, GoType("[]uint8")] = ""
    key_data: Annotated[str, GoType("[]uint8")] = ""
    ca_data: Annotated[str, GoType("[]uint8")] = ""


class Extender(KubeStruct):
    url_prefix: str = ""
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: Int64 = 0
    bind_verb: str = ""
    enable_https: bool = field(default=False, name="enableHTTPS")
    tls_config: ExtenderTLSConfig | None = None
    http_timeout: Duration = field(default_factory=Duration)
    node_cache_capable: bool = False
    managed_resources: list[ExtenderManagedResource] = []
    ignorable: bool = False


class LeaderElection(KubeStruct):
    go_package: ClassVar[str] = "v1alpha1"
    go_name: ClassVar[str] = "LeaderElectionConfiguration"

    leader_elect: bool | None = None
    lease_duration: Duration = field(default_factory=Duration)
    renew_deadline: Duration = field(default_factory=Duration)
    retry_period: Duration = field(default_factory=Duration)
    resource_lock: str = ""
    resource_name: str = ""
    resource_namespace: str = ""


class ClientConnection(KubeStruct):
    go_package: ClassVar[str] = "v1alpha1"
    go_name: ClassVar[str] = "ClientConnectionConfiguration"

    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = ""
    qps: float = 0.0
    burst: Int32 = 0


class KubeSchedulerConfiguration(KubeStruct):
    api_version: str = ""
    kind: str = ""
    parallelism: Int32 | None = None
    leader_election: LeaderElection = field(default_factory=LeaderElection)
    client_connection: ClientConnection = field(default_factory=ClientConnection)
    enable_profiling: bool | None = None
    enable_contention_profiling: bool | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    pod_initial_backoff_seconds: Int64 | None = None
    pod_max_backoff_seconds: Int64 | None = None
    profiles: list[Profile] = []
    extenders: list[Extender] = []
    delay_cache_until_active: bool = False
