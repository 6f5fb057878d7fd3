"""The cluster at one moment, as data for a drawing: nodes with their taints, room and pods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import Resource

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.cache import Cache
    from scheduler_lab.engine.scheduler.waiting import WaitingPod

MAX_NODES = 100


def cluster_picture(
    cache: Cache, nominated: Callable[[str], Iterable[PodInfo]], waiting: Iterable[WaitingPod]
) -> list[dict[str, Any]]:
    """One entry a node, in the order Filter visits them; empty for clusters too large to draw.

    Amounts are in milli-CPU, bytes and units.
    """
    if len(cache.nodes) > MAX_NODES:
        return []
    held = {pod.pod.uid for pod in waiting}
    return [_node(info, nominated(info.name), held) for info in cache.nodes]


def _node(info: NodeInfo, nominated: Iterable[PodInfo], held: set[str]) -> dict[str, Any]:
    node = info.node
    assert node is not None
    labels = node.metadata.labels
    taints = [f"{t.key}={t.value}:{t.effect}" if t.value else f"{t.key}:{t.effect}" for t in node.spec.taints]
    return {
        "name": info.name,
        "zone": labels.get("topology.kubernetes.io/zone", ""),
        "region": labels.get("topology.kubernetes.io/region", ""),
        "taints": taints,
        "unschedulable": node.spec.unschedulable,
        "allocatable": {**_amounts(info.allocatable), "pods": info.allocatable.allowed_pods},
        "requested": {**_amounts(info.requested), "pods": len(info.pods)},
        "pods": [_pod(pod, held) for pod in info.pods],
        "nominated": [pod.key for pod in nominated],
    }


def _amounts(resource: Resource) -> dict[str, int]:
    amounts = {"cpu": resource.milli_cpu, "memory": resource.memory, **resource.scalars}
    if resource.ephemeral_storage:
        amounts["ephemeral-storage"] = resource.ephemeral_storage
    return amounts


def _pod(pod: PodInfo, held: set[str]) -> dict[str, Any]:
    state = "waiting" if pod.uid in held else "terminating" if pod.pod.metadata.deletion_timestamp else ""
    return {
        "key": pod.key,
        "cpu": pod.requests.milli_cpu,
        "memory": pod.requests.memory,
        "priority": pod.priority,
        "state": state,
    }
