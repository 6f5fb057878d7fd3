"""One kube-scheduler process: takes a pod off the queue and carries it through all extension points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scheduler_lab.engine.cluster.picture import MAX_NODES
from scheduler_lab.engine.evidence.mode import EvidenceMode
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import Cycle, Result, ScoreTable
from scheduler_lab.engine.scheduler.batching import Batching
from scheduler_lab.engine.scheduler.binding import Binding
from scheduler_lab.engine.scheduler.failure import FailureHandler
from scheduler_lab.engine.scheduler.fit_error import NO_NODES, Diagnosis, fit_message
from scheduler_lab.engine.scheduler.search import Search
from scheduler_lab.engine.scheduler.trace import Trace

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.cache import Cache
    from scheduler_lab.engine.custom.extenders import Extenders
    from scheduler_lab.engine.queue.scheduling_queue import SchedulingQueue

CLEAR = ""


class Scheduler:
    """Runs scheduling cycles, one after the other, and the asynchronous work each leaves behind."""

    def __init__(
        self,
        *,
        cache: Cache,
        queue: SchedulingQueue,
        frameworks: Mapping[str, Framework],
        percentages: Mapping[str, int],
        batches: Mapping[str, Batching],
        extenders: Extenders,
        binding: Binding,
        failures: FailureHandler,
        evidence: EvidenceMode,
        describe_cluster: Callable[[], list[dict[str, Any]]],
    ) -> None:
        self.cache = cache
        self.queue = queue
        self.frameworks = dict(frameworks)
        self.extenders = extenders
        self.binding = binding
        self.failures = failures
        self.evidence = evidence
        self.cycles: list[Cycle] = []
        self.step = 0
        self.jobs: list[Callable[[], None]] = []
        self.to_activate: list[str] = []
        self.victims: list[str] = []
        self.requeues: list[dict[str, Any]] = []
        self.batches = dict(batches)
        self._popped = 0
        self._describe_cluster = describe_cluster
        start = [0]
        self.searches = {
            name: Search(cache, queue.nominator, extenders, framework, percentages[name], start)
            for name, framework in self.frameworks.items()
        }

    # -- one attempt -------------------------------------------------------------------------------------------

    def schedule_one(self) -> bool:
        """Schedule the next pod; False if none is ready."""
        entry = self.queue.pop()
        if entry is None:
            return False
        self._popped += 1
        pod = entry.pod
        framework = self.frameworks.get(pod.pod.spec.scheduler_name)
        if framework is None or self._skip(pod):
            self.queue.done(pod.uid)
            return True
        self.cache.refresh()
        cycle = self._new_cycle(entry, framework)
        trace = Trace(self.evidence, len(self.cycles) - 1, len(self.cache.nodes))
        if trace.wanted:
            self.extenders.log.explain(cycle)
        self._attempt(entry, framework, cycle, trace)
        if trace.wanted:
            cycle.x_evidence = trace.collected()
        self.run_jobs()
        return True

    def run_jobs(self) -> None:
        """Carry out asynchronous work to its end: evictions, then what their rejections set off."""
        while self.jobs:
            self.jobs.pop(0)()
            self.binding.finish_decided()

    def _skip(self, pod: PodInfo) -> bool:
        if pod.pod.metadata.deletion_timestamp:
            self.failures.deleting(pod)
            return True
        return self.cache.is_assumed(pod.uid)

    def _new_cycle(self, entry: QueuedPod, framework: Framework) -> Cycle:
        cycle = Cycle(
            pod=entry.key,
            attempt=entry.attempts,
            profile=framework.scheduler_name,
            step=self.step,
            x_time=self.queue.clock.now,
            x_requeue=self.requeues,
            x_nodes=len(self.cache.nodes) if len(self.cache.nodes) > MAX_NODES else 0,
        )
        if self.evidence.everything:
            cycle.x_queue = self._queue_picture(entry)
            cycle.x_cluster = self._describe_cluster()
        self.requeues = []
        self.cycles.append(cycle)
        return cycle

    def _queue_picture(self, popped: QueuedPod) -> dict[str, list[str]]:
        parked = self.queue.unschedulable.values()
        picture = {
            "active": [popped.key, *(entry.key for entry in self.queue.sorted(self.queue.active.values()))],
            "backoff": [entry.key for entry in self.queue.backoff.values()],
            "unschedulable": [entry.key for entry in parked if not entry.gated],
            "gated": [entry.key for entry in parked if entry.gated],
            "waitingOnPermit": [waiting.key for waiting in self.binding.waiting],
        }
        return {place: keys for place, keys in picture.items() if keys}

    def _attempt(self, entry: QueuedPod, framework: Framework, cycle: Cycle, trace: Trace) -> None:
        pod, state = entry.pod, CycleState()
        self.to_activate = []
        self.victims = []
        if not self.cache.nodes:
            status = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (NO_NODES,))
            self._fail(entry, cycle, status, CLEAR)
            return
        batch, signature = self.batches[framework.scheduler_name], b""

        def hint() -> str:
            nonlocal signature
            node, signature = batch.hint(state, pod, self._popped)
            return node

        search = self.searches[framework.scheduler_name]
        feasible, diagnosis, failure = search.run(state, pod, cycle, trace, hint)
        if failure is not None:
            self._fail(entry, cycle, failure, CLEAR)
            return
        if not feasible:
            self._make_room(entry, framework, state, cycle, diagnosis, trace)
            return
        node, failure = self._choose(framework, state, pod, feasible, cycle, trace)
        if failure is not None:
            self._fail(entry, cycle, failure, CLEAR)
            return
        batch.store(signature, cycle.node_hint, node, cycle.totals, self._popped)
        self.binding.begin(entry, framework, state, node, cycle)
        self._explain(framework, "permit", "explain_permit", state, pod, trace)
        self._explain(framework, "reserve", "explain_reserve", state, pod, trace)
        # After a wait the binding cycle comes later, mixed with those of others.
        if not any(verdict.code == Code.WAIT.value for verdict in cycle.permit):
            for point, method, ran in (
                ("preBind", "explain_pre_bind", cycle.pre_bind),
                ("postBind", "explain_post_bind", cycle.post_bind),
            ):
                if ran:
                    self._explain(framework, point, method, state, pod, trace)

    def _fail(self, entry: QueuedPod, cycle: Cycle, status: Status, nomination: str | None) -> None:
        cycle.result = Result(code=status.code.value, message=status.message)
        self.failures.handle(entry, status, status.message, nomination)

    def _make_room(
        self,
        entry: QueuedPod,
        framework: Framework,
        state: CycleState,
        cycle: Cycle,
        diagnosis: Diagnosis,
        trace: Trace,
    ) -> None:
        nomination: str | None = CLEAR
        self.extenders.cycle = cycle
        if framework.at("postFilter"):
            nomination, status = framework.run_post_filter(state, entry.pod, diagnosis.statuses, cycle)
            if status is not None:
                diagnosis.post_filter_message = status.message
            self._explain(framework, "postFilter", "explain_post_filter", state, entry.pod, trace)
        message = fit_message(diagnosis, len(self.cache.nodes))
        cycle.result = Result(
            code=Code.UNSCHEDULABLE.value, message=message, nominated_node=nomination or "", victims=list(self.victims)
        )
        entry.unschedulable_plugins |= diagnosis.unschedulable_plugins
        entry.pending_plugins |= diagnosis.pending_plugins
        self.failures.handle(entry, Status(Code.UNSCHEDULABLE), message, nomination)

    @staticmethod
    def _explain(framework: Framework, point: str, method: str, state: CycleState, pod: PodInfo, trace: Trace) -> None:
        """Let the plugins of a point that runs once a cycle account for their answers, if anybody asked."""
        if not trace.wanted:
            return
        for plugin in framework.at(point):
            explain = getattr(plugin, method, None)
            trace.once(point, plugin.name, explain and explain(state, pod))

    # -- choosing ----------------------------------------------------------------------------------------------

    def _choose(
        self,
        framework: Framework,
        state: CycleState,
        pod: PodInfo,
        feasible: Sequence[NodeInfo],
        cycle: Cycle,
        trace: Trace,
    ) -> tuple[str, Status | None]:
        """(node, failure). Ties go to the smallest name, as in the recorded runs; upstream leaves them open."""
        if len(feasible) == 1:
            return feasible[0].name, None
        table = ScoreTable([node.name for node in feasible])
        if not self.extenders and not framework.at("score"):
            totals = dict.fromkeys(table.nodes, 1)
        else:
            failure = framework.run_pre_score(state, pod, feasible, cycle)
            if failure is not None:
                return "", failure
            totals, failure = framework.run_score(state, pod, feasible, table)
            if table.weights:
                cycle.score = table
            trace.score(framework, state, pod, feasible, cycle)
            if failure is not None:
                return "", failure
            self._add_extender_scores(pod, feasible, table, totals, cycle)
        cycle.totals = totals
        return min(totals, key=lambda name: (-totals[name], name)), None

    def _add_extender_scores(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], table: ScoreTable, totals: dict[str, int], cycle: Cycle
    ) -> None:
        if not self.extenders:
            return
        table.extenders = self.extenders.prioritize(pod, feasible, cycle)
        for scores in table.extenders.values():
            for name, score in scores.items():
                totals[name] += score
        if table:
            cycle.score = table
