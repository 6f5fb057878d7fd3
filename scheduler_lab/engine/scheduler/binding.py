"""From the chosen node to the bound pod: assume, Reserve, Permit, and the binding cycle (kube-scheduler v1.35)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import Cycle, Event, Result
from scheduler_lab.engine.scheduler.fit_error import one_node_message
from scheduler_lab.engine.scheduler.update_events import ASSIGNED_POD_DELETE
from scheduler_lab.engine.scheduler.waiting import WaitingPod, WaitingPods, go_duration

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.cache import Cache
    from scheduler_lab.engine.cluster.store import Store
    from scheduler_lab.engine.custom.extenders import Extenders
    from scheduler_lab.engine.queue.scheduling_queue import SchedulingQueue
    from scheduler_lab.engine.scheduler.failure import FailureHandler


class Binding:
    """Carries pods from their node to the API server.

    Upstream runs a goroutine per pod; here each binding cycle runs to its end at once, except where it waits on
    Permit. `clock` is the time of waiting pods, which only moves when the learner lets it.
    """

    def __init__(
        self,
        *,
        cache: Cache,
        queue: SchedulingQueue,
        store: Store,
        extenders: Extenders,
        failures: FailureHandler,
        clock: Clock,
        pod_info: Callable[[Pod], PodInfo],
        events: list[Event],
        nominate_before_binding: bool,
    ) -> None:
        self.waiting = WaitingPods()
        self.activate_requested: Callable[[], None] = lambda: None
        self._cache = cache
        self._queue = queue
        self._store = store
        self._extenders = extenders
        self._failures = failures
        self._clock = clock
        self._pod_info = pod_info
        self._events = events
        self._nominate = nominate_before_binding

    # -- end of the scheduling cycle -----------------------------------------------------------------------------

    def begin(self, entry: QueuedPod, framework: Framework, state: CycleState, node: str, cycle: Cycle) -> None:
        """Assume the pod on its node, reserve, ask for permission, then bind or wait."""
        original = entry.pod
        assumed = self._pod_info(replace(original.pod, spec=replace(original.pod.spec, node_name=node)))
        if self._cache.holds(original.uid):
            text = f"pod {original.uid}({original.key}) is in the cache, so can't be assumed"
            self._fail_early(entry, cycle, Status(Code.ERROR, (text,)))
            return
        self._cache.assume(assumed)
        self._queue.nominator.remove(assumed.uid)
        status = framework.run_reserve(state, assumed, node, cycle)
        waits: dict[str, float] = {}
        if status is None:
            status, waits = framework.run_permit(state, assumed, node, cycle)
        if status is not None:
            framework.run_unreserve(state, assumed, node, cycle)
            self._cache.remove_pod(assumed.uid)
            self._fail_early(entry, cycle, status)
            return
        waiting = WaitingPod(
            entry,
            assumed,
            node,
            framework,
            state,
            cycle,
            deadlines={plugin: self._clock.now + seconds for plugin, seconds in waits.items()},
            timeouts=waits,
        )
        if waits:
            self.waiting.add(waiting)
        self.activate_requested()
        # Pods that this one's Permit has let go are bound before it.
        self.finish_decided()
        self._bind_or_wait(waiting, bool(waits))

    def _fail_early(self, entry: QueuedPod, cycle: Cycle, status: Status) -> None:
        message = self._one_node(entry, status)
        cycle.result = Result(code=status.code.value, message=message)
        self._failures.handle(entry, status, message, "")

    @staticmethod
    def _one_node(entry: QueuedPod, status: Status) -> str:
        """A rejection of the one chosen node reads like a search over one node; its plugin is the rejector."""
        if not status.rejected:
            return status.message
        if status.plugin:
            pending = status.code is Code.PENDING
            (entry.pending_plugins if pending else entry.unschedulable_plugins).add(status.plugin)
        return one_node_message(status.message)

    # -- the binding cycle ---------------------------------------------------------------------------------------

    def _bind_or_wait(self, waiting: WaitingPod, waits: bool) -> None:
        work, failure = False, None
        if self._nominate:
            work, failure = waiting.framework.run_pre_bind_pre_flight(
                waiting.state, waiting.pod, waiting.node, waiting.cycle
            )
        if failure is not None:
            self.waiting.remove(waiting.pod.uid)
            self._fail_late(waiting, failure, failure.message)
            return
        if self._nominate and (work or waits):
            self._patch_nomination(waiting)
        if waits:
            self._queue.meter.waits(waiting)
            waiting.cycle.result = Result(node=waiting.node, code=Code.WAIT.value)
            self.finish_decided()
        else:
            self._bind(waiting)

    def _patch_nomination(self, waiting: WaitingPod) -> None:
        pod = self._store.get("Pod", waiting.pod.namespace, waiting.pod.pod.metadata.name)
        if pod is not None and pod.status.nominated_node_name != waiting.node:
            self._store.put(replace(pod, status=replace(pod.status, nominated_node_name=waiting.node)))

    def finish_decided(self) -> None:
        """Go on with every waiting pod that has been allowed or rejected."""
        while (waiting := self.waiting.take_decided()) is not None:
            self._queue.meter.waited(waiting)
            if waiting.verdict is None:
                self._bind(waiting)
                continue
            message = self._one_node(waiting.entry, waiting.verdict)
            self._fail_late(waiting, waiting.verdict, message)

    def fire_timeouts(self) -> None:
        """Reject the pods whose Permit timeout has come, the earliest first."""
        while True:
            due = [
                (deadline, waiting.order, plugin, waiting)
                for waiting in self.waiting
                for plugin, deadline in waiting.deadlines.items()
                if deadline <= self._clock.now
            ]
            if not due:
                return
            _, _, plugin, waiting = min(due, key=lambda item: item[:2])
            after = go_duration(waiting.timeouts[plugin])
            waiting.reject(plugin, f"rejected due to timeout after waiting {after} at plugin {plugin}")
            self.finish_decided()

    def _bind(self, waiting: WaitingPod) -> None:
        framework, state, pod, node, cycle = (
            waiting.framework,
            waiting.state,
            waiting.pod,
            waiting.node,
            waiting.cycle,
        )
        self._queue.done(pod.uid)
        status = framework.run_pre_bind(state, pod, node, cycle)
        if status is None:
            handled, status = self._extenders.bind(pod, node, cycle)
            if not handled:
                status = framework.run_bind(state, pod, node, cycle)
        if status is not None:
            self._fail_late(waiting, status, status.message)
            return
        cycle.result = Result(node=node)
        self._events.append(
            Event("Normal", "Scheduled", f"Pod {pod.key}", f"Successfully assigned {pod.key} to {node}")
        )
        self._queue.meter.bound(waiting.entry)
        framework.run_post_bind(state, pod, node, cycle)

    def _fail_late(self, waiting: WaitingPod, status: Status, message: str) -> None:
        pod = waiting.pod
        waiting.framework.run_unreserve(waiting.state, pod, waiting.node, waiting.cycle)
        # A pod that another scheduler has bound meanwhile is not forgotten.
        if self._cache.is_assumed(pod.uid):
            self._cache.remove_pod(pod.uid)
        waiting.cycle.result = Result(code=status.code.value, message=message)
        if status.code is Code.SKIP:
            self._queue.done(pod.uid)
            return
        if not status.rejected:
            self._queue.move_all(ASSIGNED_POD_DELETE, pod, None)
        self._failures.handle(waiting.entry, status, message, "")
        if status.rejected:
            self._queue.move_all(ASSIGNED_POD_DELETE, pod, None, keep=lambda other: other.uid != pod.uid)
