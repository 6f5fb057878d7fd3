"""How pods came back into the queue: the event, what each plugin's queueing hint made of it, and where the pod went."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from scheduler_lab.present.attempts import clock
from scheduler_lab.present.facts import Json, short_name

MOST = 80


@dataclass(frozen=True)
class Wake:
    """One event for one pod. `hints` are (plugin, whether it said Queue); `to` is "" where the pod stayed."""

    pod: str
    event: str
    label: str
    hints: list[tuple[str, bool]] = field(default_factory=list)
    to: str = ""

    @property
    def place(self) -> str:
        """Where the pod went, in words."""
        return {
            "activeQ": _("ready for the next cycle (activeQ)"),
            "backoffQ": _("into backoffQ: tried when its backoff is over, or as soon as no other pod is ready"),
            "unschedulable": _("held back again"),
        }.get(self.to, _("stays where it is"))


@dataclass(frozen=True)
class Moment:
    """What happened before one cycle (`number`, 0 for the end of the run), at that virtual time."""

    number: int
    pod: str
    time: str
    wakes: list[Wake]


def wakes(entries: list[Json]) -> list[Wake]:
    """The entries of an x-requeue, those of one pod and event as one."""
    found: list[Wake] = []
    hints: list[tuple[str, bool]] = []
    key: tuple[str, str] | None = None
    for entry in entries:
        here = (entry["pod"], entry["event"])
        if key is not None and here != key and hints:
            found.append(_wake(key, hints, ""))
            hints = []
        key = here
        if entry.get("plugin"):
            hints = [*hints, (entry["plugin"], entry.get("hint") == "Queue")]
        if entry.get("to"):
            found.append(_wake(here, hints, entry["to"]))
            hints = []
    if key is not None and hints:
        found.append(_wake(key, hints, ""))
    return found


def _wake(key: tuple[str, str], hints: list[tuple[str, bool]], to: str) -> Wake:
    return Wake(short_name(key[0]), key[1], event_label(key[1]), list(hints), to)


def story(record: Json) -> tuple[list[Moment], int]:
    """(what woke which pod before each cycle and at the end, in order; how many further moments are left out)."""
    moments = [
        Moment(number, short_name(cycle["pod"]), clock(cycle.get("x-time")), wakes(cycle["x-requeue"]))
        for number, cycle in enumerate(record.get("cycles", []), 1)
        if cycle.get("x-requeue")
    ]
    if record.get("x-requeue"):
        moments.append(Moment(0, "", "", wakes(record["x-requeue"])))
    return moments[:MOST], max(0, len(moments) - MOST)


_EVENTS = {
    "NodeAdd": gettext_noop("a node came"),
    "NodeDelete": gettext_noop("a node went"),
    "NodeUpdateNodeAllocatable": gettext_noop("a node has other resources"),
    "NodeUpdateNodeLabel": gettext_noop("a node has other labels"),
    "NodeUpdateNodeTaint": gettext_noop("a node has other taints, or was cordoned or uncordoned"),
    "NodeUpdateNodeCondition": gettext_noop("a node has another condition"),
    "NodeUpdateNodeAnnotation": gettext_noop("a node has other annotations"),
    "NodeUpdateNodeDeclaredFeature": gettext_noop("a node declares other features"),
    "AssignedPodAdd": gettext_noop("a pod got a node"),
    "AssignedPodDelete": gettext_noop("a running pod was deleted"),
    "AssignedPodUpdatePodLabel": gettext_noop("a running pod has other labels"),
    "AssignedPodUpdatePodScaleDown": gettext_noop("a running pod requests less"),
    "UnschedulablePodAdd": gettext_noop("a pending pod came"),
    "UnschedulablePodDelete": gettext_noop("a pending pod was deleted"),
    "UnschedulablePodUpdatePodSchedulingGatesEliminated": gettext_noop("the last scheduling gate of a pod went"),
    "UnschedulablePodUpdatePodToleration": gettext_noop("a pending pod has other tolerations"),
    "UnschedulablePodUpdate": gettext_noop("a pending pod changed"),
    "UnschedulablePodUpdatePodGeneratedResourceClaim": gettext_noop("a pending pod's device claim was made"),
    "UnschedulablePodUpdatePodScaleDown": gettext_noop("a pending pod requests less"),
    "UnschedulablePodUpdatePodLabel": gettext_noop("a pending pod has other labels"),
    "UnschedulableTimeout": gettext_noop("five minutes without another try are over"),
    "BackoffComplete": gettext_noop("the backoff is over"),
    "ForceActivate": gettext_noop("a plugin asked for it"),
    "PersistentVolumeClaimAdd": gettext_noop("a claim came"),
    "PersistentVolumeClaimUpdate": gettext_noop("a claim changed"),
    "PersistentVolumeClaimDelete": gettext_noop("a claim went"),
    "PersistentVolumeAdd": gettext_noop("a volume came"),
    "PersistentVolumeUpdate": gettext_noop("a volume changed"),
    "StorageClassAdd": gettext_noop("a storage class came"),
    "CSINodeAdd": gettext_noop("a node's volume limits came"),
    "CSINodeUpdate": gettext_noop("a node's volume limits changed"),
    "StorageClassUpdate": gettext_noop("a storage class changed"),
    "VolumeAttachmentDelete": gettext_noop("a volume was detached"),
    "CSIDriverAdd": gettext_noop("a storage driver came"),
    "CSIDriverUpdate": gettext_noop("a storage driver changed"),
    "CSIStorageCapacityUpdate": gettext_noop("a storage capacity changed"),
    "CSIStorageCapacityAdd": gettext_noop("a storage capacity was published"),
    "ResourceClaimAdd": gettext_noop("a device claim came"),
    "ResourceClaimUpdate": gettext_noop("a device claim changed"),
    "ResourceClaimDelete": gettext_noop("a device claim went"),
    "ResourceSliceAdd": gettext_noop("devices came"),
    "ResourceSliceUpdate": gettext_noop("devices changed"),
    "DeviceClassAdd": gettext_noop("a device class came"),
    "DeviceClassUpdate": gettext_noop("a device class changed"),
    "WorkloadAdd": gettext_noop("a workload came"),
}


def event_label(event: str) -> str:
    """An event's name in words, "" for one that says itself what it is."""
    event = event.rpartition("/")[2]  # the group of a kind outside core: storage.k8s.io/CSINodeAdd
    if event.startswith("podgroups."):  # a kind that only its name as a resource names
        return _("a pod group came or changed")
    if event in _EVENTS:
        return _(_EVENTS[event])
    return _("something in the cluster changed") if re.match(r"[A-Z][A-Za-z]+(Add|Update|Delete)", event) else ""
