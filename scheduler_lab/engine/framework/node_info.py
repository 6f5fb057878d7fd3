"""What the scheduler knows about a node and the pods on it (kube-scheduler v1.35, `NodeInfo`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_lab.engine.framework.resources import (
    SCORED_BY_DEFAULT,
    RequestFeatures,
    Resource,
    pod_requests,
    pod_resource,
)
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import Pod

HostPort = tuple[str, str, int]
"""(host IP, protocol, port), with the defaults 0.0.0.0 and TCP filled in."""

ANY_IP = "0.0.0.0"


class PodInfo:
    """A pod object with what scheduling derives from it once.

    `requests` is what the pod counts for on its node (milli-CPU, bytes, units), `non_zero` the
    (milli-CPU, bytes) with the scoring defaults of 100m and 200Mi filled in. `derived` is a cache for
    plugins; it lives as long as this version of the object.
    """

    __slots__ = ("pod", "key", "uid", "priority", "requests", "non_zero", "host_ports", "derived")

    def __init__(self, pod: Pod, features: RequestFeatures) -> None:
        self.pod = pod
        self.key = f"{pod.metadata.namespace}/{pod.metadata.name}"
        self.uid = pod.metadata.uid
        self.priority = pod.spec.priority or 0
        self.requests = pod_resource(pod, features, status_aware=True)
        self.non_zero = _non_zero(pod, features, self.requests)
        self.host_ports = host_ports(pod)
        self.derived: dict[str, Any] = {}

    @property
    def namespace(self) -> str:
        """The pod's namespace."""
        return self.pod.metadata.namespace

    @property
    def labels(self) -> dict[str, str]:
        """The pod's labels."""
        return self.pod.metadata.labels

    @property
    def has_affinity(self) -> bool:
        """Whether the pod has any podAffinity or podAntiAffinity stanza."""
        affinity = self.pod.spec.affinity
        return affinity is not None and (affinity.pod_affinity is not None or affinity.pod_anti_affinity is not None)

    @property
    def has_required_anti_affinity(self) -> bool:
        """Whether the pod has required anti-affinity terms."""
        affinity = self.pod.spec.affinity
        anti = affinity.pod_anti_affinity if affinity is not None else None
        return anti is not None and bool(anti.required_during_scheduling_ignored_during_execution)

    @property
    def claim_names(self) -> list[str]:
        """Names of the claims in persistentVolumeClaim volumes, in order; ephemeral volumes are not among them."""
        return [v.persistent_volume_claim.claim_name for v in self.pod.spec.volumes if v.persistent_volume_claim]

    def __repr__(self) -> str:
        return f"PodInfo({self.key})"


def _non_zero(pod: Pod, features: RequestFeatures, requests: Resource) -> tuple[int, int]:
    """(milli-CPU, bytes) of the pod for NodeInfo.NonZeroRequested."""
    assume_for: tuple[str, ...] = SCORED_BY_DEFAULT
    if features.pod_level and pod.spec.resources is not None and pod.spec.resources.requests:
        asked = pod_requests(pod, features, status_aware=True)
        assume_for = tuple(name for name in SCORED_BY_DEFAULT if name not in asked)
    whole = pod_resource(pod, features, status_aware=True, assume_for=assume_for)
    return whole.milli_cpu, whole.memory


def host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """Ports the pod wants on its node: of restartable init containers, then of app containers."""
    restartable = [c for c in pod.spec.init_containers if c.restart_policy == "Always"]
    return tuple(
        (port.host_ip or ANY_IP, port.protocol or "TCP", port.host_port)
        for container in (*restartable, *pod.spec.containers)
        for port in container.ports
        if port.host_port > 0
    )


def ports_conflict(wanted: HostPort, used: Iterable[HostPort]) -> bool:
    """Whether a host port is taken: the unspecified IPv4 address meets every address, `::` is just an address."""
    ip, protocol, port = wanted
    return any(
        other_protocol == protocol and other_port == port and (ip == ANY_IP or other_ip in (ip, ANY_IP))
        for other_ip, other_protocol, other_port in used
    )


class NodeInfo:
    """A node and its pods: running and assumed ones, terminating ones included.

    `requested`, `non_zero_*` and `allocatable` are in milli-CPU, bytes and units. The order of `pods` is the
    order of arrival; removing one moves the last into its place, as upstream does. `images` tells for each image of the
    node its (size in bytes as first reported, number of nodes that have it) as known when the node last changed.
    """

    __slots__ = (
        "name",
        "node",
        "labels",
        "pods",
        "pods_with_affinity",
        "pods_with_required_anti_affinity",
        "requested",
        "non_zero_milli_cpu",
        "non_zero_memory",
        "allocatable",
        "used_ports",
        "claim_users",
        "generation",
        "images",
    )

    def __init__(self, node: Node | None = None) -> None:
        self.pods: list[PodInfo] = []
        self.pods_with_affinity: list[PodInfo] = []
        self.pods_with_required_anti_affinity: list[PodInfo] = []
        self.requested = Resource()
        self.non_zero_milli_cpu = 0
        self.non_zero_memory = 0
        self.used_ports: list[HostPort] = []
        self.claim_users: dict[str, int] = {}
        self.generation = 0
        self.images: dict[str, tuple[int, int]] = {}
        self.set_node(node)

    def set_node(self, node: Node | None) -> None:
        """Take a new version of the node object; None leaves a ghost that only holds pods."""
        self.node = node
        self.name = node.metadata.name if node is not None else ""
        self.labels = node.metadata.labels if node is not None else {}
        self.allocatable = Resource.of(node.status.allocatable) if node is not None else Resource()
        self.generation += 1

    def add_pod(self, pod: PodInfo) -> None:
        """Count a pod on this node."""
        self.pods.append(pod)
        if pod.has_affinity:
            self.pods_with_affinity.append(pod)
        if pod.has_required_anti_affinity:
            self.pods_with_required_anti_affinity.append(pod)
        self._account(pod, 1)
        self.used_ports.extend(pod.host_ports)

    def remove_pod(self, uid: str) -> bool:
        """Stop counting the pod with this UID; False if it is not here."""
        removed = _swap_out(self.pods, uid)
        if removed is None:
            return False
        _swap_out(self.pods_with_affinity, uid)
        _swap_out(self.pods_with_required_anti_affinity, uid)
        self._account(removed, -1)
        for port in removed.host_ports:
            self.used_ports.remove(port)
        return True

    def _account(self, pod: PodInfo, sign: int) -> None:
        self.requested.add(pod.requests, sign)
        self.non_zero_milli_cpu += sign * pod.non_zero[0]
        self.non_zero_memory += sign * pod.non_zero[1]
        for name in pod.claim_names:
            key = f"{pod.namespace}/{name}"
            count = self.claim_users.get(key, 0) + sign
            if count:
                self.claim_users[key] = count
            else:
                self.claim_users.pop(key, None)
        self.generation += 1

    def clone(self) -> NodeInfo:
        """A copy for a dry run; the node object and the pods are shared, the counts are not."""
        copy = NodeInfo.__new__(NodeInfo)
        copy.name, copy.node, copy.labels = self.name, self.node, self.labels
        copy.pods = list(self.pods)
        copy.pods_with_affinity = list(self.pods_with_affinity)
        copy.pods_with_required_anti_affinity = list(self.pods_with_required_anti_affinity)
        copy.requested = self.requested.clone()
        copy.non_zero_milli_cpu, copy.non_zero_memory = self.non_zero_milli_cpu, self.non_zero_memory
        copy.allocatable = self.allocatable
        copy.used_ports = list(self.used_ports)
        copy.claim_users = dict(self.claim_users)
        copy.generation = self.generation
        copy.images = self.images
        return copy

    def __repr__(self) -> str:
        return f"NodeInfo({self.name}, {len(self.pods)} pods)"


def _swap_out(pods: list[PodInfo], uid: str) -> PodInfo | None:
    for index, pod in enumerate(pods):
        if pod.uid == uid:
            pods[index] = pods[-1]
            pods.pop()
            return pod
    return None
