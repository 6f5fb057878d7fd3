"""Evicting pods on the scheduler's behalf, as PostFilter plugins do (kube-scheduler v1.35, preemption executor)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.pod import Pod, PodCondition

if TYPE_CHECKING:
    from scheduler_lab.engine.scheduler.handle import ProfileHandle

DISRUPTION_TARGET = "DisruptionTarget"
BY_SCHEDULER = "PreemptionByScheduler"


def evict(handle: ProfileHandle, plugin: str, pod: PodInfo, victim: PodInfo, node: str) -> None:
    """Evict `victim` from `node` for `pod`; one that waits on Permit is rejected in `plugin`'s name instead."""
    event = ("Normal", "Preempted", f"Pod {victim.key}", f"Preempted by pod {pod.uid} on node {node}")
    waiting = next((w for w in handle.waiting_pods() if w.pod.uid == victim.uid), None)
    if waiting is not None:
        waiting.reject(plugin, "preempted")
        handle.event(*event)
        return
    current: Pod | None = handle.store.get("Pod", victim.namespace, victim.pod.metadata.name)
    if current is None or current.metadata.deletion_timestamp:
        return
    handle.store.put(_with_disruption_target(current, pod.pod.spec.scheduler_name))
    handle.api_server.evict(current)
    handle.event(*event)


def clear_nominations(handle: ProfileHandle, pod: PodInfo, node: str) -> None:
    """Less important pods nominated to the node must look for another place."""
    for other in list(handle.nominated_pods(node)):
        if other.priority >= pod.priority:
            continue
        current: Pod | None = handle.store.get("Pod", other.namespace, other.pod.metadata.name)
        if current is not None and current.status.nominated_node_name:
            handle.store.put(replace(current, status=replace(current.status, nominated_node_name="")))


def _with_disruption_target(pod: Pod, scheduler_name: str) -> Pod:
    message = f"{scheduler_name}: preempting to accommodate a higher priority pod"
    conditions = [c for c in pod.status.conditions if c.type != DISRUPTION_TARGET]
    conditions.append(PodCondition(type=DISRUPTION_TARGET, status="True", reason=BY_SCHEDULER, message=message))
    return replace(pod, status=replace(pod.status, conditions=conditions))
