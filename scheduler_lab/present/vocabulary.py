"""Names in their upstream order, and short labels for the reasons that plugins give."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

PHASES = (
    "PreEnqueue",
    "QueueSort",
    "PreFilter",
    "Filter",
    "PostFilter",
    "PreScore",
    "Score",
    "Reserve",
    "Permit",
    "PreBind",
    "Bind",
    "PostBind",
)

PLUGIN_ORDER = (
    "SchedulingGates",
    "PrioritySort",
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
    "NodeDeclaredFeatures",
    "GangScheduling",
    "DefaultPreemption",
    "NodeResourcesBalancedAllocation",
    "ImageLocality",
    "DefaultBinder",
)
_RANK = {name: rank for rank, name in enumerate(PLUGIN_ORDER)}

DEFAULT_WEIGHTS = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "NodeResourcesFit": 1,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
    "VolumeBinding": 1,
    "DynamicResources": 2,
}


def in_order(plugins: Iterable[str]) -> list[str]:
    """Plugin names in upstream's default order, unknown ones last by name."""
    return sorted(set(plugins), key=lambda name: (_RANK.get(name, len(_RANK)), name))


_SHORT = {
    "node(s) had untolerated taint(s)": gettext_noop("untolerated taint"),
    "node(s) were unschedulable": gettext_noop("cordoned"),
    "node(s) didn't match Pod's node affinity/selector": gettext_noop("selector does not match"),
    "node(s) didn't match scheduler-enforced node affinity": gettext_noop("enforced affinity"),
    "node(s) didn't match the requested node name": gettext_noop("other node name"),
    "node(s) didn't have free ports for the requested pod ports": gettext_noop("host port in use"),
    "node(s) didn't match pod topology spread constraints": gettext_noop("spread constraint"),
    "node(s) didn't match pod topology spread constraints (missing required label)": gettext_noop(
        "topology label missing"
    ),
    "node(s) didn't match pod affinity rules": gettext_noop("pod affinity"),
    "node(s) didn't match pod anti-affinity rules": gettext_noop("pod anti-affinity"),
    "node(s) didn't satisfy existing pods anti-affinity rules": gettext_noop("anti-affinity of a running pod"),
    "node(s) exceed max volume count": gettext_noop("volume limit"),
    "node(s) had no available volume zone": gettext_noop("volume in another zone"),
    "node(s) didn't find available persistent volumes to bind": gettext_noop("no volume to bind"),
    "node(s) did not have enough free storage": gettext_noop("not enough storage"),
    "node(s) didn't match PersistentVolume's node affinity": gettext_noop("volume on another node"),
    "node(s) had no available disk": gettext_noop("disk in use"),
    "Preemption is not helpful for scheduling": gettext_noop("preemption cannot help"),
    "No preemption victims found for incoming pod": gettext_noop("no victims found"),
}


def short_reason(reason: str) -> str:
    """A label that fits a cell for a known reason text; other texts are returned as they are."""
    return _short(reason) or reason


def _short(reason: str) -> str:
    if reason in _SHORT:
        return _(_SHORT[reason])
    if match := re.fullmatch(r"rejected due to timeout after waiting \S+ at plugin (\S+)", reason):
        return _("timed out at Permit (%(plugin)s)") % {"plugin": match.group(1)}
    if "ReadWriteOncePod" in reason:
        return _("claim in use (ReadWriteOncePod)")
    if match := re.fullmatch(r"node\(s\) didn't satisfy plugin\(s\) \[(.+)\]", reason):
        return _("left out by %(plugins)s") % {"plugins": match.group(1)}
    return ""
