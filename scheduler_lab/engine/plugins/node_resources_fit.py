"""NodeResourcesFit: nodes must have room for the pod's requests, and are scored by how full they would be.

Extension points: PreFilter, Filter, PreScore, Score (default weight 1).
Arguments: ignoredResources [], ignoredResourceGroups [] (extended resources that Filter does not check),
scoringStrategy {type LeastAllocated, resources cpu:1 and memory:1, requestedToCapacityRatio.shape}.
Filter reasons, all that apply, in this order: `Too many pods`, `Insufficient cpu`, `Insufficient memory`,
`Insufficient ephemeral-storage`, `Insufficient <scalar>`. UnschedulableAndUnresolvable when any short resource exceeds
the node's whole allocatable (pods never do), else Unschedulable.
Score: per resource the node's use (CPU and memory with 100m and 200Mi for containers without a request) plus the
pod's request (same defaults, pod-level requests ignored), by the strategy; then the weighted average.
  LeastAllocated (allocatable − used) × 100 ÷ allocatable; MostAllocated used × 100 ÷ allocatable; both truncated.
  RequestedToCapacityRatio: utilization looked up on the shape (scores × 10); resources scoring 0 are left out; rounded.
Neither PreFilter nor PreScore skips. Without PreFilter, Filter fails.
Queueing hints: Pod/Delete|UpdatePodScaleDown, Queue when the deleted pod was assigned or nominated, when the pod itself
shrank, or when an assigned pod gave back something it asks for; Node/Add|UpdateNodeAllocatable, Queue when the pod
would fit on the empty node (ignored resources are not considered) and the node is new or has grown.
With DRAExtendedResource, Filter leaves resources that the node does not have but a DeviceClass serves to
DynamicResources; Score counts the class's devices on the node and how many of them are allocated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

from scheduler_lab.engine.configuration.types import NodeResourcesFitArgs, ResourceSpec, ScoringStrategy
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration
from scheduler_lab.engine.framework.events import Resource as EventResource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    SCORED_BY_DEFAULT,
    RequestFeatures,
    Resource,
    is_extended,
    is_scalar,
    pod_resource,
)
from scheduler_lab.engine.framework.status import Status, error, unresolvable, unschedulable
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.plugins import node_resources_fit_evidence as evidence
from scheduler_lab.engine.plugins.dynamic_resources.device_counts import DeviceCounts
from scheduler_lab.engine.plugins.resource_allocation import (
    ResourceScore,
    WantedResources,
    allocations,
    is_cpu_and_memory,
    least_allocated,
    least_allocated_of_two,
    most_allocated,
    on_shape,
    rounded_average_of_positive,
    weighted_average,
)

_KEY = "PreFilterNodeResourcesFit"
_SCORE_KEY = "PreScoreNodeResourcesFit"
_NO_STATE = error(f'error reading "{_KEY}" from cycleState: not found')
_DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"
_DEFAULT_STRATEGY = ScoringStrategy(
    type="LeastAllocated", resources=[ResourceSpec(name=CPU, weight=1), ResourceSpec(name=MEMORY, weight=1)]
)


class _Request:
    """The pod's request as Filter compares it."""

    __slots__ = ("delegated", "ephemeral_storage", "memory", "milli_cpu", "scalars")

    def __init__(self, request: Resource, scalars: tuple[tuple[str, int], ...], delegated: frozenset[str]) -> None:
        self.milli_cpu = request.milli_cpu
        self.memory = request.memory
        self.ephemeral_storage = request.ephemeral_storage
        self.scalars = scalars
        self.delegated = delegated

    def clone(self) -> _Request:
        return self


class NodeResourcesFit:
    """Models kube-scheduler v1.35 NodeResourcesFit."""

    name: ClassVar[str] = "NodeResourcesFit"

    def __init__(self, args: NodeResourcesFitArgs, handle: Handle) -> None:
        self._handle = handle
        self._ignored = frozenset(args.ignored_resources)
        self._ignored_groups = frozenset(args.ignored_resource_groups)
        self._strategy = args.scoring_strategy or _DEFAULT_STRATEGY
        self._resource_score = _resource_score(self._strategy)
        self._average = (
            rounded_average_of_positive if self._strategy.type == "RequestedToCapacityRatio" else weighted_average
        )
        self._usual = self._strategy.type == "LeastAllocated" and is_cpu_and_memory(self._strategy.resources)
        self._by_devices = handle.gates.enabled("DRAExtendedResource")

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Works out the request; never skips."""
        state.write(_KEY, self._request(pod))
        return None, None

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a node that is short of pods, CPU, memory, ephemeral storage or a scalar resource."""
        request: _Request | None = state.read(_KEY)
        if request is None:
            return _NO_STATE
        whole, used = node.allocatable, node.requested
        if (
            len(node.pods) < whole.allowed_pods
            and not request.scalars
            and (request.milli_cpu == 0 or request.milli_cpu <= whole.milli_cpu - used.milli_cpu)
            and (request.memory == 0 or request.memory <= whole.memory - used.memory)
            and (
                request.ephemeral_storage == 0
                or request.ephemeral_storage <= whole.ephemeral_storage - used.ephemeral_storage
            )
        ):
            return None
        return _shortages(request, len(node.pods), used, whole)

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Works out what the pod asks for in scoring; never skips."""
        state.write(_SCORE_KEY, self._wanted(pod))
        return None

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """The strategy's weighted average, normally 0–100."""
        wanted: WantedResources = state.read(_SCORE_KEY) or self._wanted(pod)
        if self._usual:
            score = least_allocated_of_two(wanted, node)
            if score is not None:
                return score
        return self._average(allocations(wanted, node, non_zero=True), self._resource_score)

    def events_to_register(self) -> Sequence[Registration]:
        """Pods that go or shrink, nodes that come or grow."""
        return [
            Registration(EventResource.POD, Action.DELETE | Action.UPDATE_POD_SCALE_DOWN, _pod_changed),
            Registration(EventResource.NODE, Action.ADD | Action.UPDATE_NODE_ALLOCATABLE, self._node_changed),
        ]

    def _request(self, pod: PodInfo) -> _Request:
        request = own_request(pod, self._handle.request_features)
        scalars = tuple(
            (name, amount) for name, amount in request.scalars.items() if amount > 0 and not self._is_ignored(name)
        )
        served = self._served_by_devices() if self._by_devices and scalars else frozenset()
        return _Request(request, scalars, served)

    def _is_ignored(self, name: str) -> bool:
        if not (self._ignored or self._ignored_groups) or not is_extended(name):
            return False
        return name in self._ignored or name.partition("/")[0] in self._ignored_groups

    def _served_by_devices(self) -> frozenset[str]:
        """The resource names that some DeviceClass serves."""
        classes = self._handle.store.list("DeviceClass")
        names = {_DEVICE_CLASS_PREFIX + device_class.metadata.name for device_class in classes}
        return frozenset(names | {c.spec.extended_resource_name for c in classes if c.spec.extended_resource_name})

    def _wanted(self, pod: PodInfo) -> WantedResources:
        requests = pod_resource(pod.pod, self._handle.request_features, pod_level=False, assume_for=SCORED_BY_DEFAULT)
        by_devices = self._by_devices and any(is_scalar(spec.name) for spec in self._strategy.resources)
        return WantedResources(self._strategy.resources, requests, DeviceCounts(self._handle) if by_devices else None)

    def _node_changed(self, waiting: PodInfo, old: Node | None, new: Node | None) -> Hint:
        if new is None:
            return Hint.SKIP
        request = own_request(waiting, self._handle.request_features)
        everything = _Request(request, tuple(request.scalars.items()), frozenset())
        whole = Resource.of(new.status.allocatable)
        if _shortages(everything, 0, Resource(), whole) is not None:
            return Hint.SKIP
        if old is None:
            return Hint.QUEUE
        return Hint.QUEUE if _grew(everything, Resource.of(old.status.allocatable), whole) else Hint.SKIP

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """What is in use, kept for nominated pods, requested and allocatable."""
        request = self._request(pod)
        amounts = {CPU: request.milli_cpu, MEMORY: request.memory, EPHEMERAL_STORAGE: request.ephemeral_storage}
        for name, value in request.scalars:
            if name not in request.delegated or node.allocatable.scalars.get(name, 0):
                amounts[name] = value
        return evidence.room(self._handle, pod, node, {name: value for name, value in amounts.items() if value > 0})

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Each resource with the pod placed, and the average."""
        wanted = self._wanted(pod)
        items = allocations(wanted, node, non_zero=True)
        total = self._average(items, self._resource_score)
        return evidence.score(self._strategy.type, pod, node, items, [self._resource_score(i) for i in items], total)


def own_request(pod: PodInfo, features: RequestFeatures) -> Resource:
    """What the incoming pod asks for in Filter: from its spec alone, whatever its status says."""
    cached: Resource | None = pod.derived.get("NodeResourcesFit")
    if cached is None:
        cached = pod.derived["NodeResourcesFit"] = pod_resource(pod.pod, features)
    return cached


def _resource_score(strategy: ScoringStrategy) -> ResourceScore:
    if strategy.type == "MostAllocated":
        return most_allocated
    if strategy.type == "RequestedToCapacityRatio":
        ratio = strategy.requested_to_capacity_ratio
        return on_shape([(point.utilization, point.score * 10) for point in (ratio.shape if ratio else [])])
    return least_allocated


def _shortages(request: _Request, pods: int, used: Resource, whole: Resource) -> Status | None:
    """Every reason against one more pod, or None."""
    reasons: list[str] = []
    hopeless = False
    if pods + 1 > whole.allowed_pods:
        reasons.append("Too many pods")
    for name, wanted, taken, total in (
        (CPU, request.milli_cpu, used.milli_cpu, whole.milli_cpu),
        (MEMORY, request.memory, used.memory, whole.memory),
        (EPHEMERAL_STORAGE, request.ephemeral_storage, used.ephemeral_storage, whole.ephemeral_storage),
    ):
        if wanted > 0 and wanted > total - taken:
            reasons.append(f"Insufficient {name}")
            hopeless = hopeless or wanted > total
    for name, wanted in request.scalars:
        total = whole.scalars.get(name, 0)
        if total == 0 and name in request.delegated:
            continue
        if wanted > 0 and wanted > total - used.scalars.get(name, 0):
            reasons.append(f"Insufficient {name}")
            hopeless = hopeless or wanted > total
    return _rejection(tuple(reasons), hopeless) if reasons else None


@lru_cache(maxsize=1024)
def _rejection(reasons: tuple[str, ...], hopeless: bool) -> Status:
    return unresolvable(*reasons) if hopeless else unschedulable(*reasons)


def _grew(request: _Request, before: Resource, after: Resource) -> bool:
    return (
        after.allowed_pods > before.allowed_pods
        or (request.milli_cpu > 0 and after.milli_cpu > before.milli_cpu)
        or (request.memory > 0 and after.memory > before.memory)
        or (request.ephemeral_storage > 0 and after.ephemeral_storage > before.ephemeral_storage)
        or any(
            amount > 0 and after.scalars.get(name, 0) > before.scalars.get(name, 0) for name, amount in request.scalars
        )
    )


def _pod_changed(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    if new is None:
        gone = old is not None and (old.pod.spec.node_name or old.pod.status.nominated_node_name)
        return Hint.QUEUE if gone else Hint.SKIP
    if new.uid == waiting.uid:
        return Hint.QUEUE
    if old is None or not new.pod.spec.node_name:
        return Hint.SKIP
    wanted = waiting.requests
    names = [CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalars]
    gave = any(wanted.get(name) > 0 and new.requests.get(name) < old.requests.get(name) for name in names)
    return Hint.QUEUE if gave else Hint.SKIP
