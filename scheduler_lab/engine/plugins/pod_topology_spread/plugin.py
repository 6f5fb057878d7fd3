"""The plugin's extension points; the work is in its neighbours in this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from scheduler_lab.engine.configuration.types import PodTopologySpreadArgs
from scheduler_lab.engine.evidence import Evidence, Mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Registration
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error
from scheduler_lab.engine.objects.selectors import InvalidSelector
from scheduler_lab.engine.plugins.pod_topology_spread.constraints import ConstraintSource, Inclusion
from scheduler_lab.engine.plugins.pod_topology_spread.default_selector import default_selector
from scheduler_lab.engine.plugins.pod_topology_spread.filter_evidence import (
    FilterEvidence,
    counted_domains,
    nothing_hard,
)
from scheduler_lab.engine.plugins.pod_topology_spread.filtering import HardState, hard_state
from scheduler_lab.engine.plugins.pod_topology_spread.hints import Hints
from scheduler_lab.engine.plugins.pod_topology_spread.score_evidence import explain_score
from scheduler_lab.engine.plugins.pod_topology_spread.scoring import SoftState

PRE_FILTER_KEY = "PreFilterPodTopologySpread"
PRE_SCORE_KEY = "PreScorePodTopologySpread"
NO_HARD_STATE = error(f'reading "{PRE_FILTER_KEY}" from cycleState: not found')
NO_SOFT_STATE = error(f'error reading "{PRE_SCORE_KEY}" from cycleState: not found')


class PodTopologySpread:
    """Keeps the pods a constraint selects evenly spread over the domains of a topology key."""

    name: ClassVar[str] = "PodTopologySpread"

    def __init__(self, args: PodTopologySpreadArgs, handle: Handle) -> None:
        self._handle = handle
        self._source = ConstraintSource(args, handle)
        self._hints = Hints(self._source)
        self._comparison = handle.gates.enabled("TaintTolerationComparisonOperators")

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Count matching pods per domain; Skip without DoNotSchedule constraints."""
        try:
            constraints = self._source.hard(pod.pod)
        except InvalidSelector as problem:
            return None, error(_failed(pod, "hard", problem))
        if not constraints:
            return None, SKIP
        state.write(PRE_FILTER_KEY, hard_state(constraints, self._inclusion(pod), nodes, pod.namespace))
        return None, None

    def add_pod(self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) -> Status | None:
        """Count `added` in, if it is of the pod's namespace."""
        return self._shift(state, pod, added, node, 1)

    def remove_pod(self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo) -> Status | None:
        """Count `removed` out, if it is of the pod's namespace."""
        return self._shift(state, pod, removed, node, -1)

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Whether every constraint stays within its maxSkew with the pod on this node."""
        hard: HardState | None = state.read(PRE_FILTER_KEY)
        if hard is None:
            return NO_HARD_STATE
        failure = hard.first_failure(node.labels)
        return failure[1] if failure is not None else None

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Count matching pods in the domains of the feasible nodes; Skip without ScheduleAnyway constraints."""
        try:
            constraints = self._source.soft(pod.pod)
        except InvalidSelector as problem:
            return error(f"calculating preScoreState: {_failed(pod, 'soft', problem)}")
        if not constraints:
            return SKIP
        soft = SoftState(constraints, pod.namespace, self._source.needs_all_keys(pod.pod))
        soft.register(nodes)
        soft.count_nodes(self._handle.snapshot.nodes, self._inclusion(pod))
        state.write(PRE_SCORE_KEY, soft)
        return None

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """How crowded the node's domains are; the higher the worse."""
        soft: SoftState | None = state.read(PRE_SCORE_KEY)
        return NO_SOFT_STATE if soft is None else soft.score(node)

    def normalize_score(self, state: CycleState, pod: PodInfo, scores: dict[str, int]) -> Status | None:
        """The least crowded node gets the most points."""
        soft: SoftState | None = state.read(PRE_SCORE_KEY)
        if soft is None:
            return NO_SOFT_STATE
        soft.normalize(scores)
        return None

    def events_to_register(self) -> Sequence[Registration]:
        """Pods that come, go or change, nodes that come, go or change their labels or taints."""
        return self._hints.registrations()

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """The domains and their counts, or why there is nothing to filter by."""
        hard: HardState | None = state.read(PRE_FILTER_KEY)
        return nothing_hard(pod) if hard is None else counted_domains(hard, pod, self._sources(pod))

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The skew, term by term, and the domains it compares."""
        hard: HardState | None = state.read(PRE_FILTER_KEY)
        if hard is None:
            return None
        return FilterEvidence(hard, pod, node, self._handle.snapshot.nodes).explain(self._sources(pod))

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The score's terms and its normalisation."""
        soft: SoftState | None = state.read(PRE_SCORE_KEY)
        return None if soft is None else explain_score(soft, pod, node, self._sources(pod))

    def _shift(self, state: CycleState, pod: PodInfo, other: PodInfo, node: NodeInfo, delta: int) -> Status | None:
        hard: HardState | None = state.read(PRE_FILTER_KEY)
        if hard is None:
            return NO_HARD_STATE
        if other.namespace == pod.namespace:
            hard.shift(other, node, delta)
        return None

    def _inclusion(self, pod: PodInfo) -> Inclusion:
        inclusion: Inclusion | None = pod.derived.get(self.name)
        if inclusion is None:
            inclusion = pod.derived[self.name] = Inclusion(pod.pod, self._comparison)
        return inclusion

    def _sources(self, pod: PodInfo) -> Sequence[Mark]:
        """What the default constraints' selector was deduced from."""
        if pod.pod.spec.topology_spread_constraints:
            return ()
        return default_selector(pod.pod, self._handle.store).sources


def _failed(pod: PodInfo, strength: str, problem: InvalidSelector) -> str:
    origin = "obtaining pod's" if pod.pod.spec.topology_spread_constraints else "setting default"
    return f"{origin} {strength} topology spread constraints: {problem}"
