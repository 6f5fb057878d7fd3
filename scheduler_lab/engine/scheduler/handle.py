"""What one profile's plugins may ask of the scheduler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status, error
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.record import Event
from scheduler_lab.engine.scheduler.waiting import WaitingPod

if TYPE_CHECKING:
    from scheduler_lab.engine.clock import Clock
    from scheduler_lab.engine.cluster.api_server import APIServer
    from scheduler_lab.engine.cluster.cache import Cache
    from scheduler_lab.engine.cluster.store import Store
    from scheduler_lab.engine.configuration.feature_gates import FeatureGates
    from scheduler_lab.engine.custom.extenders import Extenders
    from scheduler_lab.engine.framework.resources import RequestFeatures
    from scheduler_lab.engine.framework.runtime import Framework
    from scheduler_lab.engine.queue.scheduling_queue import SchedulingQueue
    from scheduler_lab.engine.scheduler.cycle import Scheduler
    from scheduler_lab.engine.scheduler.workloads import WorkloadManager


class ProfileHandle:
    """Implements the framework's `Handle` for the plugins of one profile.

    The scheduler is attached after the plugins have been made, as upstream does with its handle.
    """

    scheduler: Scheduler
    framework: Framework

    def __init__(
        self,
        *,
        scheduler_name: str,
        cache: Cache,
        store: Store,
        api_server: APIServer,
        clock: Clock,
        gates: FeatureGates,
        request_features: RequestFeatures,
        extenders: Extenders,
        workloads: WorkloadManager,
        shared: dict[str, Any],
        pod_info: Callable[[Pod], PodInfo],
        events: list[Event],
    ) -> None:
        self.scheduler_name = scheduler_name
        self.store = store
        self.api_server = api_server
        self.clock = clock
        self.gates = gates
        self.request_features = request_features
        self.extenders = extenders
        self.workloads = workloads
        self.shared = shared
        self.pod_info = pod_info
        self._cache = cache
        self._events = events

    @property
    def snapshot(self) -> Cache:
        """The cluster as the current cycle sees it."""
        return self._cache

    @property
    def queue(self) -> SchedulingQueue:
        """The scheduling queue."""
        return self.scheduler.queue

    def filter_with_nominated_pods(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Run this profile's Filter plugins, also with equally or more important nominated pods added."""
        return self.scheduler.searches[self.scheduler_name].filter_with_nominated_pods(state, pod, node)

    def add_pod(self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) -> Status | None:
        """Run the PreFilter plugins' `add_pod` that were not skipped."""
        return self.framework.run_add_pod(state, pod, added, node)

    def remove_pod(self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo) -> Status | None:
        """Run the PreFilter plugins' `remove_pod` that were not skipped."""
        return self.framework.run_remove_pod(state, pod, removed, node)

    def nominated_pods(self, node: str) -> Sequence[PodInfo]:
        """Pods nominated to the node, oldest nomination first."""
        return self.scheduler.queue.nominator.pods(node)

    def waiting_pods(self) -> Iterable[WaitingPod]:
        """Pods that wait on Permit, in the order in which they began to."""
        return self.scheduler.binding.waiting

    def activate(self, keys: Sequence[str]) -> None:
        """Move pods (ns/name) to the active queue when the current cycle's Permit is over."""
        self.scheduler.to_activate.extend(keys)

    def report_victims(self, victims: Sequence[PodInfo]) -> None:
        """Note in the record whom this cycle preempts."""
        self.scheduler.victims = [victim.key for victim in victims]

    def run_later(self, job: Callable[[], None]) -> None:
        """Do asynchronous work when the cycle's failure has been handled, before the next cycle."""
        self.scheduler.jobs.append(job)

    def bind(self, pod: PodInfo, node: str) -> Status | None:
        """Ask the API server to bind the pod; Error with its message when it refuses."""
        refusal = self.api_server.bind(pod.pod, node)
        return error(refusal) if refusal else None

    def event(self, type_: str, reason: str, regarding: str, message: str) -> None:
        """Emit a Kubernetes event; `regarding` reads `Pod ns/name`."""
        self._events.append(Event(type_, reason, regarding, message))
