"""VolumeZone: a volume with zone or region labels is used in that zone and region only.

Extension points: PreFilter, Filter. Arguments: none. Looks at persistentVolumeClaim volumes only.
PreFilter (UnschedulableAndUnresolvable): `PersistentVolumeClaim had no name`; the claim, its volume or (unbound) its
class not found, in the API's words; `PersistentVolumeClaim had no pv name and storageClass name`,
`VolumeBindingMode not set for StorageClass "x"`, `PersistentVolume had no name` (immediate class). Claims that wait
for their first consumer are ignored. Skip when no volume has one of the four labels.
A label's value may list several zones, separated by `__`.
Filter: a node without any of the four labels passes. Otherwise it must have one of the values of every volume label,
under the same key or, for the old key, the stable one: `node(s) had no available volume zone`
(UnschedulableAndUnresolvable).
Queueing hints: StorageClass/Add, Queue for WaitForFirstConsumer; PersistentVolumeClaim/Add|Update, Queue when the pod
uses it; PersistentVolume/Add|Update, Queue when new or its labels changed; Node/Add|UpdateNodeLabel always.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from scheduler_lab.engine.cluster.claims import WAIT_FOR_FIRST_CONSUMER, claim_class
from scheduler_lab.engine.evidence import N_, Evidence, Mark, Table, text
from scheduler_lab.engine.evidence.marks import entry, node_mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.runtime import quoted
from scheduler_lab.engine.framework.status import SKIP, Status, unresolvable
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.storage import StorageClass
from scheduler_lab.engine.plugins.pod_claims import (
    CLASS,
    VOLUME,
    claim_not_found,
    find_claim,
    uses_claim,
    volume_mark,
)

_STABLE = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
LABELS = (*_STABLE, *_STABLE.values())
_SEPARATOR = "__"
_KEY = "PreFilterVolumeZone"
_NO_ZONE = unresolvable("node(s) had no available volume zone")


class Topology(NamedTuple):
    """A label of a volume: where the volume can be used."""

    volume: str
    key: str
    values: frozenset[str]

    def value_of(self, node: NodeInfo) -> str | None:
        """The node's value under the same key, or under the stable key for an old one."""
        labels = node.labels
        return labels.get(self.key, labels.get(_STABLE.get(self.key, self.key)))


class _Topologies:
    """What the volumes of the pod ask for."""

    __slots__ = ("items",)

    def __init__(self, items: list[Topology]) -> None:
        self.items = items

    def clone(self) -> _Topologies:
        return self


class VolumeZone:
    """Models kube-scheduler v1.35 VolumeZone."""

    name: ClassVar[str] = "VolumeZone"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._store = handle.store

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Skip when no volume of the pod has a zone or region."""
        found, rejection = self._collect(pod)
        if rejection is not None:
            return None, rejection
        if not found:
            return None, SKIP
        state.write(_KEY, _Topologies(found))
        return None, None

    def _collect(self, pod: PodInfo) -> tuple[list[Topology], Status | None]:
        found: list[Topology] = []
        for name in pod.claim_names:
            if not name:
                return found, unresolvable("PersistentVolumeClaim had no name")
            claim = find_claim(self._store, pod, name)
            if claim is None:
                return found, unresolvable(claim_not_found(name))
            if not claim.spec.volume_name:
                rejection = self._unbound(claim)
                if rejection is not None:
                    return found, rejection
                continue
            volume: PersistentVolume | None = self._store.get(VOLUME, "", claim.spec.volume_name)
            if volume is None:
                return found, unresolvable(f"persistentvolume {quoted(claim.spec.volume_name)} not found")
            found += topologies(volume)
        return found, None

    def _unbound(self, claim: PersistentVolumeClaim) -> Status | None:
        name = claim_class(claim)
        if not name:
            return unresolvable("PersistentVolumeClaim had no pv name and storageClass name")
        storage_class: StorageClass | None = self._store.get(CLASS, "", name)
        if storage_class is None:
            return unresolvable(f"storageclass.storage.k8s.io {quoted(name)} not found")
        if storage_class.volume_binding_mode is None:
            return unresolvable(f"VolumeBindingMode not set for StorageClass {quoted(name)}")
        if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
            return None
        return unresolvable("PersistentVolume had no name")

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a node in another zone or region than a volume."""
        wanted: _Topologies | None = state.read(_KEY)
        if wanted is None:
            found, rejection = self._collect(pod)
            if rejection is not None:
                return rejection
            wanted = _Topologies(found)
        if not _placed(node) or all(topology.value_of(node) in topology.values for topology in wanted.items):
            return None
        return _NO_ZONE

    def events_to_register(self) -> Sequence[Registration]:
        """Classes, claims and volumes that change what the pod's volumes ask for, and nodes."""
        changed = Action.ADD | Action.UPDATE
        return [
            Registration(Resource.STORAGE_CLASS, Action.ADD, _class_added),
            Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL),
            Registration(Resource.PERSISTENT_VOLUME_CLAIM, changed, _claim_changed),
            Registration(Resource.PERSISTENT_VOLUME, changed, _volume_changed),
        ]

    # -- evidence ----------------------------------------------------------------------------------------------

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """The labels found on the pod's volumes."""
        found, rejection = self._collect(pod)
        if rejection is not None:
            sentence = text(
                N_("A claim of %(pod)s leads to no volume: %(reason)s."), pod=pod.key, reason=rejection.message
            )
            return Evidence(sentence)
        if not found:
            return Evidence(text(N_("No volume of %(pod)s has a zone or region label."), pod=pod.key))
        rows = [[topology.volume, topology.key, ", ".join(sorted(topology.values))] for topology in found]
        table = Table([text(N_("Volume")), text(N_("Label")), text(N_("Usable in"))], rows)
        sentence = text(N_("Volumes of %(pod)s can be used in one zone or region only."), pod=pod.key)
        return Evidence(sentence, table=table, marks=[_label_mark(topology) for topology in found])

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Each label of a volume with the node's value."""
        found, rejection = self._collect(pod)
        if rejection is not None:
            return None
        if not _placed(node):
            sentence = text(
                N_("%(node)s has no zone or region label at all, so the volumes' labels are not compared."),
                node=node.name,
            )
            return Evidence(sentence, marks=[_label_mark(topology) for topology in found])
        rows: list[list[str]] = []
        failed: list[int] = []
        marks: list[Mark] = []
        for topology in found:
            value = topology.value_of(node)
            ok = value in topology.values
            if not ok:
                failed.append(len(rows))
            rows.append(
                [topology.volume, topology.key, ", ".join(sorted(topology.values)), value or "—", "✓" if ok else "✗"]
            )
            marks.append(_label_mark(topology))
            marks += [node_mark(node, entry("metadata.labels", key)) for key in _keys_on(node, topology)]
        columns = [N_("Volume"), N_("Label"), N_("Usable in"), N_("Node has"), N_("Match")]
        table = Table([text(column) for column in columns], rows, failed)
        if failed:
            sentence = text(
                N_("A volume of %(pod)s cannot be used where %(node)s is: its %(label)s does not match."),
                pod=pod.key,
                node=node.name,
                label=found[failed[0]].key,
            )
        else:
            sentence = text(N_("%(node)s is where the volumes of %(pod)s can be used."), node=node.name, pod=pod.key)
        return Evidence(sentence, table=table, marks=list(dict.fromkeys(marks)))


def topologies(volume: PersistentVolume) -> list[Topology]:
    """The zone and region labels of a volume; a value with an empty piece is ignored."""
    found: list[Topology] = []
    for key in LABELS:
        if key not in volume.metadata.labels:
            continue
        values = frozenset(value.strip() for value in volume.metadata.labels[key].split(_SEPARATOR))
        if "" not in values:
            found.append(Topology(volume.metadata.name, key, values))
    return found


def _placed(node: NodeInfo) -> bool:
    return any(key in node.labels for key in LABELS)


def _keys_on(node: NodeInfo, topology: Topology) -> list[str]:
    keys = (topology.key, _STABLE.get(topology.key, topology.key))
    return [key for key in keys if key in node.labels][:1]


def _label_mark(topology: Topology) -> Mark:
    return volume_mark(topology.volume, entry("metadata.labels", topology.key))


def _class_added(waiting: PodInfo, old: object, new: StorageClass | None) -> Hint:
    waits = new is not None and new.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
    return Hint.QUEUE if waits else Hint.SKIP


def _claim_changed(waiting: PodInfo, old: object, new: PersistentVolumeClaim | None) -> Hint:
    return Hint.QUEUE if new is not None and uses_claim(waiting, new, ephemeral=False) else Hint.SKIP


def _volume_changed(waiting: PodInfo, old: PersistentVolume | None, new: PersistentVolume | None) -> Hint:
    if new is None:
        return Hint.SKIP
    return Hint.QUEUE if old is None or topologies(old) != topologies(new) else Hint.SKIP
