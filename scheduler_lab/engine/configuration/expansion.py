"""What making a profile does: its plugins at every extension point, their weights, and the errors of construction."""

from typing import Final

from msgspec import Struct

from scheduler_lab.engine.configuration.defaults import missing_args
from scheduler_lab.engine.configuration.errors import ConfigurationError, quote, raise_if_any
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.configuration.registry import EXPANSION_ORDER, PluginPoints
from scheduler_lab.engine.configuration.types import (
    CoschedulingArgs,
    NodeResourcesFitArgs,
    Plugin,
    Plugins,
    PluginSet,
    Profile,
)
from scheduler_lab.engine.configuration.validation_args import coscheduling_errors, fit_errors

MAX_NODE_SCORE: Final = 100
_INT64_RANGE: Final = 1 << 64
_MAX_INT64: Final = 2**63 - 1


class Expanded(Struct, frozen=True):
    """Plugin names in order by extension point, the weights of the score plugins, and the args by plugin."""

    points: dict[str, list[str]]
    score_weights: dict[str, int]
    args: dict[str, object]


def expand(profile: Profile, registry: PluginPoints, gates: FeatureGates) -> Expanded:
    """Set a profile's plugins up as the framework does; raises ConfigurationError where it would give up.

    Needed are the plugins enabled anywhere, multiPoint included; a plugin's args are checked when it is made, even if
    it ends up at no extension point.
    """
    plugins = profile.plugins or Plugins()
    needed = _needed(plugins)
    args = _args(profile, needed, gates)
    _check_factories(args, needed)
    made = {name: points for name, points in registry.items() if name in needed}
    specific = {point: _specific(point, getattr(plugins, field), made) for point, field in EXPANSION_ORDER.items()}
    points = {
        point: _expanded(point, getattr(plugins, field), specific[point], plugins.multi_point.enabled, made)
        for point, field in EXPANSION_ORDER.items()
    }
    name = quote(profile.scheduler_name or "")
    sorters = len(points["queueSort"])
    if sorters != 1:
        text = f"only one queue sort plugin required for profile with scheduler name {name}, but got {sorters}"
        raise ConfigurationError(text)
    if not points["bind"]:
        raise ConfigurationError(f"at least one bind plugin is needed for profile with scheduler name {name}")
    weights = _weights([*plugins.score.enabled, *plugins.multi_point.enabled], made)
    return Expanded(points=points, score_weights={name: weights[name] for name in points["score"]}, args=args)


def _needed(plugins: Plugins) -> set[str]:
    fields = [*EXPANSION_ORDER.values(), "multi_point"]
    return {plugin.name for field in fields for plugin in getattr(plugins, field).enabled}


def _args(profile: Profile, needed: set[str], gates: FeatureGates) -> dict[str, object]:
    args: dict[str, object] = {}
    for entry in profile.plugin_config:
        if entry.name in args:
            raise ConfigurationError(f"repeated config for plugin {entry.name}")
        args[entry.name] = entry.args
    for name in sorted(needed):
        default = missing_args(name, gates)
        if name not in args and default is not None:
            args[name] = default
    return args


def _check_factories(args: dict[str, object], needed: set[str]) -> None:
    gang = args.get("Coscheduling")
    if "Coscheduling" in needed and isinstance(gang, CoschedulingArgs):
        try:
            raise_if_any(coscheduling_errors(gang))
        except ConfigurationError as error:
            raise ConfigurationError(f'initializing plugin "Coscheduling": {error}') from None
    fit = args.get("NodeResourcesFit")
    if "NodeResourcesFit" not in needed or not isinstance(fit, NodeResourcesFitArgs):
        return
    try:
        raise_if_any(fit_errors(fit))
    except ConfigurationError as error:
        raise ConfigurationError(f'initializing plugin "NodeResourcesFit": {error}') from None
    strategy = fit.scoring_strategy
    if strategy is not None and strategy.type == "RequestedToCapacityRatio":
        if strategy.requested_to_capacity_ratio is not None:
            return
        # v1.35 does not check this and crashes when it makes the plugin.
        raise ConfigurationError("panic: runtime error: invalid memory address or nil pointer dereference")


def _type_name(point: str) -> str:
    return f"{point[0].upper()}{point[1:]}Plugin"


def _specific(point: str, plugins: PluginSet, made: PluginPoints) -> list[str]:
    """The plugins that the point's own list enables."""
    kind = _type_name(point)
    names: list[str] = []
    for plugin in plugins.enabled:
        name = plugin.name
        if name not in made:
            raise ConfigurationError(f"{kind} {quote(name)} does not exist")
        if point not in made[name]:
            raise ConfigurationError(f"plugin {quote(name)} does not extend {kind} plugin")
        if name in names:
            raise ConfigurationError(f"plugin {quote(name)} already registered as {quote(kind)}")
        names.append(name)
    return names


def _expanded(
    point: str, plugins: PluginSet, specific: list[str], multi_point: list[Plugin], made: PluginPoints
) -> list[str]:
    """Overrides of multiPoint plugins first, then the other multiPoint plugins, then what only the point lists."""
    if plugins.disables("*"):
        return specific
    kind = _type_name(point)
    overrides: set[str] = set()
    general: list[str] = []
    for plugin in multi_point:
        name = plugin.name
        if name not in made:
            raise ConfigurationError(f"{kind} {quote(name)} does not exist")
        if point not in made[name] or plugins.disables(name):
            continue
        if name in specific:
            overrides.add(name)
        elif name in general:
            raise ConfigurationError(f"plugin {quote(name)} already registered as {quote(kind)}")
        else:
            general.append(name)
    first = [name for name in specific if name in overrides]
    return [*first, *general, *(name for name in specific if name not in overrides)]


def _weights(plugins: list[Plugin], made: PluginPoints) -> dict[str, int]:
    """The weight of every score plugin, the score list's before multiPoint's; 0 is 1.

    The check for an overflow of the total wraps around as 64-bit arithmetic does, so that a negative weight in front
    makes the next plugin fail.
    """
    weights: dict[str, int] = {}
    total = 0
    for plugin in plugins:
        name = plugin.name
        if name in weights or "score" not in made.get(name, ()):
            continue
        weights[name] = plugin.weight or 1
        share = weights[name] * MAX_NODE_SCORE
        if share > _wrapped(_MAX_INT64 - total):
            raise ConfigurationError("total score of Score plugins could overflow")
        total = _wrapped(total + share)
    return weights


def _wrapped(number: int) -> int:
    return (number + _INT64_RANGE // 2) % _INT64_RANGE - _INT64_RANGE // 2
