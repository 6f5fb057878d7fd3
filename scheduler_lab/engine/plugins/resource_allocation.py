"""What NodeResourcesFit and NodeResourcesBalancedAllocation score: resources after placement, and the strategies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scheduler_lab.engine.configuration.types import ResourceSpec
from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.framework.resources import CPU, EPHEMERAL_STORAGE, MEMORY, Resource, is_scalar
from scheduler_lab.engine.plugins.scoring import MAX_INT64, MAX_SCORE, broken_linear, divide, int64, round_half_away


class Wanted(NamedTuple):
    """A scored resource: its weight and how much of it the incoming pod asks for."""

    name: str
    weight: int
    request: int


class Allocation(NamedTuple):
    """A resource of a node as it would be with the pod: `used` of `allocatable`, in milli-CPU, bytes or units."""

    name: str
    weight: int
    used: int
    allocatable: int


DeviceCount = Callable[[str, NodeInfo], tuple[int, int]]
"""(resource, node) → (devices that serve the resource there, how many of them are taken)"""


class WantedResources:
    """The scored resources of one pod, as kept in the cycle state; `devices` serve those that a node does not have."""

    __slots__ = ("devices", "items")

    def __init__(self, specs: Sequence[ResourceSpec], requests: Resource, devices: DeviceCount | None = None) -> None:
        self.devices = devices
        self.items = [Wanted(spec.name, spec.weight, requests.get(spec.name)) for spec in specs]

    def clone(self) -> WantedResources:
        """Itself: it never changes."""
        return self


def allocations(wanted: WantedResources, node: NodeInfo, *, non_zero: bool) -> list[Allocation]:
    """The resources that count on a node, in order, with the pod placed there.

    `non_zero` takes the node's CPU and memory use with 100m and 200Mi for containers without a request. Left out are
    resources of which the node has none, and scalar ones that the pod does not ask for.
    """
    found: list[Allocation] = []
    for name, weight, request in wanted.items:
        if name == CPU:
            allocatable = node.allocatable.milli_cpu
            used = node.non_zero_milli_cpu if non_zero else node.requested.milli_cpu
        elif name == MEMORY:
            allocatable = node.allocatable.memory
            used = node.non_zero_memory if non_zero else node.requested.memory
        elif name == EPHEMERAL_STORAGE:
            allocatable = node.allocatable.ephemeral_storage
            used = node.requested.ephemeral_storage
        else:
            if request == 0 and is_scalar(name):
                continue
            allocatable = node.allocatable.scalars.get(name, 0)
            used = node.requested.scalars.get(name, 0)
            if not allocatable and wanted.devices is not None:
                allocatable, used = wanted.devices(name, node)
        if allocatable:
            used += request
            found.append(Allocation(name, weight, used if used <= MAX_INT64 else int64(used), allocatable))
    return found


# Far below the amounts at which int64 arithmetic wraps around.
_LARGE = MAX_INT64 // MAX_SCORE

ResourceScore = Callable[[Allocation], int]


def least_allocated(item: Allocation) -> int:
    """The percentage left over, 0 when over the allocatable; wraps around like int64 from about 82Pi."""
    _, _, used, allocatable = item
    if used > allocatable:
        return 0
    hundredfold = (allocatable - used) * MAX_SCORE
    if hundredfold <= MAX_INT64:
        return hundredfold // allocatable
    return divide(int64(hundredfold), allocatable)


def is_cpu_and_memory(resources: Sequence[ResourceSpec]) -> bool:
    """Whether the scored resources are the usual two, in the usual order."""
    return [spec.name for spec in resources] == [CPU, MEMORY]


def least_allocated_of_two(wanted: WantedResources, node: NodeInfo) -> int | None:
    """`weighted_average` of `least_allocated` for CPU and memory without building the list; None for odd amounts.

    This is the default configuration's arithmetic, done for every feasible node of every pod.
    """
    cpu, memory = node.allocatable.milli_cpu, node.allocatable.memory
    if cpu <= 0 or not 0 < memory < _LARGE:
        return None
    (_, cpu_weight, cpu_request), (_, memory_weight, memory_request) = wanted.items
    cpu_left = cpu - node.non_zero_milli_cpu - cpu_request
    memory_left = memory - node.non_zero_memory - memory_request
    total = (cpu_left * MAX_SCORE // cpu) * cpu_weight if cpu_left > 0 else 0
    if memory_left > 0:
        total += (memory_left * MAX_SCORE // memory) * memory_weight
    return total // (cpu_weight + memory_weight)


def most_allocated(item: Allocation) -> int:
    """The percentage used, 100 when over the allocatable; wraps around like int64."""
    return divide(int64(min(item.used, item.allocatable) * MAX_SCORE), item.allocatable)


def utilization(item: Allocation) -> int:
    """The percentage used as RequestedToCapacityRatio looks it up, 100 when over the allocatable."""
    if item.used > item.allocatable:
        return MAX_SCORE
    return divide(int64(item.used * MAX_SCORE), item.allocatable)


def on_shape(shape: Sequence[tuple[int, int]]) -> ResourceScore:
    """The score of a resource by its utilization on a shape of (utilization, score 0–100) points."""
    return lambda item: broken_linear(shape, utilization(item))


def weighted_average(items: Sequence[Allocation], score: ResourceScore) -> int:
    """Σ(score × weight) ÷ Σweight, truncated; 0 without resources."""
    total = weights = 0
    for item in items:
        total += score(item) * item.weight
        weights += item.weight
    return divide(total, weights) if weights else 0


def rounded_average_of_positive(items: Sequence[Allocation], score: ResourceScore) -> int:
    """The same, rounded, over the resources that score above 0 (RequestedToCapacityRatio)."""
    total = weights = 0
    for item in items:
        points = score(item)
        if points > 0:
            total += points * item.weight
            weights += item.weight
    return round_half_away(float(total) / float(weights)) if weights else 0
