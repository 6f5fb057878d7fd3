"""Validation of a decoded and defaulted configuration, before any plugin is made."""

from typing import Any, Final

from scheduler_lab.engine.configuration.durations import Duration
from scheduler_lab.engine.configuration.errors import duplicate, invalid, raise_if_any, required
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.configuration.names_validation import extended_resource_errors
from scheduler_lab.engine.configuration.registry import EXPANSION_ORDER
from scheduler_lab.engine.configuration.types import (
    API_VERSION,
    Extender,
    KubeSchedulerConfiguration,
    LeaderElection,
    PluginArgs,
    Plugins,
    PluginSet,
    Profile,
)
from scheduler_lab.engine.configuration.validation_args import args_errors

_REMOVED: Final = frozenset(["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"])


def validate(document: KubeSchedulerConfiguration, gates: FeatureGates) -> None:
    """Raise ConfigurationError with all faults of a defaulted document, in the scheduler's order."""
    errors: list[str] = []
    if document.client_connection.burst < 0:
        errors.append(invalid("clientConnection.burst", document.client_connection.burst, "must be non-negative"))
    errors += _leader_election(document.leader_election)
    parallelism = document.parallelism or 0
    if parallelism <= 0:
        errors.append(invalid("parallelism", parallelism, "should be an integer value greater than zero"))
    errors += _profiles(document.profiles, gates)
    errors += _percentage("percentageOfNodesToScore", document.percentage_of_nodes_to_score)
    errors += _backoff(document.pod_initial_backoff_seconds or 0, document.pod_max_backoff_seconds or 0)
    errors += _extenders(document.extenders)
    raise_if_any(errors)


def _leader_election(election: LeaderElection) -> list[str]:
    if not election.leader_elect:
        return []
    spans = {
        "leaseDuration": election.lease_duration,
        "renewDeadline": election.renew_deadline,
        "retryPeriod": election.retry_period,
    }
    errors = [
        invalid(f"leaderElection.{name}", str(span), "must be greater than zero")
        for name, span in spans.items()
        if span <= Duration()
    ]
    if election.lease_duration <= election.renew_deadline:
        detail = "must be greater than `RenewDeadline`"
        errors.append(invalid("leaderElection.leaseDuration", str(election.renew_deadline), detail))
    if election.resource_lock != "leases":
        detail = 'resourceLock value must be "leases"'
        errors.append(invalid("leaderElection.resourceLock", election.resource_lock, detail))
    return errors


def _profiles(profiles: list[Profile], gates: FeatureGates) -> list[str]:
    errors: list[str] = []
    names: set[str] = set()
    for index, profile in enumerate(profiles):
        path, name = f"profiles[{index}]", profile.scheduler_name or ""
        if not name:
            errors.append(required(f"{path}.schedulerName"))
        errors += _percentage(f"{path}.percentageOfNodesToScore", profile.percentage_of_nodes_to_score)
        errors += _removed_plugins(profile.plugins or Plugins(), path)
        errors += _plugin_config(profile, path, gates)
        if name in names:
            # Upstream prints the other field's path as an object without visible members.
            errors.append(duplicate(f"{path}.schedulerName", {}))
        names.add(name)
    return errors + _common_queue_sort(profiles)


def _removed_plugins(plugins: Plugins, path: str) -> list[str]:
    """Plugins of older versions at a specific point; multiPoint is not looked at."""
    return [
        invalid(f"{path}.plugins.{point}.enabled[{index}]", plugin.name, _removed_detail())
        for point, attribute in EXPANSION_ORDER.items()
        for index, plugin in enumerate(getattr(plugins, attribute).enabled)
        if plugin.name in _REMOVED
    ]


def _removed_detail() -> str:
    return f'was invalid in version "v1" (KubeSchedulerConfiguration is version "{API_VERSION}")'


def _plugin_config(profile: Profile, path: str, gates: FeatureGates) -> list[str]:
    errors: list[str] = []
    seen: set[str] = set()
    for index, entry in enumerate(profile.plugin_config):
        where = f"{path}.pluginConfig[{index}]"
        if entry.name in seen:
            errors.append(duplicate(where, entry.name))
        seen.add(entry.name)
        if entry.name in _REMOVED:
            errors.append(invalid(where, entry.name, _removed_detail()))
        elif isinstance(entry.args, PluginArgs):
            errors += args_errors(entry.args, f"{where}.args", gates)
    return errors


def _common_queue_sort(profiles: list[Profile]) -> list[str]:
    first = (profiles[0].plugins or Plugins()).queue_sort
    errors: list[str] = []
    if len(first.enabled) > 1:
        detail = "only one queue sort plugin can be enabled"
        errors.append(invalid("profiles[0].plugins.queueSort.Enabled", len(first.enabled), detail))
    name = first.enabled[0].name if first.enabled else ""
    first_args = _args_of(profiles[0], name)
    for index, profile in enumerate(profiles[1:], start=1):
        current = (profile.plugins or Plugins()).queue_sort
        if current != first:
            where = f"profiles[{index}].plugins.queueSort"
            errors.append(invalid(where, _go_plugin_set(current), "must be the same for all profiles"))
        for entry in profile.plugin_config:
            if entry.name == name and entry.args != first_args:
                where = f"profiles[{index}].pluginConfig.args"
                errors.append(invalid(where, entry.args, "queueSort must be the same for all profiles"))
    return errors


def _args_of(profile: Profile, name: str) -> Any:
    return next((entry.args for entry in profile.plugin_config if name and entry.name == name), None)


def _go_plugin_set(plugins: PluginSet) -> dict[str, Any]:
    def entries(side: str) -> list[dict[str, Any]]:
        return [{"Name": plugin.name, "Weight": plugin.weight or 0} for plugin in getattr(plugins, side)]

    return {"Enabled": entries("enabled") or None, "Disabled": entries("disabled") or None}


def _percentage(path: str, percentage: int | None) -> list[str]:
    if percentage is None or 0 <= percentage <= 100:
        return []
    return [invalid(path, percentage, "not in valid range [0-100]")]


def _backoff(initial: int, maximum: int) -> list[str]:
    errors = [] if initial > 0 else [invalid("podInitialBackoffSeconds", initial, "must be greater than 0")]
    if maximum < initial:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        errors.append(invalid("podMaxBackoffSeconds", maximum, detail))
    return errors


def _extenders(extenders: list[Extender]) -> list[str]:
    errors: list[str] = []
    managed: set[str] = set()
    for index, extender in enumerate(extenders):
        path = f"extenders[{index}]"
        if extender.prioritize_verb and extender.weight <= 0:
            errors.append(invalid(f"{path}.weight", extender.weight, "must have a positive weight applied to it"))
        for position, resource in enumerate(extender.managed_resources):
            where = f"{path}.managedResources[{position}].name"
            errors += extended_resource_errors(where, resource.name)
            if resource.name in managed:
                errors.append(invalid(where, resource.name, "duplicate extender managed resource name"))
            managed.add(resource.name)
    binders = sum(1 for extender in extenders if extender.bind_verb)
    if binders > 1:
        found = f"found {binders} extenders implementing bind"
        errors.append(invalid("extenders", found, "only one extender can implement bind"))
    return errors
