"""From a KubeSchedulerConfiguration document to what the scheduler runs with, or to the error that stops it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, structs

from scheduler_lab.engine.configuration.defaults import with_defaults
from scheduler_lab.engine.configuration.document import decode_document
from scheduler_lab.engine.configuration.durations import Duration
from scheduler_lab.engine.configuration.errors import ConfigurationError, quote
from scheduler_lab.engine.configuration.expansion import Expanded, expand
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.configuration.registry import KNOWN_PLUGINS, PluginPoints
from scheduler_lab.engine.configuration.types import (
    Extender,
    KubeSchedulerConfiguration,
    NodeResourcesFitArgs,
    PluginConfig,
    Plugins,
    Profile,
)
from scheduler_lab.engine.configuration.validation import validate
from scheduler_lab.engine.objects.raw import DuplicateKey, RawObject

DEFAULT_EXTENDER_TIMEOUT: Final = Duration.of_seconds(5)


class ProfileConfiguration(Struct, frozen=True):
    """One profile as it runs.

    `points` lists plugin names in order for every extension point ("preFilter", …, empty ones included);
    `score_weights` has the plugins of `points["score"]`; `args` the typed, defaulted args of in-tree plugins and those
    of other plugins as written. `written` are the profile's plugins as the document gives them, `merged` with defaults.
    """

    scheduler_name: str
    percentage_of_nodes_to_score: int | None
    points: dict[str, list[str]]
    score_weights: dict[str, int]
    args: dict[str, Any]
    merged: Plugins
    written: Plugins | None = None


class Configuration(Struct, frozen=True):
    """A scheduler's configuration as it runs.

    `configured_extenders` are in the document's order; `extenders` in the order in which they are asked, ignorable ones
    last. `document` is the decoded document with all defaults.
    """

    parallelism: int
    percentage_of_nodes_to_score: int
    pod_initial_backoff_seconds: int
    pod_max_backoff_seconds: int
    profiles: list[ProfileConfiguration]
    extenders: list[Extender]
    configured_extenders: list[Extender]
    document: KubeSchedulerConfiguration

    def profile(self, scheduler_name: str) -> ProfileConfiguration | None:
        """The profile of that scheduler name, or None: a pod that names it is left alone."""
        return next((profile for profile in self.profiles if profile.scheduler_name == scheduler_name), None)


def load(
    raw: Mapping[str, Any] | None,
    gates: FeatureGates,
    registry: PluginPoints = KNOWN_PLUGINS,
    *,
    duplicates: Sequence[DuplicateKey] = (),
    json_document: bool = False,
) -> Configuration:
    """Decode, default, validate and expand a document (None: the default configuration).

    `registry` tells which plugins exist and which extension points each implements. `duplicates` are the keys that the
    document holds twice; `json_document` says that its text was JSON, which changes the order of some errors. Raises
    ConfigurationError with the text that kube-scheduler v1.35 fails to start with.
    """
    written = KubeSchedulerConfiguration()
    if raw is not None:
        written = decode_document(raw, duplicates, json_document=json_document)
    document = with_defaults(written, gates)
    validate(document, gates)
    extenders, profiles = _build_extenders(document)
    document = structs.replace(document, profiles=profiles)
    made = _build_profiles(profiles, registry, gates)
    sources = [profile.plugins for profile in written.profiles] or [None]
    return Configuration(
        parallelism=document.parallelism or 0,
        percentage_of_nodes_to_score=document.percentage_of_nodes_to_score or 0,
        pod_initial_backoff_seconds=document.pod_initial_backoff_seconds or 0,
        pod_max_backoff_seconds=document.pod_max_backoff_seconds or 0,
        profiles=[_profile(*parts) for parts in zip(profiles, made, sources, strict=True)],
        extenders=sorted(extenders, key=lambda extender: extender.ignorable),
        configured_extenders=extenders,
        document=document,
    )


def load_object(item: RawObject | None, gates: FeatureGates, registry: PluginPoints = KNOWN_PLUGINS) -> Configuration:
    """As `load`, of a configuration document of a manifest with its duplicate keys; None: the default configuration."""
    if item is None:
        return load(None, gates, registry)
    json_document = item.text.lstrip().startswith("{")
    return load(item.raw, gates, registry, duplicates=item.duplicates, json_document=json_document)


def _profile(profile: Profile, expanded: Expanded, written: Plugins | None) -> ProfileConfiguration:
    return ProfileConfiguration(
        scheduler_name=profile.scheduler_name or "",
        percentage_of_nodes_to_score=profile.percentage_of_nodes_to_score,
        points=expanded.points,
        score_weights=expanded.score_weights,
        args=dict(expanded.args),
        merged=profile.plugins or Plugins(),
        written=written,
    )


def _build_extenders(document: KubeSchedulerConfiguration) -> tuple[list[Extender], list[Profile]]:
    """The extenders with their timeouts, and the profiles whose NodeResourcesFit ignores what extenders manage."""
    extenders = [
        extender if extender.http_timeout.nanos else structs.replace(extender, http_timeout=DEFAULT_EXTENDER_TIMEOUT)
        for extender in document.extenders
    ]
    ignored = [
        resource.name
        for extender in extenders
        for resource in extender.managed_resources
        if resource.ignored_by_scheduler
    ]
    if not ignored:
        return extenders, document.profiles
    return extenders, [_ignoring(profile, ignored) for profile in document.profiles]


def _ignoring(profile: Profile, resources: list[str]) -> Profile:
    entries: list[PluginConfig] = []
    found = False
    for entry in profile.plugin_config:
        if entry.name == "NodeResourcesFit" and isinstance(entry.args, NodeResourcesFitArgs):
            found = True
            args = structs.replace(entry.args, ignored_resources=resources)
            entries.append(structs.replace(entry, args=args))
        else:
            entries.append(entry)
    if not found:
        raise ConfigurationError("couldn't build extenders: can't find NodeResourcesFitArgs in plugin config")
    return structs.replace(profile, plugin_config=entries)


def _build_profiles(profiles: list[Profile], registry: PluginPoints, gates: FeatureGates) -> list[Expanded]:
    made: list[Expanded] = []
    for profile in profiles:
        name = profile.scheduler_name or ""
        try:
            expanded = expand(profile, registry, gates)
        except ConfigurationError as error:
            if str(error).startswith("panic: "):
                raise
            text = f"initializing profiles: creating profile for scheduler name {name}: {error}"
            raise ConfigurationError(text) from None
        if made:
            _check_queue_sort(name, made[0], expanded)
        made.append(expanded)
    return made


def _check_queue_sort(name: str, first: Expanded, current: Expanded) -> None:
    """All profiles share one queue, so they have to sort it alike."""
    wanted, sort = first.points["queueSort"][0], current.points["queueSort"][0]
    if sort != wanted:
        text = f"different queue sort plugins for profile {quote(name)}: {quote(sort)}, first: {quote(wanted)}"
        raise ConfigurationError(f"initializing profiles: {text}")
    if first.args.get(wanted) != current.args.get(sort):
        raise ConfigurationError(f"initializing profiles: different queue sort plugin args for profile {quote(name)}")
