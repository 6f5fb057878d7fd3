"""The plugin's extension points; the work is in its neighbours in this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from scheduler_lab.engine.configuration.types import InterPodAffinityArgs
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Registration
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unresolvable
from scheduler_lab.engine.plugins.inter_pod_affinity.filter_evidence import (
    FilterEvidence,
    counted_pairs,
    nothing_required,
    unparsable,
)
from scheduler_lab.engine.plugins.inter_pod_affinity.filtering import RequiredState, required_state
from scheduler_lab.engine.plugins.inter_pod_affinity.hints import registrations
from scheduler_lab.engine.plugins.inter_pod_affinity.score_evidence import explain_score
from scheduler_lab.engine.plugins.inter_pod_affinity.scoring import PreferredState
from scheduler_lab.engine.plugins.inter_pod_affinity.terms import PodTerms, expanded, namespace_labels, terms_of

PRE_FILTER_KEY = "PreFilterInterPodAffinity"
PRE_SCORE_KEY = "PreScoreInterPodAffinity"
NO_REQUIRED_STATE = error(f'error reading "{PRE_FILTER_KEY}" from cycleState: not found')
NO_PREFERRED_STATE = error(f'failed to read "{PRE_SCORE_KEY}" from cycleState: not found')


class InterPodAffinity:
    """Holds pods to the (anti-)affinity rules that they and their neighbours state about each other."""

    name: ClassVar[str] = "InterPodAffinity"

    def __init__(self, args: InterPodAffinityArgs, handle: Handle) -> None:
        self._handle = handle
        self._hard_weight = 1 if args.hard_pod_affinity_weight is None else args.hard_pod_affinity_weight
        self._ignore_existing = args.ignore_preferred_terms_of_existing_pods

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Count the pods that required terms are about; Skip when no rule of anybody concerns the pod."""
        terms = terms_of(pod)
        if terms.problems:
            return None, unresolvable(f"parsing pod: {terms.problem}")
        store = self._handle.store
        required = required_state(
            pod,
            expanded(terms.affinity, store),
            expanded(terms.anti_affinity, store),
            namespace_labels(pod.namespace, store),
            nodes,
            self._handle.snapshot.nodes_with_required_anti_affinity_pods,
        )
        if required.pointless:
            return None, SKIP
        state.write(PRE_FILTER_KEY, required)
        return None, None

    def add_pod(self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) -> Status | None:
        """Count `added` and its rules in."""
        return self._shift(state, added, node, 1)

    def remove_pod(self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo) -> Status | None:
        """Count `removed` and its rules out."""
        return self._shift(state, removed, node, -1)

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """The pod's affinity, then its anti-affinity, then that of the pods already there."""
        required: RequiredState | None = state.read(PRE_FILTER_KEY)
        return NO_REQUIRED_STATE if required is None else required.verdict(node.labels)

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Add up the points of every topology value; Skip when nothing was added anywhere."""
        own = terms_of(pod)
        store, snapshot = self._handle.store, self._handle.snapshot
        terms = PodTerms(
            preferred_affinity=expanded(own.preferred_affinity, store),
            preferred_anti_affinity=expanded(own.preferred_anti_affinity, store),
        )
        preferred = PreferredState(pod, terms, namespace_labels(pod.namespace, store), self._hard_weight)
        if self._ignore_existing and not preferred.prefers:
            return SKIP
        if own.problems:
            return error(f"failed to parse pod: {own.problem}")
        preferred.count_nodes(snapshot.nodes if preferred.prefers else snapshot.nodes_with_affinity_pods)
        if not preferred.points:
            return SKIP
        state.write(PRE_SCORE_KEY, preferred)
        return None

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """The points of the node's topology values; may be negative."""
        preferred: PreferredState | None = state.read(PRE_SCORE_KEY)
        return NO_PREFERRED_STATE if preferred is None else preferred.score(node.labels)

    def normalize_score(self, state: CycleState, pod: PodInfo, scores: dict[str, int]) -> Status | None:
        """Stretch the scores from the lowest to the highest over 0 to 100."""
        preferred: PreferredState | None = state.read(PRE_SCORE_KEY)
        if preferred is None:
            return NO_PREFERRED_STATE
        preferred.normalize(scores)
        return None

    def events_to_register(self) -> Sequence[Registration]:
        """Running pods that come, go or change labels; nodes that come or change labels."""
        return registrations()

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """What was counted, or why there is nothing to filter by."""
        terms = terms_of(pod)
        if terms.problems:
            return unparsable(terms.problem, pod)
        required: RequiredState | None = state.read(PRE_FILTER_KEY)
        return nothing_required(pod) if required is None else counted_pairs(required, pod)

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The rules, the domains they look at and the pods found there."""
        required: RequiredState | None = state.read(PRE_FILTER_KEY)
        return None if required is None else FilterEvidence(required, pod, node, self._handle.snapshot.nodes).explain()

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Who wants the pod near or away, and the normalisation."""
        preferred: PreferredState | None = state.read(PRE_SCORE_KEY)
        return None if preferred is None else explain_score(preferred, pod, node, self._handle.snapshot.nodes)

    def _shift(self, state: CycleState, other: PodInfo, node: NodeInfo, delta: int) -> Status | None:
        required: RequiredState | None = state.read(PRE_FILTER_KEY)
        if required is None:
            return NO_REQUIRED_STATE
        required.shift(other, node.labels, delta)
        return None
