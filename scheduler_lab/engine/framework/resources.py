"""Resource arithmetic: what a pod requests and a node offers (Kubernetes v1.35, `PodRequests`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from scheduler_lab.engine.objects.containers import Container, ContainerStatus
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.quantity import Quantity

CPU = "cpu"
MEMORY = "memory"
EPHEMERAL_STORAGE = "ephemeral-storage"
PODS = "pods"
DEFAULT_MILLI_CPU = 100
DEFAULT_MEMORY = 200 * 1024 * 1024
_NANO = 10**9
_MAX = 2**63 - 1
SCORED_BY_DEFAULT = (CPU, MEMORY)
_MISSING = {CPU: DEFAULT_MILLI_CPU * 10**6, MEMORY: DEFAULT_MEMORY * _NANO}

Nanos = dict[str, int]
"""Resource name → exact amount in units of 1e-9."""


@dataclass(frozen=True, slots=True)
class RequestFeatures:
    """The feature gates that change how requests are counted."""

    pod_level: bool = True
    pod_level_in_place: bool = False


NO_RESIZE = "Infeasible"


@lru_cache(maxsize=4096)
def is_extended(name: str) -> bool:
    """Whether a resource is an extended one: a domain outside kubernetes.io, not `requests.`-prefixed."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    prefix, _, base = name.partition("/")
    return bool(prefix) and bool(base) and "/" not in base and len(f"requests.{prefix}") <= 253 and len(base) <= 63


@lru_cache(maxsize=4096)
def is_scalar(name: str) -> bool:
    """Whether a resource is counted beside CPU, memory and ephemeral storage."""
    return is_extended(name) or name.startswith(("hugepages-", "attachable-volumes-")) or "kubernetes.io/" in name


@dataclass(slots=True)
class Resource:
    """Amounts in milli-CPU, bytes, bytes, pods and units of each scalar resource."""

    milli_cpu: int = 0
    memory: int = 0
    ephemeral_storage: int = 0
    allowed_pods: int = 0
    scalars: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, quantities: Mapping[str, Quantity]) -> Resource:
        """A node's allocatable (or any resource list) as whole numbers; other names are ignored."""
        return cls.of_nanos({name: quantity.nanos for name, quantity in quantities.items()})

    @classmethod
    def of_nanos(cls, amounts: Nanos) -> Resource:
        """Round exact amounts up to whole units, CPU to milli-CPU; capped at 2**63-1 as upstream's int64."""
        result = cls()
        for name, nanos in amounts.items():
            if name == CPU:
                result.milli_cpu = min(-(-nanos // 10**6), _MAX)
            elif name == MEMORY:
                result.memory = min(-(-nanos // _NANO), _MAX)
            elif name == EPHEMERAL_STORAGE:
                result.ephemeral_storage = min(-(-nanos // _NANO), _MAX)
            elif name == PODS:
                result.allowed_pods = min(-(-nanos // _NANO), _MAX)
            elif is_scalar(name):
                result.scalars[name] = min(-(-nanos // _NANO), _MAX)
        return result

    def add(self, other: Resource, sign: int = 1) -> None:
        """Add (or with sign −1 subtract) another amount in place; allowed pods are not touched."""
        self.milli_cpu += sign * other.milli_cpu
        self.memory += sign * other.memory
        self.ephemeral_storage += sign * other.ephemeral_storage
        for name, amount in other.scalars.items():
            self.scalars[name] = self.scalars.get(name, 0) + sign * amount

    def get(self, name: str) -> int:
        """The amount of a resource by name; 0 when absent."""
        if name == CPU:
            return self.milli_cpu
        if name == MEMORY:
            return self.memory
        if name == EPHEMERAL_STORAGE:
            return self.ephemeral_storage
        return self.scalars.get(name, 0)

    def clone(self) -> Resource:
        """An independent copy."""
        return Resource(self.milli_cpu, self.memory, self.ephemeral_storage, self.allowed_pods, dict(self.scalars))


def pod_resource(
    pod: Pod,
    features: RequestFeatures,
    *,
    status_aware: bool = False,
    pod_level: bool = True,
    assume_for: Collection[str] = (),
) -> Resource:
    """What a pod requests, rounded up once for the whole pod. See `pod_requests` for the options."""
    return Resource.of_nanos(
        pod_requests(pod, features, status_aware=status_aware, pod_level=pod_level, assume_for=assume_for)
    )


def pod_requests(
    pod: Pod,
    features: RequestFeatures,
    *,
    status_aware: bool = False,
    pod_level: bool = True,
    assume_for: Collection[str] = (),
) -> Nanos:
    """Exact requests of a pod: app containers and sidecars, or the largest init step, plus overhead.

    `status_aware`: running containers count with the largest of spec, actual and allocated resources.
    `pod_level`: pod-level requests replace the sum. `assume_for`: the resources of which a container without a
    request counts 100m (cpu) or 200Mi (memory).
    """
    statuses = _Statuses(pod) if status_aware else None
    missing = {name: _MISSING[name] for name in assume_for} or None
    total: Nanos = {}
    for container in pod.spec.containers:
        _add(total, _container(container, missing, statuses.app if statuses else None, statuses))
    restartable: Nanos = {}
    largest: Nanos = {}
    for container in pod.spec.init_containers:
        if container.restart_policy == "Always":
            request = _container(container, missing, statuses.init if statuses else None, statuses)
            _add(total, request)
            _add(restartable, request)
            candidate = restartable
        else:
            candidate = dict(_container(container, missing, None, None))
            _add(candidate, restartable)
        _keep_largest(largest, candidate)
    _keep_largest(total, largest)
    if pod_level and features.pod_level:
        _replace_by_pod_level(total, pod, status_aware and features.pod_level_in_place)
    for name, quantity in pod.spec.overhead.items():
        total[name] = total.get(name, 0) + quantity.nanos
    return total


class _Statuses:
    """The container statuses of a pod by name, and whether its pending resize is infeasible."""

    __slots__ = ("app", "init", "infeasible")

    def __init__(self, pod: Pod) -> None:
        self.app = {status.name: status for status in pod.status.container_statuses}
        self.init = {status.name: status for status in pod.status.init_container_statuses}
        self.infeasible = any(
            condition.type == "PodResizePending" and condition.reason == NO_RESIZE
            for condition in pod.status.conditions
        )


def _container(
    container: Container,
    missing: Nanos | None,
    by_name: Mapping[str, ContainerStatus] | None,
    statuses: _Statuses | None,
) -> Nanos:
    spec = {name: quantity.nanos for name, quantity in container.resources.requests.items()}
    status = by_name.get(container.name) if by_name else None
    if status is not None and statuses is not None and status.resources is not None:
        request: Nanos = {} if statuses.infeasible else spec
        for amounts in (status.resources.requests, status.allocated_resources):
            _keep_largest(request, {name: quantity.nanos for name, quantity in amounts.items()})
        spec = request
    if missing is not None:
        for name, amount in missing.items():
            spec.setdefault(name, amount)
    return spec


def _supported_at_pod_level(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith("hugepages-")


def _replace_by_pod_level(total: Nanos, pod: Pod, in_place: bool) -> None:
    if pod.spec.resources is None:
        return
    for name, quantity in pod.spec.resources.requests.items():
        if _supported_at_pod_level(name):
            total[name] = quantity.nanos
    if in_place and pod.status.resources is not None:
        for name, quantity in pod.status.resources.requests.items():
            if _supported_at_pod_level(name) and name in pod.spec.resources.requests:
                total[name] = max(total[name], quantity.nanos)


def _add(total: Nanos, more: Nanos) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _keep_largest(best: Nanos, other: Nanos) -> None:
    for name, amount in other.items():
        if name not in best or amount > best[name]:
            best[name] = amount
