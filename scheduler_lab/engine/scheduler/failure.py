"""What happens to a pod whose scheduling attempt failed (kube-scheduler v1.35, failure handler)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.status import Status
from scheduler_lab.engine.objects.pod import Pod, PodCondition
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import Event
from scheduler_lab.engine.scheduler.fit_error import event_note

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store
    from scheduler_lab.engine.queue.scheduling_queue import SchedulingQueue


class FailureHandler:
    """Requeues the pod, tells the user, and writes the PodScheduled condition and the nomination."""

    def __init__(
        self,
        store: Store,
        queue: SchedulingQueue,
        pod_info: Callable[[Pod], PodInfo],
        events: list[Event],
        serves: Callable[[str], bool],
    ) -> None:
        self._store = store
        self._queue = queue
        self._pod_info = pod_info
        self._events = events
        self._serves = serves

    def deleting(self, pod: PodInfo) -> None:
        """A pod that is being deleted is not scheduled."""
        self._emit(pod, f"skip schedule deleting pod: {pod.key}")

    def _emit(self, pod: PodInfo, message: str) -> None:
        self._events.append(Event("Warning", "FailedScheduling", f"Pod {pod.key}", event_note(message)))

    def handle(self, entry: QueuedPod, status: Status, message: str, nomination: str | None) -> None:
        """Deal with a failed attempt. `nomination`: "" clears it, None leaves it alone, else the node."""
        attempted = entry.pod.pod
        current: Pod | None = self._store.get("Pod", entry.pod.namespace, entry.pod.pod.metadata.name)
        if current is not None and current.metadata.uid != entry.pod.uid:
            current = None
        if current is None or current.spec.node_name or not self._serves(current.spec.scheduler_name):
            self._queue.done(entry.pod.uid)
        else:
            entry.pod = self._pod_info(current)
            self._queue.add_unschedulable(entry)
        self._queue.nominator.add(entry.pod, nomination)
        self._emit(entry.pod, message)
        if current is not None:
            reason = "Unschedulable" if status.rejected else "SchedulerError"
            condition = PodCondition(type="PodScheduled", status="False", reason=reason, message=message)
            self._patch(attempted, current, condition, nomination)

    def _patch(self, attempted: Pod, current: Pod, condition: PodCondition, nomination: str | None) -> None:
        """Write what differs from the pod as it was when the attempt began.

        A nomination written during the attempt is therefore not cleared: a rejected waiting pod keeps it.
        """
        old = next((c for c in attempted.status.conditions if c.type == "PodScheduled"), None)
        same = old is not None and (old.status, old.reason, old.message) == (
            "False",
            condition.reason,
            condition.message,
        )
        renominated = nomination is not None and nomination != attempted.status.nominated_node_name
        if same and not renominated:
            return
        status = current.status
        if not same:
            others = [c for c in status.conditions if c.type != "PodScheduled"]
            status = replace(status, conditions=[*others, condition])
        if renominated:
            status = replace(status, nominated_node_name=nomination)
        self._store.put(replace(current, status=status))
