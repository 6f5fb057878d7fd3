"""Validation of the args of the in-tree plugins."""

from msgspec import structs

from scheduler_lab.engine.configuration.defaults import binding_timeout_allowed
from scheduler_lab.engine.configuration.durations import Duration
from scheduler_lab.engine.configuration.errors import (
    EmptyList,
    child,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.configuration.names_validation import label_name_errors
from scheduler_lab.engine.configuration.node_selector_errors import node_selector_errors, preferred_terms_errors
from scheduler_lab.engine.configuration.types import (
    CoschedulingArgs,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from scheduler_lab.engine.objects.affinity import TopologySpreadConstraint

_SPREAD_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")


def args_errors(args: PluginArgs, path: str, gates: FeatureGates) -> list[str]:
    """The faults of defaulted args at `path`, in the scheduler's order.

    NodeResourcesFit's are not among them: the scheduler checks those when it makes the plugin (`fit_errors`).
    """
    match args:
        case DefaultPreemptionArgs():
            return _default_preemption(args, path)
        case DynamicResourcesArgs():
            return _dynamic_resources(args, path, gates)
        case InterPodAffinityArgs():
            weight = args.hard_pod_affinity_weight or 0
            in_range = 0 <= weight <= 100
            return [] if in_range else [invalid(f"{path}.hardPodAffinityWeight", weight, "not in valid range [0, 100]")]
        case NodeAffinityArgs():
            return _node_affinity(args, path)
        case NodeResourcesBalancedAllocationArgs():
            return _balanced_allocation(args, path)
        case PodTopologySpreadArgs():
            return _pod_topology_spread(args, path)
        case VolumeBindingArgs():
            return _volume_binding(args, path, gates)
    return []


def coscheduling_errors(args: CoschedulingArgs) -> list[str]:
    """The faults of Coscheduling's args, which the plugin checks when it is made; its paths begin at the args."""
    errors = [
        invalid(path, seconds, "must be greater than 0")
        for path, seconds in (
            ("permitWaitingTimeSeconds", args.permit_waiting_time_seconds or 0),
            ("podGroupBackoffSeconds", args.pod_group_backoff_seconds or 0),
        )
        if seconds < 0
    ]
    percentage = args.pod_group_reject_percentage or 0
    if not 0 <= percentage <= 100:
        errors.append(invalid("podGroupRejectPercentage", percentage, "must be between 0 and 100"))
    return errors


def fit_errors(args: NodeResourcesFitArgs) -> list[str]:
    """The faults of NodeResourcesFit's args, with paths relative to the args."""
    errors: list[str] = []
    for index, name in enumerate(args.ignored_resources):
        errors += label_name_errors(f"ignoredResources[{index}]", name)
    for index, group in enumerate(args.ignored_resource_groups):
        where = f"ignoredResourceGroups[{index}]"
        if "/" in group:
            errors.append(invalid(where, group, "resource group name can't contain '/'"))
        errors += label_name_errors(where, group)
    strategy = args.scoring_strategy
    if strategy is None:
        return errors
    if strategy.type not in _STRATEGIES:
        errors.append(not_supported("scoringStrategy.type", strategy.type, _STRATEGIES))
    errors += _resource_weights(strategy.resources, "scoringStrategy.resources")
    if strategy.requested_to_capacity_ratio is not None:
        errors += _shape(strategy.requested_to_capacity_ratio.shape, "scoringStrategy.shape")
    return errors


def _default_preemption(args: DefaultPreemptionArgs, path: str) -> list[str]:
    percentage, absolute = args.min_candidate_nodes_percentage or 0, args.min_candidate_nodes_absolute or 0
    percentage_path, absolute_path = f"{path}.minCandidateNodesPercentage", f"{path}.minCandidateNodesAbsolute"
    errors = []
    if not 0 <= percentage <= 100:
        errors.append(invalid(percentage_path, percentage, "not in valid range [0, 100]"))
    if absolute < 0:
        errors.append(invalid(absolute_path, absolute, "not in valid range [0, inf)"))
    if percentage == 0 and absolute == 0:
        both = "cannot be zero at the same time as"
        errors.append(invalid(percentage_path, 0, f"{both} minCandidateNodesAbsolute"))
        errors.append(invalid(absolute_path, 0, f"{both} minCandidateNodesPercentage"))
    return errors


def _dynamic_resources(args: DynamicResourcesArgs, path: str, gates: FeatureGates) -> list[str]:
    errors = []
    filter_timeout, binding_timeout = args.filter_timeout, args.binding_timeout
    if filter_timeout is not None:
        where = f"{path}.filterTimeout"
        if not gates.enabled("DRASchedulerFilterTimeout"):
            errors.append(forbidden(where, "DRASchedulingFilterTimeout feature gate is disabled"))
        elif filter_timeout.nanos < 0:
            errors.append(invalid(where, str(filter_timeout), "must be zero or positive"))
    if binding_timeout is not None:
        where = f"{path}.bindingTimeout"
        if not binding_timeout_allowed(gates):
            gate_names = "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus"
            errors.append(forbidden(where, f"{gate_names} feature gate is disabled"))
        elif binding_timeout < Duration.of_seconds(1):
            errors.append(invalid(where, str(binding_timeout), "must be at least 1 second"))
    return errors


def _node_affinity(args: NodeAffinityArgs, path: str) -> list[str]:
    affinity = args.added_affinity
    if affinity is None:
        return []
    errors: list[str] = []
    needed = affinity.required_during_scheduling_ignored_during_execution
    if needed is not None:
        errors += node_selector_errors(needed, f"{path}.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution")
    preferred = affinity.preferred_during_scheduling_ignored_during_execution or []
    where = f"{path}.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution"
    return errors + preferred_terms_errors(preferred, where)


def _balanced_allocation(args: NodeResourcesBalancedAllocationArgs, path: str) -> list[str]:
    errors = []
    seen: set[str] = set()
    for index, resource in enumerate(args.resources):
        where = f"{path}.resources[{index}]"
        if resource.name in seen:
            errors.append(duplicate(f"{where}.name", resource.name))
        seen.add(resource.name)
        if resource.weight != 1:
            errors.append(invalid(f"{where}.weight", resource.weight, "must be 1"))
    return errors


def _pod_topology_spread(args: PodTopologySpreadArgs, path: str) -> list[str]:
    errors: list[str] = []
    constraints, where = args.default_constraints, f"{path}.defaultingType"
    if args.defaulting_type not in ("System", "List"):
        errors.append(not_supported(where, args.defaulting_type, ("System", "List")))
    elif args.defaulting_type == "System" and constraints:
        errors.append(invalid(where, args.defaulting_type, "when .defaultConstraints are not empty"))
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(constraints):
        errors += _constraint(constraint, f"{path}.defaultConstraints[{index}]", seen)
    return errors


def _constraint(constraint: TopologySpreadConstraint, path: str, seen: set[tuple[str, str]]) -> list[str]:
    """The faults of one default constraint; `seen` holds the (key, action) pairs before it."""
    errors: list[str] = []
    key, action = constraint.topology_key, constraint.when_unsatisfiable
    if constraint.max_skew <= 0:
        errors.append(invalid(f"{path}.maxSkew", constraint.max_skew, "not in valid range (0, inf)"))
    key_path = f"{path}.topologyKey"
    errors += label_name_errors(key_path, key) if key else [required(key_path, "can not be empty")]
    if not action:
        errors.append(required(f"{path}.whenUnsatisfiable", "can not be empty"))
    elif action not in _SPREAD_ACTIONS:
        errors.append(not_supported(f"{path}.whenUnsatisfiable", action, _SPREAD_ACTIONS))
    if constraint.label_selector is not None:
        detail = "constraint must not define a selector, as they deduced for each pod"
        errors.append(forbidden(f"{path}.labelSelector", detail))
    if (key, action) in seen:
        errors.append(duplicate(path, f"{{{key}, {action}}}"))
    seen.add((key, action))
    return errors


def _volume_binding(args: VolumeBindingArgs, path: str, gates: FeatureGates) -> list[str]:
    errors: list[str] = []
    timeout = args.bind_timeout_seconds or 0
    if timeout < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        errors.append(invalid(f"{path}.bindTimeoutSeconds", timeout, detail))
    shape, where = args.shape, child(path, "shape")
    if gates.enabled("StorageCapacityScoring"):
        errors += _shape(shape or [], where)
    elif shape is not None:
        points = [{"Utilization": point.utilization, "Score": point.score} for point in shape] or EmptyList()
        detail = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
        errors.append(invalid(where, points, detail))
    return errors


def _shape(shape: list[UtilizationShapePoint], path: str) -> list[str]:
    if not shape:
        return [required(path, "at least one point must be specified")]
    errors = []
    for index in range(1, len(shape)):
        if shape[index - 1].utilization >= shape[index].utilization:
            where = f"{path}[{index}].utilization"
            errors.append(invalid(where, shape[index].utilization, "values must be sorted in increasing order"))
            break
    for index, point in enumerate(shape):
        for name, limit in (("utilization", 100), ("score", 10)):
            value = structs.asdict(point)[name]
            if not 0 <= value <= limit:
                errors.append(invalid(f"{path}[{index}].{name}", value, f"not in valid range [0, {limit}]"))
    return errors


def _resource_weights(resources: list[ResourceSpec], path: str) -> list[str]:
    return [
        invalid(
            f"{path}[{index}].weight",
            resource.weight,
            f"resource weight of {resource.name} not in valid range (0, 100]",
        )
        for index, resource in enumerate(resources)
        if not 0 < resource.weight <= 100
    ]
