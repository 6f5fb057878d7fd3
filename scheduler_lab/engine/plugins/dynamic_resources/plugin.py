"""DynamicResources: pods get the devices that their ResourceClaims ask for.

Extension points: PreEnqueue, PreFilter, Filter, PostFilter, Score (default weight 2), Reserve, PreBind.
Arguments: filterTimeout 10s (0 for none), bindingTimeout 600s (with DRADeviceBindingConditions).
PreEnqueue holds a pod whose claims do not exist yet or cannot be used. PreFilter rejects it for the same reasons, for
`resource claim … is in the process of being allocated` and for `request …: device class … does not exist`; without
claims it skips.
Filter searches the node's pools for devices of all claims without an allocation, in order and backtracking, and keeps
what it finds: `cannot allocate all claims`, `timed out trying to allocate devices`,
`invalid resource pools were encountered`. Claims with one must fit the node: `resourceclaim not available on the node`.
Every rejection is UnschedulableAndUnresolvable, so preemption never helps; a selector that fails is an error, and so
is a claim that cannot be right.
PostFilter takes the allocation of one claim that some node could not use away, if nobody else has reserved it.
Score: for each request with alternatives 8 for the first, 7 for the second, …; normalized to 0–100. A pod with both
allocated and unallocated claims fails there.
Reserve keeps the allocation in memory, PreBind writes it with the pod's reservation, Unreserve gives both back.
Queueing hints: see hints.py. Feature gates: see features.py. With DRADeviceTaints and DRADeviceTaintRules the taint of
a DeviceTaintRule counts as one of the devices it selects, and a rule that changes theirs wakes pods as slices do.
With binding conditions PreBind waits for the driver. Time stands still while it does, so that a device that is not
ready at once ends the attempt in `device binding timeout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace

from scheduler_lab.engine.cluster.device_claims import is_reserved_for
from scheduler_lab.engine.configuration.types import DynamicResourcesArgs
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Registration
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unresolvable, unschedulable
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.meta import format_time, parse_time
from scheduler_lab.engine.objects.resource import ResourceClaim
from scheduler_lab.engine.objects.selectors import aggregate, compile_node_selector
from scheduler_lab.engine.plugins.dynamic_resources import binding_conditions, evidence, extended, writer
from scheduler_lab.engine.plugins.dynamic_resources.allocated import gather
from scheduler_lab.engine.plugins.dynamic_resources.allocator import Allocator
from scheduler_lab.engine.plugins.dynamic_resources.claims import (
    ClaimError,
    pod_claims,
    requests_of,
)
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError, NodeUnsuitable
from scheduler_lab.engine.plugins.dynamic_resources.features import Features
from scheduler_lab.engine.plugins.dynamic_resources.hints import registrations
from scheduler_lab.engine.plugins.dynamic_resources.in_flight import InFlightClaims
from scheduler_lab.engine.plugins.dynamic_resources.score import TooFewAllocations, served_alternatives
from scheduler_lab.engine.plugins.dynamic_resources.state import KEY, NodeAllocation, PodState
from scheduler_lab.engine.plugins.scoring import default_normalize

EPOCH = parse_time("2030-01-01T00:00:00Z")
"""When the virtual clock reads 0."""

_NO_STATE = error("not found")
_NOT_HERE = unresolvable("resourceclaim not available on the node")
_NOTHING_TO_DEALLOCATE = unschedulable("no new claims to deallocate")
_DEALLOCATED = unschedulable("deallocation of ResourceClaim completed")
_DELETED = unschedulable("deletion of ResourceClaim completed")
_STILL_NOT = unschedulable("still not schedulable")


class DynamicResources:
    """See the module's text."""

    name: ClassVar[str] = "DynamicResources"

    def __init__(self, args: DynamicResourcesArgs | None, handle: Handle) -> None:
        self._handle = handle
        self._features = Features.of(handle.gates)
        self._in_flight = InFlightClaims.of(handle)
        timeouts = args or DynamicResourcesArgs()
        self._filter_timeout = timeouts.filter_timeout.seconds if timeouts.filter_timeout else 0.0
        self._binding_timeout = timeouts.binding_timeout.seconds if timeouts.binding_timeout else 0.0

    def events_to_register(self) -> Sequence[Registration]:
        """Nodes, claims, the pod's generated claims, classes and slices."""
        return registrations(self._handle.store)

    def pre_enqueue(self, pod: PodInfo) -> Status | None:
        """Holds a pod as long as one of its claims cannot be used."""
        try:
            pod_claims(pod.pod, self._handle.store)
        except ClaimError as reason:
            return unresolvable(str(reason))
        return None

    # -- PreFilter ---------------------------------------------------------------------------------------------

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Finds the pod's claims; skips without any."""
        data = PodState()
        state.write(KEY, data)
        store = self._handle.store
        try:
            claims = pod_claims(pod.pod, store)
        except ClaimError as reason:
            return None, unresolvable(str(reason))
        found = PodState(claims=claims)
        if self._features.extended_resource:
            found.scalars = extended.served_resources(pod, store, self._handle.request_features)
            if found.scalars:
                found.extended = len(claims)
                found.claims = [*claims, extended.extended_claim(pod.pod, store)]
        if not found.claims:
            return None, SKIP
        for index in range(len(found.claims)):
            status = self._look_at(found, index)
            if status is not None:
                return None, status
        if found.to_allocate:
            allocated = gather(store, self._in_flight, shared_devices=self._features.consumable_capacity)
            timeout = self._filter_timeout if self._features.filter_timeout else 0.0
            found.allocator = Allocator(store, allocated, self._features, timeout)
        state.write(KEY, found)
        return None, None

    def _look_at(self, data: PodState, index: int) -> Status | None:
        claim = data.claims[index]
        allocation = claim.status.allocation
        if allocation is not None:
            if allocation.node_selector is not None:
                selector = compile_node_selector(allocation.node_selector)
                if selector.errors:
                    return error(aggregate(selector.errors))
                data.selectors[index] = selector
            return None
        if claim.metadata.uid in self._in_flight:
            return unresolvable(f"resource claim {claim.key} is in the process of being allocated")
        return None if index == data.extended else self._check_classes(claim)

    def _check_classes(self, claim: ResourceClaim) -> Status | None:
        for request in claim.spec.devices.requests:
            where = f"resource claim {claim.key}, request {request.name}"
            if request.exactly is None and not request.first_available:
                return unresolvable(f"{where}: unknown request type")
            if request.exactly is None and not self._features.prioritized_list:
                return unresolvable(f"{where}: has subrequests, but the DRAPrioritizedList feature is disabled")
            for name, wanted in requests_of(request):
                if not wanted.device_class_name:
                    return error(f"request {name}: unsupported request type")
                if self._handle.store.get("DeviceClass", "", wanted.device_class_name) is None:
                    return unresolvable(f"request {name}: device class {wanted.device_class_name} does not exist")
        return None

    # -- Filter and PostFilter ---------------------------------------------------------------------------------

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Searches devices for the claims that have none, then checks those that have."""
        data: PodState | None = state.read(KEY)
        if data is None:
            return _NO_STATE
        if not data.claims:
            return None
        try:
            mapped = self._extended_requests(data, pod, node)
            if mapped is None and not data.user_claims:
                return None
            unavailable = [index for index in range(len(data.claims)) if not self._usable_on(data, index, node)]
            found = self._allocate(data, node, mapped)
        except NodeUnsuitable as reason:
            return unresolvable(str(reason))
        except AllocationError as failure:
            return error(str(failure))
        if unavailable:
            data.unavailable.update(unavailable)
            return _NOT_HERE
        if found is not None:
            data.allocations[node.name] = found
        return None

    def _extended_requests(self, data: PodState, pod: PodInfo, node: NodeInfo) -> extended.Mapped | None:
        """The requests for extended resources on this node; None if devices have nothing to serve there."""
        if data.extended is None:
            return None
        if data.claims[data.extended].spec.devices.requests:
            raise NodeUnsuitable("cannot schedule extended resource claim")
        needed = extended.needed_on(node, data.scalars, self._handle.store)
        if not needed and not data.user_claims:
            return None
        return extended.map_requests(pod.pod, needed)

    def _usable_on(self, data: PodState, index: int, node: NodeInfo) -> bool:
        selector = data.selectors.get(index)
        if selector is not None and not selector.matches(node.labels, node.name):
            return False
        claim = data.claims[index]
        if claim.status.allocation is None or not self._features.binding_conditions:
            return True
        try:
            ready = binding_conditions.is_ready(claim)
        except binding_conditions.BindingFailed:
            return False
        return ready or not binding_conditions.has_timed_out(claim, self._binding_timeout, self._now())

    def _allocate(self, data: PodState, node: NodeInfo, mapped: extended.Mapped | None) -> NodeAllocation | None:
        if data.allocator is None:
            return None
        claims = [data.claims[index] for index in data.to_allocate]
        on_node = None
        if mapped is not None and data.extended is not None:
            on_node = claims[-1] = extended.with_requests(data.claims[data.extended], mapped)
        results = data.allocator.allocate(node, claims)
        return NodeAllocation(results, on_node, mapped.mappings if mapped is not None else [])

    def post_filter(self, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> tuple[str | None, Status | None]:
        """Frees a claim that stood in the way, so that the next attempt may allocate it elsewhere."""
        data: PodState | None = state.read(KEY)
        if data is None:
            return None, _NO_STATE
        if not data.claims:
            return None, _NOTHING_TO_DEALLOCATE
        store = self._handle.store
        for index in sorted(data.unavailable - {data.extended}):
            claim = data.claims[index]
            if all(consumer.uid == pod.uid for consumer in claim.status.reserved_for):
                writer.deallocate(claim, store)
                return None, _DEALLOCATED
        if data.extended is not None and not extended.is_in_memory(left_over := data.claims[data.extended]):
            store.delete("ResourceClaim", left_over.metadata.namespace, left_over.metadata.name)
            return None, _DELETED
        return None, _STILL_NOT

    # -- Score -------------------------------------------------------------------------------------------------

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """Points for the alternatives that the node's allocation uses; 0 without one."""
        data: PodState | None = state.read(KEY)
        if data is None:
            return _NO_STATE
        found = data.allocations.get(node.name)
        if found is None:
            return 0
        try:
            return sum(points for _, _, points in served_alternatives(data.claims, found.results))
        except TooFewAllocations as failure:
            return error(str(failure))

    def normalize_score(self, state: CycleState, pod: PodInfo, scores: dict[str, int]) -> Status | None:
        """The best node gets 100."""
        default_normalize(scores, reverse=False)
        return None

    # -- Reserve and PreBind -----------------------------------------------------------------------------------

    def reserve(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Marks the claims' allocations on the node as in flight."""
        data: PodState | None = state.read(KEY)
        if data is None:
            return _NO_STATE
        if data.allocator is None:
            return None
        found = data.allocations.get(node)
        if found is None or not found.results:
            only_extended = data.to_allocate == [data.extended]
            return None if only_extended else error("claim allocation not found for node")
        for index, result in zip(data.to_allocate, found.results, strict=True):
            claim = data.claims[index]
            if index == data.extended and found.extended is not None:
                claim = found.extended
            data.chosen[index] = result
            self._in_flight.add(replace(claim, status=replace(claim.status, allocation=result)))
        return None

    def unreserve(self, state: CycleState, pod: PodInfo, node: str) -> None:
        """Forgets allocations in flight and takes the pod out of the claims it had reserved."""
        data: PodState | None = state.read(KEY)
        if data is None:
            return
        store = self._handle.store
        for index, claim in enumerate(data.claims):
            if index != data.extended:
                self._in_flight.remove(claim.metadata.uid)
                if claim.status.allocation is not None and is_reserved_for(claim, pod.uid):
                    writer.drop_reservation(claim, pod.uid, store)
                continue
            self._in_flight.remove(f"{pod.uid}/{extended.IN_MEMORY}")
            if not extended.is_in_memory(claim):
                store.delete("ResourceClaim", claim.metadata.namespace, claim.metadata.name)

    def pre_bind_pre_flight(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Skips for pods without claims."""
        data: PodState | None = state.read(KEY)
        if data is None:
            return _NO_STATE
        return None if data.claims else SKIP

    def pre_bind(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Writes allocations and reservations, then waits for devices with binding conditions."""
        data: PodState | None = state.read(KEY)
        if data is None:
            return _NO_STATE
        for index, claim in enumerate(data.claims):
            if is_reserved_for(claim, pod.uid):
                continue
            try:
                data.claims[index] = self._bind(data, index, pod, node)
            except writer.WriteRefused as refusal:
                return error(str(refusal))
        if self._features.binding_conditions and binding_conditions.has_conditions(data.claims):
            return self._wait(data, pod, node)
        return None

    def _bind(self, data: PodState, index: int, pod: PodInfo, node: str) -> ResourceClaim:
        claim, chosen, store = data.claims[index], data.chosen.get(index), self._handle.store
        uid = claim.metadata.uid
        found = data.allocations.get(node)
        if index == data.extended:
            if chosen is None or found is None or found.extended is None:
                return claim
            claim = data.claims[index] = writer.create_extended(found.extended, store)
        if chosen is not None and self._features.binding_conditions:
            chosen = replace(chosen, allocation_timestamp=format_time(self._now()))
        try:
            claim = writer.reserve_for(claim, chosen, pod.pod, store)
        finally:
            self._in_flight.remove(uid)
        if index == data.extended and found is not None:
            writer.note_extended(pod.pod, claim, found, store)
        return claim

    def _wait(self, data: PodState, pod: PodInfo, node: str) -> Status | None:
        note = f"waiting for binding conditions for device on node {node}"
        self._handle.event("Normal", "BindingConditionsPending", f"Pod {pod.key}", note)
        for index, claim in enumerate(data.claims):
            current: ResourceClaim | None = self._handle.store.get(
                "ResourceClaim", claim.metadata.namespace, claim.metadata.name
            )
            data.claims[index] = claim = current or claim
            try:
                if not binding_conditions.is_ready(claim):
                    return error("device binding timeout")
            except binding_conditions.BindingFailed as failure:
                return error(str(failure))
        return None

    def _now(self) -> float:
        return EPOCH + self._handle.clock.now

    # -- evidence ----------------------------------------------------------------------------------------------

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """The pod's claims and what has become of them."""
        data: PodState | None = state.read(KEY)
        extended_resources = data is not None and data.extended is not None
        return evidence.claims(pod, self._handle.store, self._in_flight, extended=extended_resources)

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Every device on the node and why it was taken, or not."""
        data: PodState | None = state.read(KEY)
        if data is None or not data.claims:
            return None
        try:
            mapped = self._extended_requests(data, pod, node)
        except NodeUnsuitable as reason:
            return evidence.unsuitable(pod, node, str(reason))
        on_node = None
        if data.extended is not None and mapped is not None and mapped.requests:
            on_node = extended.with_requests(data.claims[data.extended], mapped)
        return evidence.devices(data, pod, node, on_node)

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The alternatives that the node's allocation uses."""
        data: PodState | None = state.read(KEY)
        found = data.allocations.get(node.name) if data is not None else None
        return evidence.alternatives(data, pod, node, found) if data is not None and found is not None else None
