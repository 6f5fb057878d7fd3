"""The in-tree plugins by upstream's name, in upstream's order. Adding a plugin is one line here."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.plugins.coscheduling import Coscheduling
from scheduler_lab.engine.plugins.default_binder import DefaultBinder
from scheduler_lab.engine.plugins.default_preemption import DefaultPreemption
from scheduler_lab.engine.plugins.dynamic_resources import DynamicResources
from scheduler_lab.engine.plugins.gang_scheduling import GangScheduling
from scheduler_lab.engine.plugins.image_locality import ImageLocality
from scheduler_lab.engine.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_lab.engine.plugins.lab_permit import LabPermit
from scheduler_lab.engine.plugins.node_affinity import NodeAffinity
from scheduler_lab.engine.plugins.node_declared_features import NodeDeclaredFeatures
from scheduler_lab.engine.plugins.node_name import NodeName
from scheduler_lab.engine.plugins.node_ports import NodePorts
from scheduler_lab.engine.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from scheduler_lab.engine.plugins.node_resources_fit import NodeResourcesFit
from scheduler_lab.engine.plugins.node_unschedulable import NodeUnschedulable
from scheduler_lab.engine.plugins.node_volume_limits import NodeVolumeLimits
from scheduler_lab.engine.plugins.pod_topology_spread import PodTopologySpread
from scheduler_lab.engine.plugins.priority_sort import PrioritySort
from scheduler_lab.engine.plugins.scheduling_gates import SchedulingGates
from scheduler_lab.engine.plugins.taint_toleration import TaintToleration
from scheduler_lab.engine.plugins.volume_binding import VolumeBinding
from scheduler_lab.engine.plugins.volume_restrictions import VolumeRestrictions
from scheduler_lab.engine.plugins.volume_zone import VolumeZone

_CLASSES: tuple[type[Any], ...] = (
    SchedulingGates,
    PrioritySort,
    NodeUnschedulable,
    NodeName,
    TaintToleration,
    NodeAffinity,
    NodePorts,
    NodeResourcesFit,
    VolumeRestrictions,
    NodeVolumeLimits,
    VolumeBinding,
    VolumeZone,
    PodTopologySpread,
    InterPodAffinity,
    DynamicResources,
    DefaultPreemption,
    NodeResourcesBalancedAllocation,
    ImageLocality,
    DefaultBinder,
    NodeDeclaredFeatures,
    GangScheduling,
)

IN_TREE: dict[str, type[Any]] = {plugin.name: plugin for plugin in _CLASSES}
"""Name → class, called as `cls(args, handle)`."""

LAB: dict[str, type[Any]] = {LabPermit.name: LabPermit}
"""The lab's scripted plugins, which a configuration has to enable."""

OUT_OF_TREE: dict[str, type[Any]] = {Coscheduling.name: Coscheduling}
"""Plugins of kubernetes-sigs/scheduler-plugins, which a configuration has to enable."""


def plugin_class(name: str) -> type[Any]:
    """The class of a plugin; raises KeyError for a name that no registry has."""
    return IN_TREE.get(name) or LAB.get(name) or OUT_OF_TREE[name]
