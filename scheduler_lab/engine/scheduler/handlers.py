"""What the scheduler does when it hears of a change: cache, queue, and who is worth retrying."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scheduler_lab.engine.framework.events import Action, ClusterEvent, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod
from scheduler_lab.engine.queue.scheduling_queue import SchedulingQueue
from scheduler_lab.engine.scheduler.update_events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    NODE_DELETE,
    UNSCHEDULABLE_POD_ADD,
    node_update_events,
    pod_update_events,
)

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.cache import Cache
    from scheduler_lab.engine.configuration.feature_gates import FeatureGates
    from scheduler_lab.engine.scheduler.waiting import WaitingPods

_KINDS = {
    "PersistentVolume": Resource.PERSISTENT_VOLUME,
    "PersistentVolumeClaim": Resource.PERSISTENT_VOLUME_CLAIM,
    "CSINode": Resource.CSI_NODE,
    "CSIDriver": Resource.CSI_DRIVER,
    "CSIStorageCapacity": Resource.CSI_STORAGE_CAPACITY,
    "StorageClass": Resource.STORAGE_CLASS,
    "VolumeAttachment": Resource.VOLUME_ATTACHMENT,
    "ResourceClaim": Resource.RESOURCE_CLAIM,
    "ResourceSlice": Resource.RESOURCE_SLICE,
    "DeviceClass": Resource.DEVICE_CLASS,
    "Workload": Resource.WORKLOAD,
    "PodGroup": Resource.POD_GROUP,
}


class EventHandlers:
    """Listens to the store on behalf of one scheduler process.

    `serves` says whether a profile has the pod's schedulerName; `before_pods` hears of pod changes ahead of the
    cache and the queue (the workload manager of gang scheduling).
    """

    def __init__(
        self,
        cache: Cache,
        queue: SchedulingQueue,
        waiting: WaitingPods,
        pod_info: Callable[[Pod], PodInfo],
        serves: Callable[[str], bool],
        gates: FeatureGates,
        before_pods: Callable[[PodInfo | None, PodInfo | None], None] | None = None,
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._waiting = waiting
        self._pod_info = pod_info
        self._serves = serves
        self._gates = gates
        self._before_pods = before_pods

    def __call__(self, kind: str, old: Any, new: Any) -> None:
        """A change in the store."""
        if kind == "Pod":
            self._pod(old if running(old) else None, new if running(new) else None)
        elif kind == "Node":
            self._node(old, new)
        elif kind in _KINDS:
            action = Action.ADD if old is None else Action.DELETE if new is None else Action.UPDATE
            name = "Add" if old is None else "Delete" if new is None else "Update"
            self._queue.move_all(ClusterEvent(_KINDS[kind], action, f"{_KINDS[kind].value}{name}"), old, new)

    # -- nodes -------------------------------------------------------------------------------------------------

    def _node(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            assert old is not None
            self._queue.move_all(NODE_DELETE, old, None)
            self._cache.remove_node(old.metadata.name)
            return
        self._cache.set_node(new)
        if old is None:
            self._queue.move_all(NODE_ADD, None, new)
            return
        declared = self._gates.enabled("NodeDeclaredFeatures")
        for event in node_update_events(old, new, declared_features=declared):
            self._queue.move_all(event, old, new)

    # -- pods --------------------------------------------------------------------------------------------------

    def _pod(self, old: Pod | None, new: Pod | None) -> None:
        before = self._pod_info(old) if old is not None else None
        after = self._pod_info(new) if new is not None else None
        if self._before_pods is not None:
            self._before_pods(before, after)
        was_assigned = before is not None and bool(before.pod.spec.node_name)
        is_assigned = after is not None and bool(after.pod.spec.node_name)
        if before is not None and not was_assigned and (after is None or is_assigned):
            self._leave_queue(before, deleted=after is None)
        if before is not None and was_assigned and after is None:
            self._cache.remove_pod(before.uid)
            self._queue.move_all(ASSIGNED_POD_DELETE, before, None)
        elif after is not None and is_assigned:
            self._assigned(before if was_assigned else None, after)
        elif after is not None:
            self._unassigned(before, after)

    def _assigned(self, before: PodInfo | None, after: PodInfo) -> None:
        self._cache.add_pod(after)
        if before is None:
            self._queue.move_all(ASSIGNED_POD_ADD, None, after)
            return
        for event in pod_update_events(before, after):
            self._queue.move_all(event, before, after)

    def _unassigned(self, before: PodInfo | None, after: PodInfo) -> None:
        served_before = before is not None and self._serves(before.pod.spec.scheduler_name)
        if not self._serves(after.pod.spec.scheduler_name):
            if before is not None and served_before:
                # The informer's filter makes a deletion of an update that leads out of it.
                self._leave_queue(before, deleted=True)
            return
        if before is None or not served_before:
            self._queue.add(after)
            if self._gates.enabled("GangScheduling"):
                self._queue.move_all(UNSCHEDULABLE_POD_ADD, None, after, keep=lambda other: other.uid != after.uid)
            return
        if self._cache.is_assumed(after.uid):
            return
        self._queue.update(before, after, pod_update_events(before, after))
        self._nomination_changed(before, after)

    def _nomination_changed(self, before: PodInfo, after: PodInfo) -> None:
        """A nomination that is given up is like a pod leaving the node, for pods no more important."""
        node = before.pod.status.nominated_node_name
        if node and node != after.pod.status.nominated_node_name:
            self._queue.move_all(
                ASSIGNED_POD_DELETE, before, None, keep=lambda other: other.priority <= before.priority
            )

    def _leave_queue(self, pod: PodInfo, *, deleted: bool) -> None:
        if not self._serves(pod.pod.spec.scheduler_name):
            return
        self._queue.delete(pod)
        if not deleted:
            return
        waiting = self._waiting.get(pod.uid)
        if waiting is not None:
            waiting.reject("", "removed")
        elif pod.pod.status.nominated_node_name:
            self._queue.move_all(ASSIGNED_POD_DELETE, pod, None, keep=lambda other: other.priority <= pod.priority)


def running(pod: Pod | None) -> bool:
    """Whether there is a pod that has not finished; the informer leaves finished ones out, as if deleted."""
    return pod is not None and pod.status.phase not in FINISHED_PHASES
