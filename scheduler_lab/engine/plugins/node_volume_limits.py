"""NodeVolumeLimits: no more volumes of a CSI driver on a node than the driver can attach there.

Extension points: PreFilter (skips pods without claims and without in-tree inline volumes that moved to CSI), Filter.
Arguments: none.
The limit of a driver is the allocatable.count of its entry in the node's CSINode; without one there is no limit.
Counted are different volumes: those of the pods on the node, those of VolumeAttachments to it that no pod there uses,
and the new ones of this pod. A claim without a volume counts for its class's provisioner; in-tree volumes count for
the driver they moved to.
Reasons: `node(s) exceed max volume count` (Unschedulable); `looking up PVC ns/x: persistentvolumeclaim "x" not found`
(UnschedulableAndUnresolvable); with VolumeLimitScaling `x CSI driver is not installed on the node` (Unschedulable),
when a CSIDriver object exists but the node's CSINode does not have it. An ephemeral volume's claim that belongs to
somebody else is an Error.
Queueing hints: CSINode/Add always; CSINode/Update, Queue when a driver's count rose; Pod/Delete, Queue when the pod
was assigned or nominated and had a volume that may count; PersistentVolumeClaim/Add, Queue when the pod uses it;
VolumeAttachment/Delete, Queue when the pod has a claim or an inline volume of that driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.cluster.storage_drivers import DRIVERS, Untranslatable, in_tree_plugin
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unresolvable, unschedulable
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.storage import CSINode, VolumeAttachment
from scheduler_lab.engine.objects.volumes import Volume
from scheduler_lab.engine.plugins import node_volume_limits_evidence as evidence
from scheduler_lab.engine.plugins.csi_volumes import Attachable, ClaimMissing, ForeignClaim, VolumeCount, VolumeCounter
from scheduler_lab.engine.plugins.pod_claims import uses_claim

_TOO_MANY = unschedulable("node(s) exceed max volume count")


class NodeVolumeLimits:
    """Models kube-scheduler v1.35 NodeVolumeLimits."""

    name: ClassVar[str] = "NodeVolumeLimits"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._store = handle.store
        self._volumes = VolumeCounter(handle.store)
        self._check_driver = handle.gates.enabled("VolumeLimitScaling")

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Skip when no volume of the pod can count."""
        return None, None if any(map(may_count, pod.pod.spec.volumes)) else SKIP

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a node whose driver can attach no more."""
        try:
            wanted = self._volumes.of_pod(pod, self._csi_node(node), strict=True)
            if not wanted:
                return None
            missing = self._missing_driver(wanted, node)
            if missing:
                return unschedulable(f"{missing} CSI driver is not installed on the node")
            return _TOO_MANY if self._count(wanted, node).exceeded() is not None else None
        except ClaimMissing as problem:
            return unresolvable(str(problem))
        except (ForeignClaim, Untranslatable) as problem:
            return error(str(problem))

    def _csi_node(self, node: NodeInfo) -> CSINode | None:
        found: CSINode | None = self._store.get("CSINode", "", node.name)
        return found

    def _missing_driver(self, wanted: dict[str, Attachable], node: NodeInfo) -> str:
        if not self._check_driver:
            return ""
        csi_node = self._csi_node(node)
        installed = {driver.name for driver in csi_node.spec.drivers} if csi_node is not None else set()
        for volume in wanted.values():
            if volume.driver not in installed and self._store.get("CSIDriver", "", volume.driver) is not None:
                return volume.driver
        return ""

    def _count(self, wanted: dict[str, Attachable], node: NodeInfo) -> VolumeCount:
        csi_node = self._csi_node(node)
        count = VolumeCount(limits_of(csi_node))
        if not count.limits:
            return count
        attached: dict[str, Attachable] = {}
        for other in node.pods:
            for key, volume in self._volumes.of_pod(other, csi_node, strict=False).items():
                attached.setdefault(key, volume)
        count.new = [volume for key, volume in wanted.items() if key not in attached]
        count.shared = [volume for key, volume in wanted.items() if key in attached]
        for key, volume in self._volumes.attachments(node.name).items():
            attached.setdefault(key, volume)
        count.attached = list(attached.values())
        return count

    def events_to_register(self) -> Sequence[Registration]:
        """Raised limits, freed volumes and the missing claim."""
        return [
            Registration(Resource.CSI_NODE, Action.ADD),
            Registration(Resource.CSI_NODE, Action.UPDATE, _limits_changed),
            Registration(Resource.POD, Action.DELETE, _pod_deleted),
            Registration(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, _claim_added),
            Registration(Resource.VOLUME_ATTACHMENT, Action.DELETE, _attachment_deleted),
        ]

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The count of attached and new volumes against the limit."""
        try:
            wanted = self._volumes.of_pod(pod, self._csi_node(node), strict=True)
            missing = self._missing_driver(wanted, node)
            if missing:
                return evidence.driver_missing(node, missing)
            count = self._count(wanted, node)
        except (ClaimMissing, ForeignClaim, Untranslatable) as problem:
            return evidence.cannot_count(pod, str(problem))
        driver = count.exceeded() or next(
            (v.driver for v in (*count.new, *count.shared) if v.driver in count.limits), ""
        )
        if not driver:
            return evidence.unlimited(pod, node, list(wanted.values()))
        return evidence.counted(pod, node, self._csi_node(node), driver, count.limits[driver], count)


def may_count(volume: Volume) -> bool:
    """Whether a volume is a claim or an in-tree inline volume that moved to a CSI driver."""
    return volume.persistent_volume_claim is not None or volume.ephemeral is not None or bool(in_tree_plugin(volume))


def limits_of(csi_node: CSINode | None) -> dict[str, int]:
    """How many volumes each driver can attach, where it says so."""
    drivers = csi_node.spec.drivers if csi_node is not None else []
    return {
        driver.name: driver.allocatable.count
        for driver in drivers
        if driver.allocatable is not None and driver.allocatable.count is not None
    }


def _limits_changed(waiting: PodInfo, old: CSINode | None, new: CSINode | None) -> Hint:
    before, after = limits_of(old), limits_of(new)
    raised = any(count > before.get(driver, 0) for driver, count in after.items())
    return Hint.QUEUE if raised else Hint.SKIP


def _pod_deleted(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    if old is None or not (old.pod.spec.node_name or old.pod.status.nominated_node_name):
        return Hint.SKIP
    return Hint.QUEUE if any(map(may_count, old.pod.spec.volumes)) else Hint.SKIP


def _claim_added(waiting: PodInfo, old: object, new: PersistentVolumeClaim | None) -> Hint:
    return Hint.QUEUE if new is not None and uses_claim(waiting, new, ephemeral=True) else Hint.SKIP


def _attachment_deleted(waiting: PodInfo, old: VolumeAttachment | None, new: object) -> Hint:
    if old is None:
        return Hint.SKIP
    for volume in waiting.pod.spec.volumes:
        inline = DRIVERS.get(in_tree_plugin(volume), "")
        if volume.persistent_volume_claim is not None or (inline and inline == old.spec.attacher):
            return Hint.QUEUE
    return Hint.SKIP
