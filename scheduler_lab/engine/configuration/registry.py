"""The plugins that the scheduler knows, which extension points each serves, and the default multiPoint list."""

from collections.abc import Mapping
from typing import Final

from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.configuration.types import Plugin

PluginPoints = Mapping[str, frozenset[str]]
"""Plugin name → the extension points it implements, as the configuration spells them."""

EXPANSION_ORDER: Final[dict[str, str]] = {
    "preFilter": "pre_filter",
    "filter": "filter",
    "postFilter": "post_filter",
    "reserve": "reserve",
    "preScore": "pre_score",
    "score": "score",
    "preBind": "pre_bind",
    "bind": "bind",
    "postBind": "post_bind",
    "permit": "permit",
    "preEnqueue": "pre_enqueue",
    "queueSort": "queue_sort",
}
"""Every extension point in the order in which the scheduler sets them up → the attribute of `Plugins`."""


def _points(text: str) -> frozenset[str]:
    return frozenset(text.split())


IN_TREE: Final[dict[str, frozenset[str]]] = {
    "SchedulingGates": _points("preEnqueue"),
    "PrioritySort": _points("queueSort"),
    "NodeUnschedulable": _points("filter"),
    "NodeName": _points("filter"),
    "TaintToleration": _points("filter preScore score"),
    "NodeAffinity": _points("preFilter filter preScore score"),
    "NodePorts": _points("preFilter filter"),
    "NodeResourcesFit": _points("preFilter filter preScore score"),
    "VolumeRestrictions": _points("preFilter filter"),
    "NodeVolumeLimits": _points("preFilter filter"),
    "VolumeBinding": _points("preFilter filter preScore score reserve preBind"),
    "VolumeZone": _points("preFilter filter"),
    "PodTopologySpread": _points("preFilter filter preScore score"),
    "InterPodAffinity": _points("preFilter filter preScore score"),
    "DynamicResources": _points("preEnqueue preFilter filter postFilter score reserve preBind"),
    "DefaultPreemption": _points("preEnqueue postFilter"),
    "NodeResourcesBalancedAllocation": _points("preScore score"),
    "ImageLocality": _points("score"),
    "DefaultBinder": _points("bind"),
    "NodeDeclaredFeatures": _points("preFilter filter"),
    "GangScheduling": _points("preEnqueue reserve permit"),
}
"""kube-scheduler v1.35's own plugins; their place in the defaults is that of `default_plugins`."""

LAB: Final[dict[str, frozenset[str]]] = {"LabPermit": _points("permit")}
"""The lab's scripted plugin, which a configuration has to enable."""

OUT_OF_TREE: Final[dict[str, frozenset[str]]] = {
    "Coscheduling": _points("queueSort preFilter postFilter reserve permit"),
}
"""Plugins of kubernetes-sigs/scheduler-plugins, which a configuration has to enable."""

KNOWN_PLUGINS: Final[PluginPoints] = {**IN_TREE, **LAB, **OUT_OF_TREE}
"""The registry of a scheduler without further plugins."""

_WEIGHTS: Final = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "NodeResourcesFit": 1,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "DynamicResources": 2,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
}
_GATED: Final = {"NodeDeclaredFeatures": "NodeDeclaredFeatures", "GangScheduling": "GangScheduling"}


def default_plugins(gates: FeatureGates) -> list[Plugin]:
    """The default multiPoint list in order, with the weights; gated plugins come at the end when their gate is on."""
    names = [name for name in IN_TREE if name not in _GATED or gates.enabled(_GATED[name])]
    return [Plugin(name=name, weight=_WEIGHTS.get(name)) for name in names]
