"""What a plugin did at an extension point where it answers without a reason, in a sentence."""

from __future__ import annotations

from django.utils.translation import gettext as _

from scheduler_lab.present.facts import CycleFacts, Json

CLAIMS = ("VolumeBinding", "DynamicResources")
"""Plugins that set aside what the claims of a pod need."""


def did(member: str, entry: Json, facts: CycleFacts) -> str:
    """The sentence for one answer; "" where its reasons say it, or where only the plugin's author knows."""
    plugin, code = entry["plugin"], entry["code"]
    if member == "postFilter":
        return _post_filter(plugin, entry, facts)
    if code != "Success":
        return ""
    say = {
        "preFilter": _pre_filter,
        "preScore": _pre_score,
        "reserve": _reserve,
        "unreserve": _unreserve,
        "preBindPreFlight": _pre_flight,
        "preBind": _pre_bind,
        "bind": _bind,
        "postBind": _post_bind,
    }.get(member)
    return say(plugin, facts) if say else ""


def has_claims(plugin: str, facts: CycleFacts) -> bool:
    """Whether the pod has claims for the plugin: then its PreFilter did not skip."""
    return any(entry["plugin"] == plugin and entry["code"] == "Success" for entry in facts.entries("preFilter"))


def _post_filter(plugin: str, entry: Json, facts: CycleFacts) -> str:
    reasons = " ".join(entry.get("reasons", []))
    if plugin == "DynamicResources" and reasons in ("no new claims to deallocate", "still not schedulable"):
        return _("It could give up devices that were allocated for this pod but do not fit; there are none.")
    if plugin == "DefaultPreemption" and "is not helpful" in reasons and not facts.evidence("postFilter", plugin):
        return _("Removing pods would change none of the rejections, so no eviction was tried.")
    if plugin == "DefaultPreemption" and "preemptionPolicy=Never" in reasons:
        return _("The pod itself forbids evicting others for it.")
    return ""


def _pre_filter(plugin: str, facts: CycleFacts) -> str:
    return {
        "NodeResourcesFit": _("Added up what the pod requests, once for all nodes."),
        "NodeAffinity": _("Read the nodeSelector and the required node affinity; each node is checked against them."),
        "NodeVolumeLimits": _("The pod has volumes, so the limit of each node is checked."),
    }.get(plugin, "")


def _pre_score(plugin: str, facts: CycleFacts) -> str:
    return {
        "NodeResourcesFit": _("Added up what the pod requests, to compare how full each node would be."),
        "NodeResourcesBalancedAllocation": _(
            "Added up what the pod requests, to compare how evenly each node's resources would be used."
        ),
        "NodeAffinity": _("Read the preferred terms of the node affinity; each node is checked against them."),
        "TaintToleration": _("Collected the tolerations that count for taints with the effect PreferNoSchedule."),
        "PodTopologySpread": _("Counted the matching pods of each domain, for the constraints that only score."),
        "InterPodAffinity": _("Added up, domain by domain, what this pod and the running ones prefer."),
    }.get(plugin, _("Prepared its scores."))


def _reserve(plugin: str, facts: CycleFacts) -> str:
    if plugin == "VolumeBinding":
        if has_claims(plugin, facts):
            return _("Set aside the volumes that it found for the pod's claims on %(node)s.") % {"node": facts.selected}
        return _("Nothing to set aside: the pod has no claims.")
    if plugin == "DynamicResources":
        if has_claims(plugin, facts):
            return _("Set aside the devices that it found for the pod's claims on %(node)s.") % {"node": facts.selected}
        return _("Nothing to set aside: the pod asks for no devices.")
    return {
        "GangScheduling": _("Counts the pod among those of its gang that hold a node."),
        "Coscheduling": _("Does nothing yet; it is here in order to hear when a pod of a gang gives its node back."),
    }.get(plugin, "")


def _unreserve(plugin: str, facts: CycleFacts) -> str:
    if plugin in CLAIMS and not has_claims(plugin, facts):
        return _("Had set nothing aside.")
    return {
        "VolumeBinding": _("Gave back the volumes that it had set aside."),
        "DynamicResources": _("Gave back the devices that it had set aside."),
        "GangScheduling": _("The pod no longer counts among those of its gang that hold a node."),
        "Coscheduling": _("Rejected the waiting pods of the same gang too: the gang starts whole or not at all."),
    }.get(plugin, _("Gave back what it had set aside."))


def _pre_flight(plugin: str, facts: CycleFacts) -> str:
    return _(
        "Has something to do in PreBind. So the node is written into status.nominatedNodeName before, and stays known "
        "if the scheduler is restarted meanwhile."
    )


def _pre_bind(plugin: str, facts: CycleFacts) -> str:
    return {
        "VolumeBinding": _("Bound the claims to their volumes, and waited until that was done."),
        "DynamicResources": _("Wrote into the claims which devices they have, and for which pod."),
    }.get(plugin, _("Did its work; the pod may be bound."))


def _bind(plugin: str, facts: CycleFacts) -> str:
    return _("Asked the API server to bind the pod: spec.nodeName is %(node)s from now on.") % {"node": facts.selected}


def _post_bind(plugin: str, facts: CycleFacts) -> str:
    return _("Was told that the pod is bound; its answer changes nothing.")
