"""Why a plugin is where it is: a configuration read back for teaching."""

from typing import Literal

from msgspec import Struct

from scheduler_lab.engine.configuration.loading import Configuration, ProfileConfiguration
from scheduler_lab.engine.configuration.registry import EXPANSION_ORDER
from scheduler_lab.engine.configuration.types import Plugins

Origin = Literal["default", "user", "override", "moved"]


class PluginUse(Struct, frozen=True):
    """A plugin at an extension point, with its weight at score.

    `origin` is "default" for one nobody touched, "override" for a default that the profile lists again (in place in
    multiPoint, at the front of a point), "moved" for a default that is disabled and enabled and so comes behind the
    others, "user" for one that is no default.
    """

    name: str
    origin: Origin
    weight: int | None = None


class ProfileDescription(Struct, frozen=True):
    """A profile's plugins in order by extension point, and the defaults that the point goes without."""

    scheduler_name: str
    points: dict[str, list[PluginUse]]
    without: dict[str, list[str]]


def describe(configuration: Configuration, defaults: Configuration) -> list[ProfileDescription]:
    """Every profile of a configuration, told against the default one (`load(None, gates)`)."""
    return [_describe(profile, defaults.profiles[0]) for profile in configuration.profiles]


def _describe(profile: ProfileConfiguration, default: ProfileConfiguration) -> ProfileDescription:
    written = profile.written or Plugins()
    points = {}
    without = {}
    for point, attribute in EXPANSION_ORDER.items():
        points[point] = [
            PluginUse(
                name=name,
                origin=_origin(name, attribute, written, default.points[point]),
                weight=profile.score_weights.get(name) if point == "score" else None,
            )
            for name in profile.points[point]
        ]
        without[point] = [name for name in default.points[point] if name not in profile.points[point]]
    return ProfileDescription(scheduler_name=profile.scheduler_name, points=points, without=without)


def _origin(name: str, attribute: str, written: Plugins, defaults: list[str]) -> Origin:
    if name not in defaults:
        return "user"
    specific, general = getattr(written, attribute), written.multi_point
    listed = any(plugin.name == name for plugin in specific.enabled)
    if listed:
        gone = specific.disables(name) or specific.disables("*") or _disabled_only(name, written)
        return "moved" if gone else "override"
    if any(plugin.name == name for plugin in general.enabled):
        return "moved" if general.disables(name) or general.disables("*") else "override"
    return "default"


def _disabled_only(name: str, written: Plugins) -> bool:
    general = written.multi_point
    enabled = any(plugin.name == name for plugin in general.enabled)
    return not enabled and (general.disables(name) or general.disables("*"))
