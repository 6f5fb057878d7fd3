"""Finding the nodes that can run a pod: PreFilter, nominated node, Filter, extenders (kube-scheduler v1.35)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.record import Cycle, Verdict
from scheduler_lab.engine.scheduler.fit_error import Diagnosis

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.cache import Cache
    from scheduler_lab.engine.custom.extenders import Extenders
    from scheduler_lab.engine.queue.nominator import Nominator
    from scheduler_lab.engine.scheduler.trace import Trace

MIN_FEASIBLE_NODES = 100
EXTENDER = "Extender"


def feasible_nodes_wanted(nodes: int, percentage: int) -> int:
    """How many feasible nodes end the search among `nodes`; `percentage` 0 is the adaptive default."""
    if nodes < MIN_FEASIBLE_NODES:
        return nodes
    percent = percentage or max(5, 50 - nodes // 125)
    return max(MIN_FEASIBLE_NODES, nodes * percent // 100)


class Search:
    """The Filter phase of one profile. `start` is where the next search begins in the node list."""

    def __init__(
        self,
        cache: Cache,
        nominator: Nominator,
        extenders: Extenders,
        framework: Framework,
        percentage: int,
        start: list[int],
    ) -> None:
        self._cache = cache
        self._nominator = nominator
        self._extenders = extenders
        self._framework = framework
        self._percentage = percentage
        self._start = start
        self.looks = {Code.SUCCESS: 0, Code.ERROR: 0}
        """How often Filter ran over some nodes, by how it ended."""

    def run(
        self, state: CycleState, pod: PodInfo, cycle: Cycle, trace: Trace, hint: Callable[[], str] = lambda: ""
    ) -> tuple[list[NodeInfo], Diagnosis, Status | None]:
        """(feasible nodes in the order found, what was learned, failure of the whole cycle).

        `hint` is asked once PreFilter has passed; its node is tried first like a nominated one.
        """
        nodes = self._cache.nodes
        diagnosis = Diagnosis()
        names, status, narrowing = self._framework.run_pre_filter(state, pod, nodes, cycle)
        diagnosis.unschedulable_plugins |= narrowing
        trace.pre_filter(self._framework, state, pod, cycle)
        if status is not None:
            if not status.rejected:
                return [], diagnosis, status
            diagnosis.statuses.absent = status
            diagnosis.pre_filter_message = status.message
            diagnosis.blame(status.code, status.plugin)
            return [], diagnosis, None
        cycle.node_hint = hint()
        nominated = self._nominated(state, pod, cycle, trace, diagnosis)
        if nominated:
            return nominated, diagnosis, None
        searched: Sequence[NodeInfo] = nodes
        if names is not None:
            searched = [node for node in nodes if node.name in names]
            reason = f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(narrowing))}]"
            diagnosis.statuses.absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))
        feasible, failure = self._filter(state, pod, searched, cycle, trace, diagnosis)
        found = len(feasible) + len(diagnosis.statuses)
        self._start[0] = (self._start[0] + found) % len(nodes) if nodes else 0
        if failure is not None:
            return [], diagnosis, failure
        feasible, failure = self._ask_extenders(pod, feasible, cycle, diagnosis)
        return feasible, diagnosis, failure

    def _nominated(
        self, state: CycleState, pod: PodInfo, cycle: Cycle, trace: Trace, diagnosis: Diagnosis
    ) -> list[NodeInfo]:
        name = pod.pod.status.nominated_node_name or cycle.node_hint
        node = self._cache.get(name) if name else None
        if node is None:
            return []
        feasible, failure = self._filter(state, pod, [node], cycle, trace, diagnosis)
        if failure is None and feasible:
            feasible, failure = self._ask_extenders(pod, feasible, cycle, diagnosis)
        return feasible if failure is None else []

    def _filter(
        self,
        state: CycleState,
        pod: PodInfo,
        nodes: Sequence[NodeInfo],
        cycle: Cycle,
        trace: Trace,
        diagnosis: Diagnosis,
    ) -> tuple[list[NodeInfo], Status | None]:
        wanted = self._wanted(len(nodes))
        feasible: list[NodeInfo] = []
        statuses = diagnosis.statuses
        if not self._framework.at("filter"):
            return self._unfiltered(nodes, wanted), None
        start = self._start[0] % len(nodes) if nodes else 0
        chain = self._framework.filter_chain(state)
        plain = not self._nominator and not trace.wanted
        for node in (*nodes[start:], *nodes[:start]):
            if plain:
                status, verdicts = chain.run(state, pod, node)
            else:
                status, verdicts = self._check(state, pod, node, cycle, trace)
            cycle.filter[node.name] = verdicts
            if status is None:
                if len(feasible) == wanted:
                    break
                feasible.append(node)
                continue
            if not status.rejected:
                self.looks[Code.ERROR] += 1
                return feasible, status
            statuses[node.name] = status
            diagnosis.blame(status.code, status.plugin)
        self.looks[Code.SUCCESS] += 1
        return feasible, None

    def _wanted(self, nodes: int) -> int:
        if not self._framework.at("score") and not self._extenders.score_or_filter:
            return 1
        return feasible_nodes_wanted(nodes, self._percentage)

    def _unfiltered(self, nodes: Sequence[NodeInfo], wanted: int) -> list[NodeInfo]:
        count = len(nodes)
        return [nodes[(self._start[0] + offset) % count] for offset in range(min(wanted, count))]

    def _check(
        self, state: CycleState, pod: PodInfo, node: NodeInfo, cycle: Cycle, trace: Trace
    ) -> tuple[Status | None, tuple[Verdict, ...]]:
        nominated = self.nominated_for(pod, node) if self._nominator else ()
        if nominated:
            insort(cycle.filter_with_nominated_pods, node.name)
            status, verdicts, with_state, with_node = self._with_nominated(state, pod, node, nominated)
            if status is not None:
                trace.filter(self._framework, with_state, pod, with_node, verdicts)
                return status, verdicts
        status, verdicts = self._framework.run_filters(state, pod, node)
        trace.filter(self._framework, state, pod, node, verdicts)
        return status, verdicts

    def nominated_for(self, pod: PodInfo, node: NodeInfo) -> list[PodInfo]:
        """Pods nominated to the node that must be reckoned with: as important as this pod, or more."""
        return [
            other
            for other in self._nominator.pods(node.name)
            if other.priority >= pod.priority and other.uid != pod.uid
        ]

    def _with_nominated(
        self, state: CycleState, pod: PodInfo, node: NodeInfo, nominated: Sequence[PodInfo]
    ) -> tuple[Status | None, tuple[Verdict, ...], CycleState, NodeInfo]:
        state, node = state.clone(), node.clone()
        for other in nominated:
            node.add_pod(other)
            status = self._framework.run_add_pod(state, pod, other, node)
            if status is not None:
                return status, (), state, node
        status, verdicts = self._framework.run_filters(state, pod, node)
        return status, verdicts, state, node

    def filter_with_nominated_pods(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Both passes of Filter for one node, unrecorded: for dry runs."""
        nominated = self.nominated_for(pod, node)
        if nominated:
            status = self._with_nominated(state, pod, node, nominated)[0]
            if status is not None:
                return status
        return self._framework.run_filters(state, pod, node)[0]

    def _ask_extenders(
        self, pod: PodInfo, feasible: list[NodeInfo], cycle: Cycle, diagnosis: Diagnosis
    ) -> tuple[list[NodeInfo], Status | None]:
        if not feasible or not self._extenders:
            return feasible, None
        left, failure = self._extenders.filter(pod, feasible, cycle, diagnosis.statuses)
        if len(left) < len(feasible):
            diagnosis.unschedulable_plugins.add(EXTENDER)
        return left, failure
