"""Which plugin serves which extension point, by the engine's own registry and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from scheduler_lab.engine.configuration.feature_gates import resolve
from scheduler_lab.engine.configuration.registry import IN_TREE, KNOWN_PLUGINS, default_plugins
from scheduler_lab.engine.plugins.registry import plugin_class

POINTS = (
    "PreEnqueue",
    "QueueSort",
    "PreFilter",
    "Filter",
    "PostFilter",
    "PreScore",
    "Score",
    "NormalizeScore",
    "Reserve",
    "Permit",
    "PreBind",
    "Bind",
    "PostBind",
)
"""The extension points in the order in which a pod meets them."""

QUEUE = "Queue"
"""The page on what lies between the attempts; no extension point."""

EXTENDER = "Extender"
"""Stands among the plugins, as it does in a pod's list of rejectors."""

DOCUMENTS = ("Plugin", "PodGroup", "Volcano")
"""The documents of a lab text that are no part of Kubernetes and have a page."""

EXTENDER_POINTS = ("Filter", "PostFilter", "Score", "Bind")


@dataclass(frozen=True)
class Standing:
    """A plugin's place in the default profile; `gates` are those that have to be on."""

    points: tuple[str, ...]
    enabled: bool
    weight: int | None = None
    gates: tuple[str, ...] = ()


_GATES = {
    "NodeDeclaredFeatures": ("NodeDeclaredFeatures",),
    "GangScheduling": ("GenericWorkload", "GangScheduling"),
}


@cache
def plugins() -> tuple[str, ...]:
    """Every plugin that has a page, in upstream's order; the lab's own and the extenders come last."""
    return (*KNOWN_PLUGINS, EXTENDER)


@cache
def standing(plugin: str) -> Standing:
    """The plugin's place in the default profile."""
    if plugin == EXTENDER:
        return Standing(EXTENDER_POINTS, enabled=False)
    served = {name[0].upper() + name[1:] for name in KNOWN_PLUGINS[plugin]}
    if hasattr(plugin_class(plugin), "normalize_score"):
        served.add("NormalizeScore")
    defaults = {entry.name: entry for entry in default_plugins(resolve())}
    entry = defaults.get(plugin)
    weight = (entry.weight if entry and entry.weight is not None else 1) if "Score" in served else None
    points = tuple(point for point in POINTS if point in served)
    return Standing(points, entry is not None, weight, _GATES.get(plugin, ()))


@cache
def plugins_at(point: str) -> tuple[str, ...]:
    """The plugins that serve an extension point, in the order in which the default profile calls them."""
    return tuple(plugin for plugin in plugins() if point in standing(plugin).points)


def is_in_tree(plugin: str) -> bool:
    """Whether kube-scheduler itself has the plugin."""
    return plugin in IN_TREE
