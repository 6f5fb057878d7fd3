"""What a node's kubelet checks itself before it runs a pod (kubelet v1.35, predicate admission).

Checked are resources, nodeSelector and required node affinity, host ports, and NoExecute taints; nothing else that the
scheduler looks at: no other taints, no cordon, no pod affinity, no topology spread.
"""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo, ports_conflict
from scheduler_lab.engine.framework.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, is_extended
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.selectors import tolerates_any
from scheduler_lab.engine.plugins.node_affinity import Required

CRITICAL_PRIORITY = 2_000_000_000
MIRROR = "kubernetes.io/config.mirror"
SOURCE = "kubernetes.io/config.source"
NO_EXECUTE = "NoExecute"

Rejection = tuple[str, str]
"""(reason of the Failed status and of the event, message of the event)."""


def is_static(pod: Pod) -> bool:
    """Whether the kubelet has the pod from a file of its own, not from the API server."""
    annotations = pod.metadata.annotations
    return MIRROR in annotations or annotations.get(SOURCE, "api") != "api"


def is_critical(pod: Pod) -> bool:
    """Whether the kubelet would evict others to make room for the pod."""
    return is_static(pod) or (pod.spec.priority or 0) >= CRITICAL_PRIORITY


def shortage(pod: PodInfo, node: NodeInfo) -> Rejection | None:
    """The first resource that the node has too little of, in the kubelet's words; None if there is room."""
    for name, requested, used, capacity in _amounts(pod, node):
        if requested > capacity - used:
            numbers = f"requested: {requested}, used: {used}, capacity: {capacity}"
            return f"OutOf{name}", f"Node didn't have enough resource: {name}, {numbers}"
    return None


def mismatch(pod: PodInfo, node: NodeInfo, *, comparison_operators: bool = False) -> Rejection | None:
    """The first check other than that of resources that fails; None if all pass."""
    if not Required(pod).matches(node.labels, node.name):
        return _predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
    if any(ports_conflict(port, node.used_ports) for port in pod.host_ports):
        return _predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports")
    if is_static(pod.pod) or node.node is None:
        return None
    for taint in node.node.spec.taints:
        if taint.effect == NO_EXECUTE and not tolerates_any(pod.pod.spec.tolerations, taint, comparison_operators):
            return _predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate")
    return None


def _predicate(name: str, why: str) -> Rejection:
    return name, f"Predicate {name} failed: {why}"


def _amounts(pod: PodInfo, node: NodeInfo) -> Iterator[tuple[str, int, int, int]]:
    """(resource, requested, used, capacity) of everything that is compared, in the order of comparison.

    Extended resources that the node does not report are left out: they may belong to the cluster as a whole.
    """
    whole, used, wanted = node.allocatable, node.requested, pod.requests
    yield PODS, 1, len(node.pods), whole.allowed_pods
    if wanted.milli_cpu:
        yield CPU, wanted.milli_cpu, used.milli_cpu, whole.milli_cpu
    if wanted.memory:
        yield MEMORY, wanted.memory, used.memory, whole.memory
    if wanted.ephemeral_storage:
        yield EPHEMERAL_STORAGE, wanted.ephemeral_storage, used.ephemeral_storage, whole.ephemeral_storage
    for name, amount in sorted(wanted.scalars.items()):
        if amount and (name in whole.scalars or not is_extended(name)):
            yield name, amount, used.scalars.get(name, 0), whole.scalars.get(name, 0)
