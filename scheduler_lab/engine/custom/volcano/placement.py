"""Where Volcano puts tasks: a view of the cluster of its own, and Kubernetes' filters and scores over it.

Volcano wraps kube-scheduler's plugins for its predicates and for most of its node order, so whether a node fits is
judged by them here. Which of several fitting nodes it takes depends on its configuration (its own binpack beside them);
here it is the one that kube-scheduler's default profile scores highest.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from scheduler_lab.engine.cluster.cache import Cache
from scheduler_lab.engine.configuration import load
from scheduler_lab.engine.custom.volcano.amounts import Amounts, amounts, total
from scheduler_lab.engine.custom.volcano.jobs import VOLCANO, Task
from scheduler_lab.engine.custom.volcano.texts import nodes_error
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.interfaces import POINTS
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.framework.status import Status, unresolvable
from scheduler_lab.engine.objects.pod import FINISHED_PHASES
from scheduler_lab.engine.plugins.registry import plugin_class
from scheduler_lab.engine.record import Cycle, ScoreTable
from scheduler_lab.engine.scheduler.handle import ProfileHandle
from scheduler_lab.engine.scheduler.workloads import WorkloadManager

if TYPE_CHECKING:
    from scheduler_lab.engine.simulation import Simulation

_OTHERS_GANGS = "GangScheduling"
NOT_AMONG = unresolvable("node(s) didn't match Pod's node affinity/selector")


class Placement:
    """Fits tasks on nodes, holds places during a session, and binds."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._store = simulation.store
        self._pod_info = simulation.process.pod_info
        self._cache = Cache()
        self._framework = self._make_framework()
        self._states: dict[str, CycleState] = {}
        for node in self._store.list("Node"):
            self._cache.set_node(node)
        for pod in self._store.list("Pod"):
            self._observe("Pod", None, pod)
        self._store.subscribe(self._observe)

    def _make_framework(self) -> Framework:
        simulation = self._simulation
        profile = load(None, simulation.gates).profiles[0]
        handle = ProfileHandle(
            scheduler_name=VOLCANO,
            cache=self._cache,
            store=self._store,
            api_server=simulation.api_server,
            clock=simulation.wait_clock,
            gates=simulation.gates,
            request_features=simulation.process.features,
            extenders=simulation.process.extenders,
            workloads=WorkloadManager(),
            shared={},
            pod_info=self._pod_info,
            events=simulation.record.x_events,
        )
        points = {point: [name for name in profile.points[point] if name != _OTHERS_GANGS] for point in POINTS}
        names = dict.fromkeys(name for point in POINTS for name in points[point])
        plugins = {name: plugin_class(name)(profile.args.get(name), handle) for name in names}
        handle.framework = Framework(VOLCANO, points, profile.score_weights, plugins)
        return handle.framework

    def _observe(self, kind: str, old: Any, new: Any) -> None:
        if kind == "Node":
            if new is None:
                self._cache.remove_node(old.metadata.name)
            else:
                self._cache.set_node(new)
        elif kind == "Pod":
            if new is None or new.status.phase in FINISHED_PHASES:
                self._cache.remove_pod((new or old).metadata.uid)
            elif new.spec.node_name:
                self._cache.add_pod(self._pod_info(new))

    # -- the cluster as a whole ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """A session begins."""
        self._cache.refresh()
        self._states.clear()

    @property
    def whole(self) -> Amounts:
        """What all nodes offer."""
        return total(amounts(node.allocatable) for node in self._cache.nodes)

    @property
    def used(self) -> Amounts:
        """What pods take, whoever scheduled them."""
        return total(amounts(node.requested) for node in self._cache.nodes)

    # -- one task ------------------------------------------------------------------------------------------------

    def find(self, task: Task) -> str:
        """The node that the task goes to, or "" with the task's fit error."""
        state, pod, cycle = CycleState(), task.pod, Cycle(pod=task.pod.key, attempt=0, profile=VOLCANO)
        nodes = self._cache.nodes
        names, status, _ = self._framework.run_pre_filter(state, pod, nodes, cycle)
        reasons: Counter[str] = Counter()
        feasible: list[NodeInfo] = []
        for node in nodes:
            failed = status or self._rejection(state, pod, node, names)
            if failed is None:
                feasible.append(node)
            else:
                reasons.update(failed.reasons[:1])
        if not feasible:
            task.fit_error = nodes_error(reasons, len(nodes))
            return ""
        self._states[pod.uid] = state
        return self._best(state, pod, feasible, cycle)

    def _rejection(
        self, state: CycleState, pod: PodInfo, node: NodeInfo, names: frozenset[str] | None
    ) -> Status | None:
        if names is not None and node.name not in names:
            return NOT_AMONG
        return self._framework.run_filters(state, pod, node)[0]

    def _best(self, state: CycleState, pod: PodInfo, feasible: list[NodeInfo], cycle: Cycle) -> str:
        if len(feasible) > 1 and self._framework.run_pre_score(state, pod, feasible, cycle) is None:
            table = ScoreTable([node.name for node in feasible])
            totals, failure = self._framework.run_score(state, pod, feasible, table)
            if failure is None:
                return min(totals, key=lambda name: (-totals[name], name))
        return min(node.name for node in feasible)

    def hold(self, task: Task, node: str) -> None:
        """Count the task on the node for the rest of the session."""
        pod = task.pod.pod
        self._cache.assume(self._pod_info(replace(pod, spec=replace(pod.spec, node_name=node))))

    def release(self, task: Task) -> None:
        """Stop counting it."""
        self._cache.remove_pod(task.pod.uid)

    def bind(self, task: Task) -> str:
        """Bind the task to the node it holds; "" or why that failed."""
        framework, pod, node = self._framework, task.pod, task.node
        state = self._states.get(pod.uid) or CycleState()
        cycle = Cycle(pod=pod.key, attempt=0, profile=VOLCANO)
        status = framework.run_reserve(state, pod, node, cycle)
        if status is None:
            _, status = framework.run_pre_bind_pre_flight(state, pod, node, cycle)
        if status is None:
            status = framework.run_pre_bind(state, pod, node, cycle)
        if status is None:
            status = framework.run_bind(state, pod, node, cycle)
        if status is None:
            return ""
        framework.run_unreserve(state, pod, node, cycle)
        self.release(task)
        return status.message
