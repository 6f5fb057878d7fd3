"""Defaulting: top-level fields, the merge of a profile's plugins with the defaults, and missing plugin args."""

from typing import Final, TypeVar

from msgspec import structs

from scheduler_lab.engine.configuration.durations import Duration
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.configuration.registry import EXPANSION_ORDER, default_plugins
from scheduler_lab.engine.configuration.types import (
    ARGS,
    ClientConnection,
    CoschedulingArgs,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    KubeSchedulerConfiguration,
    LeaderElection,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    Plugin,
    PluginArgs,
    PluginConfig,
    Plugins,
    PluginSet,
    PodTopologySpreadArgs,
    Profile,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
    VolumeBindingArgs,
)

DEFAULT_SCHEDULER_NAME: Final = "default-scheduler"

T = TypeVar("T")


def with_defaults(document: KubeSchedulerConfiguration, gates: FeatureGates) -> KubeSchedulerConfiguration:
    """The document with every default of v1.35 filled in; a lone profile is named default-scheduler."""
    profiles = document.profiles or [Profile()]
    if len(profiles) == 1 and profiles[0].scheduler_name is None:
        profiles = [structs.replace(profiles[0], scheduler_name=DEFAULT_SCHEDULER_NAME)]
    return structs.replace(
        document,
        parallelism=_or(document.parallelism, 16),
        leader_election=_leader_election(document.leader_election),
        client_connection=_client_connection(document.client_connection),
        enable_profiling=_or(document.enable_profiling, True),
        enable_contention_profiling=_or(document.enable_contention_profiling, True),
        percentage_of_nodes_to_score=_or(document.percentage_of_nodes_to_score, 0),
        pod_initial_backoff_seconds=_or(document.pod_initial_backoff_seconds, 1),
        pod_max_backoff_seconds=_or(document.pod_max_backoff_seconds, 10),
        profiles=[_default_profile(profile, gates) for profile in profiles],
    )


def merge_plugins(written: Plugins | None, gates: FeatureGates) -> Plugins:
    """A profile's plugins merged with the default multiPoint list, point by point; the order is that of running."""
    defaults = PluginSet(enabled=default_plugins(gates))
    if written is None:
        return Plugins(multi_point=defaults)
    points = {attribute: merge_set(PluginSet(), getattr(written, attribute)) for attribute in EXPANSION_ORDER.values()}
    return Plugins(multi_point=merge_set(defaults, written.multi_point), **points)


def merge_set(defaults: PluginSet, written: PluginSet) -> PluginSet:
    """Defaults in order unless disabled, each replaced in place by the written entry of its name; then the rest."""
    disabled = [Plugin(name=plugin.name) for plugin in [*written.disabled, *defaults.disabled]]
    off = {plugin.name for plugin in disabled}
    positions = {plugin.name: position for position, plugin in enumerate(written.enabled)}
    enabled: list[Plugin] = []
    replacing: set[int] = set()
    for plugin in defaults.enabled if "*" not in off else []:
        if plugin.name in off:
            continue
        position = positions.get(plugin.name)
        if position is not None:
            replacing.add(position)
        enabled.append(plugin if position is None else written.enabled[position])
    enabled += [plugin for position, plugin in enumerate(written.enabled) if position not in replacing]
    return PluginSet(enabled=enabled, disabled=disabled)


def default_args(args: PluginArgs, gates: FeatureGates) -> PluginArgs:
    """The args of an in-tree plugin with its defaults."""
    match args:
        case CoschedulingArgs():
            return structs.replace(
                args,
                permit_waiting_time_seconds=_or(args.permit_waiting_time_seconds, 60),
                pod_group_backoff_seconds=_or(args.pod_group_backoff_seconds, 0),
                pod_group_reject_percentage=_or(args.pod_group_reject_percentage, 10),
            )
        case DefaultPreemptionArgs():
            return structs.replace(
                args,
                min_candidate_nodes_percentage=_or(args.min_candidate_nodes_percentage, 10),
                min_candidate_nodes_absolute=_or(args.min_candidate_nodes_absolute, 100),
            )
        case DynamicResourcesArgs():
            return _dynamic_resources(args, gates)
        case InterPodAffinityArgs():
            return structs.replace(args, hard_pod_affinity_weight=_or(args.hard_pod_affinity_weight, 1))
        case NodeResourcesFitArgs():
            strategy = args.scoring_strategy or ScoringStrategy(type="LeastAllocated")
            strategy = structs.replace(strategy, resources=_resources(strategy.resources))
            return structs.replace(args, scoring_strategy=strategy)
        case NodeResourcesBalancedAllocationArgs():
            return structs.replace(args, resources=_resources(args.resources))
        case PodTopologySpreadArgs():
            return structs.replace(args, defaulting_type=args.defaulting_type or "System")
        case VolumeBindingArgs():
            return _volume_binding(args, gates)
    return args


def missing_args(name: str, gates: FeatureGates) -> PluginArgs | None:
    """The default args of a plugin that was given none; None if it takes no typed args."""
    return default_args(ARGS[name](), gates) if name in ARGS else None


def _default_profile(profile: Profile, gates: FeatureGates) -> Profile:
    plugins = merge_plugins(profile.plugins, gates)
    entries = [
        PluginConfig(
            name=entry.name, args=default_args(entry.args, gates) if isinstance(entry.args, PluginArgs) else entry.args
        )
        for entry in profile.plugin_config
    ]
    given = {entry.name for entry in entries}
    for name in _enabled_names(plugins):
        args = missing_args(name, gates)
        if name not in given and args is not None:
            entries.append(PluginConfig(name=name, args=args))
    return structs.replace(profile, plugins=plugins, plugin_config=entries)


def _enabled_names(plugins: Plugins) -> list[str]:
    # preEnqueue is not looked at upstream: a plugin enabled there alone gets its default args later.
    attributes = ["multi_point", *(name for name in EXPANSION_ORDER.values() if name != "pre_enqueue")]
    return sorted({plugin.name for name in attributes for plugin in getattr(plugins, name).enabled})


def _resources(resources: list[ResourceSpec]) -> list[ResourceSpec]:
    """cpu and memory when none is named; a weight of 0 is 1."""
    named = resources or [ResourceSpec(name="cpu"), ResourceSpec(name="memory")]
    return [ResourceSpec(name=resource.name, weight=resource.weight or 1) for resource in named]


def _dynamic_resources(args: DynamicResourcesArgs, gates: FeatureGates) -> DynamicResourcesArgs:
    filter_timeout, binding_timeout = args.filter_timeout, args.binding_timeout
    if filter_timeout is None and gates.enabled("DRASchedulerFilterTimeout"):
        filter_timeout = Duration.of_seconds(10)
    if binding_timeout is None and binding_timeout_allowed(gates):
        binding_timeout = Duration.of_seconds(600)
    return structs.replace(args, filter_timeout=filter_timeout, binding_timeout=binding_timeout)


def binding_timeout_allowed(gates: FeatureGates) -> bool:
    """Whether DynamicResources' bindingTimeout means anything."""
    return gates.enabled("DRADeviceBindingConditions") and gates.enabled("DRAResourceClaimDeviceStatus")


def _volume_binding(args: VolumeBindingArgs, gates: FeatureGates) -> VolumeBindingArgs:
    shape = args.shape
    if not shape and gates.enabled("StorageCapacityScoring"):
        shape = [UtilizationShapePoint(utilization=0, score=10), UtilizationShapePoint(utilization=100, score=0)]
    return structs.replace(args, bind_timeout_seconds=_or(args.bind_timeout_seconds, 600), shape=shape)


def _leader_election(given: LeaderElection) -> LeaderElection:
    return structs.replace(
        given,
        leader_elect=_or(given.leader_elect, True),
        lease_duration=given.lease_duration if given.lease_duration.nanos else Duration.of_seconds(15),
        renew_deadline=given.renew_deadline if given.renew_deadline.nanos else Duration.of_seconds(10),
        retry_period=given.retry_period if given.retry_period.nanos else Duration.of_seconds(2),
        resource_lock=given.resource_lock or "leases",
        resource_name=given.resource_name or "kube-scheduler",
        resource_namespace=given.resource_namespace or "kube-system",
    )


def _client_connection(given: ClientConnection) -> ClientConnection:
    return structs.replace(
        given,
        content_type=given.content_type or "application/vnd.kubernetes.protobuf",
        qps=given.qps or 50.0,
        burst=given.burst or 100,
    )


def _or(value: T | None, default: T) -> T:
    return default if value is None else value
