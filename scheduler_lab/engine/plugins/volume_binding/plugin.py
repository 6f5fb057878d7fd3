"""The plugin VolumeBinding.

Extension points: PreFilter, Filter, PreScore, Score (default weight 1), Reserve, PreBind.
PreFilter rejects (UnschedulableAndUnresolvable) on the first unusable claim: missing, Lost, being deleted, or an
ephemeral volume's that another object controls; then `pod has unbound immediate PersistentVolumeClaims`, for claims
that are not bound completely and whose class does not wait for a consumer, or that name a volume. Skip without claims.
Filter reasons (UnschedulableAndUnresolvable, several possible, in this order):
`node(s) didn't match PersistentVolume's node affinity`, `node(s) didn't find available persistent volumes to bind`,
`node(s) did not have enough free storage`,
`node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)`.
PreScore skips unless StorageCapacityScoring is on. Score: utilization of each class's room looked up on the shape
(scores × 10), mean over the classes, rounded.
Reserve assumes claimRef on matched volumes and the selected node on claims to be provisioned; the assumptions are this
profile's own. PreBind writes them; binding completes at once, so bindTimeoutSeconds only ends bindings that cannot
complete. Queueing hints: see `hints`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from scheduler_lab.engine.configuration.types import VolumeBindingArgs
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Registration
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unresolvable
from scheduler_lab.engine.plugins.pod_claims import CLAIM, VOLUME
from scheduler_lab.engine.plugins.volume_binding import evidence
from scheduler_lab.engine.plugins.volume_binding.assumed import AssumedObjects
from scheduler_lab.engine.plugins.volume_binding.binding import Reservation, VolumeBinder
from scheduler_lab.engine.plugins.volume_binding.claims import BindingError, PodClaims, sort_claims, unusable_claim
from scheduler_lab.engine.plugins.volume_binding.finding import Offer, VolumeFinder
from scheduler_lab.engine.plugins.volume_binding.hints import registrations
from scheduler_lab.engine.plugins.volume_binding.scoring import CapacityScorer, class_uses

_KEY = "VolumeBinding"
_NO_STATE = error("not found")
_UNBOUND = unresolvable("pod has unbound immediate PersistentVolumeClaims")


@dataclass(slots=True)
class _Binding:
    """The pod's claims, what each node offers, and what was reserved. Dry runs share it, as upstream's do."""

    claims: PodClaims = field(default_factory=PodClaims)
    offers: dict[str, Offer] = field(default_factory=dict)
    reservation: Reservation | None = None

    def clone(self) -> _Binding:
        return self


class VolumeBinding:
    """Models kube-scheduler v1.35 VolumeBinding."""

    name: ClassVar[str] = "VolumeBinding"

    def __init__(self, args: VolumeBindingArgs, handle: Handle) -> None:
        self._store = handle.store
        self._claims = AssumedObjects(handle.store, CLAIM)
        self._volumes = AssumedObjects(handle.store, VOLUME)
        attributes_class = handle.gates.enabled("VolumeAttributesClass")
        self._finder = VolumeFinder(handle.store, self._volumes, attributes_class=attributes_class)
        self._binder = VolumeBinder(handle.store, self._claims, self._volumes, self._finder)
        scoring = handle.gates.enabled("StorageCapacityScoring")
        self._scorer = CapacityScorer(args.shape or []) if scoring else None

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Skip without claims; rejects pods whose claims cannot be waited for."""
        has_claims, problem, _ = unusable_claim(self._store, pod)
        if problem:
            return None, unresolvable(problem)
        if not has_claims:
            state.write(_KEY, _Binding())
            return None, SKIP
        try:
            claims = sort_claims(self._store, self._claims, self._volumes, pod)
        except BindingError as failure:
            return None, error(str(failure))
        if claims.immediate:
            return None, _UNBOUND
        state.write(_KEY, _Binding(claims))
        return None, None

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects nodes where a volume cannot be used, found or made."""
        binding: _Binding | None = state.read(_KEY)
        if binding is None:
            return _NO_STATE
        try:
            offer = self._finder.offer(binding.claims, node)
        except BindingError as failure:
            return error(str(failure))
        if offer.reasons:
            return unresolvable(*offer.reasons)
        binding.offers[node.name] = offer
        return None

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Skip unless capacity is scored."""
        if self._scorer is None:
            return SKIP
        return None if state.read(_KEY) is not None else _NO_STATE

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """How much of the room for the pod's volumes they take."""
        if self._scorer is None:
            return 0
        binding: _Binding | None = state.read(_KEY)
        if binding is None:
            return _NO_STATE
        offer = binding.offers.get(node.name)
        return self._scorer.score(class_uses(offer)) if offer is not None else 0

    def reserve(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Assume the node's offer, unless every claim is bound."""
        binding: _Binding | None = state.read(_KEY)
        if binding is None:
            return _NO_STATE
        offer = binding.offers.get(node)
        if offer is not None and binding.claims.delayed:
            binding.reservation = self._binder.reserve(offer, node)
        return None

    def unreserve(self, state: CycleState, pod: PodInfo, node: str) -> None:
        """Give back what was assumed."""
        binding: _Binding | None = state.read(_KEY)
        if binding is not None and binding.reservation is not None:
            self._binder.release(binding.reservation)

    def pre_bind_pre_flight(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Skip when every claim is bound."""
        binding: _Binding | None = state.read(_KEY)
        if binding is None:
            return _NO_STATE
        return SKIP if binding.reservation is None else None

    def pre_bind(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Write the reserved bindings; Error when they cannot complete."""
        binding: _Binding | None = state.read(_KEY)
        if binding is None:
            return _NO_STATE
        if binding.reservation is None:
            return None
        try:
            self._binder.bind(binding.reservation, node)
        except BindingError as failure:
            return error(str(failure))
        return None

    def events_to_register(self) -> Sequence[Registration]:
        """Classes, claims, volumes, nodes, drivers and capacity."""
        return registrations()

    # -- evidence ----------------------------------------------------------------------------------------------

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """Each claim of the pod and what can be done with it."""
        has_claims, problem, name = unusable_claim(self._store, pod)
        if problem:
            return evidence.unusable(pod, name, problem)
        if not has_claims:
            return evidence.no_claims(pod)
        binding: _Binding | None = state.read(_KEY)
        try:
            claims = binding.claims if binding else sort_claims(self._store, self._claims, self._volumes, pod)
        except BindingError as failure:
            return evidence.unusable(pod, "", str(failure))
        return evidence.sorted_claims(pod, claims)

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Every volume that was considered for every claim, and why not."""
        binding: _Binding | None = state.read(_KEY)
        if binding is None:
            return None
        return evidence.Explainer(self._store, self._volumes, self._finder).on_node(pod, node, binding.claims)

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The room by class, what the pod takes of it, and what that scores."""
        binding: _Binding | None = state.read(_KEY)
        offer = binding.offers.get(node.name) if binding is not None else None
        if self._scorer is None or offer is None:
            return None
        return evidence.scored(pod, node, class_uses(offer), self._scorer)
