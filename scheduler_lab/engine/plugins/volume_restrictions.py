"""VolumeRestrictions: disks that only one pod may write, and claims that only one pod may use.

Extension points: PreFilter with AddPod and RemovePod, Filter. Arguments: none.
PreFilter: a missing claim gives `persistentvolumeclaim "x" not found` (UnschedulableAndUnresolvable; the first volume
plugin, so this one says it). It counts the pod's ReadWriteOncePod claims that any pod on any node uses, and skips when
there is none and the pod has no inline disk to check.
Filter reasons (Unschedulable): `node(s) had no available disk`: a pod of the node has the same GCE disk, iSCSI IQN or
RBD image (a shared monitor, same pool and image) and not both only read, or the same EBS volume in any case;
`node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod`,
on every node. A dry run of preemption lowers and raises the count by the claim's name alone, whatever the namespace.
Queueing hints: Pod/Delete, Queue when the deleted pod is of the same namespace and shares a claim or disk;
PersistentVolumeClaim/Add, Queue when the pod uses it; Node/Add always.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Table, text
from scheduler_lab.engine.evidence.marks import pod_mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unresolvable, unschedulable
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.volumes import Volume
from scheduler_lab.engine.plugins.pod_claims import (
    claim_mark,
    claim_not_found,
    find_claim,
    pod_volume_marks,
    uses_claim,
)

ONE_POD = "ReadWriteOncePod"
_DISK = unschedulable("node(s) had no available disk")
_IN_USE = unschedulable(
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
_KEY = "PreFilterVolumeRestrictions"
_NO_STATE = error(f'cannot read "{_KEY}" from cycleState')
_DEFAULT_POOL = "rbd"


class _Claims:
    """The pod's ReadWriteOncePod claims by name, and how many uses of them by other pods count against it."""

    __slots__ = ("names", "uses")

    def __init__(self, names: frozenset[str], uses: int) -> None:
        self.names = names
        self.uses = uses

    def note(self, pod: PodInfo, sign: int) -> None:
        self.uses += sign * sum(name in self.names for name in pod.claim_names)

    def clone(self) -> _Claims:
        return _Claims(self.names, self.uses)


class VolumeRestrictions:
    """Models kube-scheduler v1.35 VolumeRestrictions."""

    name: ClassVar[str] = "VolumeRestrictions"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._handle = handle

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Skip without inline disks and conflicting claims."""
        names: set[str] = set()
        for name in pod.claim_names:
            claim = find_claim(self._handle.store, pod, name)
            if claim is None:
                return None, unresolvable(claim_not_found(name))
            if ONE_POD in claim.spec.access_modes:
                names.add(name)
        uses = sum(self._handle.snapshot.claim_in_use(f"{pod.namespace}/{name}") for name in names)
        state.write(_KEY, _Claims(frozenset(names), uses))
        if not uses and not any(map(is_exclusive_disk, pod.pod.spec.volumes)):
            return None, SKIP
        return None, None

    def add_pod(self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) -> Status | None:
        """Count the uses of a pod that came."""
        return self._note(state, added, 1)

    def remove_pod(self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo) -> Status | None:
        """No longer count the uses of a pod that went."""
        return self._note(state, removed, -1)

    def _note(self, state: CycleState, pod: PodInfo, sign: int) -> Status | None:
        claims: _Claims | None = state.read(_KEY)
        if claims is None:
            return _NO_STATE
        claims.note(pod, sign)
        return None

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a node with a conflicting disk, and every node while a claim is in use."""
        if next(_disk_conflicts(pod, node.pods), None) is not None:
            return _DISK
        claims: _Claims | None = state.read(_KEY)
        if claims is None:
            return _NO_STATE
        return _IN_USE if claims.uses > 0 else None

    def events_to_register(self) -> Sequence[Registration]:
        """Deleted users, new nodes, and the missing claim."""
        return [
            Registration(Resource.POD, Action.DELETE, _pod_deleted),
            Registration(Resource.NODE, Action.ADD),
            Registration(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, _claim_added),
        ]

    # -- evidence ----------------------------------------------------------------------------------------------

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """The missing claim, or the claims that one pod only may use."""
        for name in pod.claim_names:
            if find_claim(self._handle.store, pod, name) is None:
                sentence = text(
                    N_("%(pod)s uses the claim %(claim)s, which does not exist in namespace %(namespace)s."),
                    pod=pod.key,
                    claim=name,
                    namespace=pod.namespace,
                )
                return Evidence(sentence, marks=pod_volume_marks(pod, name))
        claims: _Claims | None = state.read(_KEY)
        if claims is None or not claims.names:
            return Evidence(text(N_("%(pod)s uses no claim with the access mode ReadWriteOncePod."), pod=pod.key))
        return self._users(pod, claims)

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The pod with the same disk, or the users of the claim."""
        conflict = next(_disk_conflicts(pod, node.pods), None)
        if conflict is not None:
            mine, other, theirs = conflict
            sentence = text(
                N_("%(pod)s and %(other)s, which runs on %(node)s, name the same disk, and one node cannot share it."),
                pod=pod.key,
                other=other.key,
                node=node.name,
            )
            marks = [pod_mark(pod, f"spec.volumes[{mine}]"), pod_mark(other, f"spec.volumes[{theirs}]")]
            return Evidence(sentence, marks=marks)
        claims: _Claims | None = state.read(_KEY)
        if claims is not None and claims.uses > 0:
            return self._users(pod, claims)
        return Evidence(
            text(N_("No pod on %(node)s has a disk that %(pod)s needs alone."), node=node.name, pod=pod.key)
        )

    def _users(self, pod: PodInfo, claims: _Claims) -> Evidence:
        rows: list[list[str]] = []
        marks: list[Mark] = []
        for name in sorted(claims.names):
            claim = find_claim(self._handle.store, pod, name)
            users = [
                (other, node.name)
                for node in self._handle.snapshot.nodes
                for other in node.pods
                if other.namespace == pod.namespace and other.uid != pod.uid and name in other.claim_names
            ]
            rows.append([name, _list([other.key for other, _ in users]), _list([on for _, on in users])])
            marks += [claim_mark(claim, "spec.accessModes")] if claim is not None else []
            marks += [mark for other, _ in users for mark in pod_volume_marks(other, name)]
        table = Table([text(N_("Claim")), text(N_("Used by")), text(N_("On node"))], rows)
        if claims.uses > 0:
            sentence = text(
                N_("A ReadWriteOncePod claim of %(pod)s is in use by another pod, so no node can run it."), pod=pod.key
            )
        else:
            sentence = text(N_("Nobody else uses the ReadWriteOncePod claims of %(pod)s."), pod=pod.key)
        return Evidence(sentence, table=table, marks=marks)


def _list(names: list[str]) -> str:
    return ", ".join(names) or "—"


def is_exclusive_disk(volume: Volume) -> bool:
    """Whether the volume is an inline disk that this plugin compares."""
    return any(
        source is not None
        for source in (volume.gce_persistent_disk, volume.aws_elastic_block_store, volume.iscsi, volume.rbd)
    )


def disks_conflict(wanted: Volume, used: Volume) -> bool:
    """Whether two inline volumes are the same disk in a way that one node cannot share."""
    gce, other_gce = wanted.gce_persistent_disk, used.gce_persistent_disk
    if gce and other_gce and gce.pd_name == other_gce.pd_name and not (gce.read_only and other_gce.read_only):
        return True
    ebs, other_ebs = wanted.aws_elastic_block_store, used.aws_elastic_block_store
    if ebs and other_ebs and ebs.volume_id == other_ebs.volume_id:
        return True
    iscsi, other_iscsi = wanted.iscsi, used.iscsi
    if iscsi and other_iscsi and iscsi.iqn == other_iscsi.iqn and not (iscsi.read_only and other_iscsi.read_only):
        return True
    rbd, other_rbd = wanted.rbd, used.rbd
    if rbd and other_rbd and not (rbd.read_only and other_rbd.read_only):
        same = (rbd.pool or _DEFAULT_POOL, rbd.image) == (other_rbd.pool or _DEFAULT_POOL, other_rbd.image)
        return same and not set(rbd.monitors).isdisjoint(other_rbd.monitors)
    return False


def _disk_conflicts(pod: PodInfo, others: Sequence[PodInfo]) -> Iterator[tuple[int, PodInfo, int]]:
    """(index of the pod's volume, other pod, index of the other's volume) for every conflict."""
    for mine, wanted in enumerate(pod.pod.spec.volumes):
        if not is_exclusive_disk(wanted):
            continue
        for other in others:
            for theirs, used in enumerate(other.pod.spec.volumes):
                if disks_conflict(wanted, used):
                    yield mine, other, theirs


def _pod_deleted(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    if old is None or old.namespace != waiting.namespace:
        return Hint.SKIP
    if next(_disk_conflicts(waiting, [old]), None) is not None:
        return Hint.QUEUE
    return Hint.QUEUE if set(waiting.claim_names) & set(old.claim_names) else Hint.SKIP


def _claim_added(waiting: PodInfo, old: object, new: PersistentVolumeClaim | None) -> Hint:
    return Hint.QUEUE if new is not None and uses_claim(waiting, new, ephemeral=False) else Hint.SKIP
