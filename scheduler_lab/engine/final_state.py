"""How a run ended: pods, queue, and whom the scheduler evicted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scheduler_lab.engine.custom.volcano import VOLCANO, installed
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.plugins.coscheduling.status import pod_group_statuses
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import PodState, QueueState, Record, Scheduled
from scheduler_lab.engine.scheduler.handlers import running
from scheduler_lab.engine.scheduler.unserved import unserved_pods

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.api_server import APIServer
    from scheduler_lab.engine.scheduler.process import SchedulerProcess


def fill_final_state(record: Record, process: SchedulerProcess, api_server: APIServer) -> None:
    """Complete the record with the state at the end of the run."""
    record.cycles = process.scheduler.cycles
    record.deleted = api_server.evicted
    pods: list[Pod] = process.store.list("Pod")
    record.pods = {f"{pod.metadata.namespace}/{pod.metadata.name}": _pod_state(pod) for pod in pods if running(pod)}
    record.queue = queue_state(process)
    record.x_requeue = process.scheduler.requeues
    record.x_pod_groups = pod_group_statuses(process.store)
    known = [*process.frameworks, *([VOLCANO] if installed(process.store) else [])]
    record.x_unserved = unserved_pods((pod for pod in pods if running(pod)), known)
    if process.scheduler.evidence.everything:
        record.x_cluster = process.describe_cluster()


def _pod_state(pod: Pod) -> PodState:
    condition = next((c for c in pod.status.conditions if c.type == "PodScheduled"), None)
    scheduled = Scheduled(condition.status, condition.reason, condition.message) if condition is not None else None
    return PodState(pod.spec.node_name, pod.status.nominated_node_name, scheduled)


def queue_state(process: SchedulerProcess) -> QueueState:
    """Who waits where in one process's queue."""
    queue = process.queue
    parked = list(queue.unschedulable.values())
    everyone = [*queue.active.values(), *queue.backoff.values(), *parked]
    return QueueState(
        active=_keys(queue.active.values()),
        backoff=_keys(queue.backoff.values()),
        unschedulable=_keys(entry for entry in parked if not entry.gated),
        gated=_keys(entry for entry in parked if entry.gated),
        waiting_on_permit=sorted(waiting.key for waiting in process.binding.waiting),
        unschedulable_plugins={e.key: sorted(e.unschedulable_plugins) for e in everyone if e.unschedulable_plugins},
        pending_plugins={e.key: sorted(e.pending_plugins) for e in everyone if e.pending_plugins},
    )


def _keys(entries: Iterable[QueuedPod]) -> list[str]:
    return sorted(entry.key for entry in entries)
