"""Time in a run: settling after each step, and what the steps of a Timeline do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_lab.engine.admission import AdmissionError
from scheduler_lab.engine.cluster.kubelet import Kubelets
from scheduler_lab.engine.custom.volcano import Volcano
from scheduler_lab.engine.manifests import load
from scheduler_lab.engine.node_steps import NodeSteps
from scheduler_lab.engine.objects.lab import TimelineStep
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.registry import is_namespaced, stored_kind
from scheduler_lab.engine.queue.entry import QueuedPod

if TYPE_CHECKING:
    from scheduler_lab.engine.simulation import Simulation

# Beyond the largest default backoff, so that a step finds no pod still backing off from the one before.
SECONDS_PER_STEP = 15.0
REJECTED = "rejected by the lab"


class TimelineRunner:
    """Takes the steps of one simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._fleet = simulation.fleet
        self._queue_clock = simulation.queue_clock
        self._nodes = NodeSteps(simulation)
        self._volcano = Volcano(simulation)
        self._kubelets = Kubelets(
            simulation.store,
            simulation.gates,
            simulation.process.pod_info,
            simulation.wait_clock,
            simulation.record.x_kubelet,
        )

    # -- settling ----------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Schedule until nothing is left to do, Volcano after kube-scheduler, then let the kubelets have their say."""
        self._schedule()
        while self._volcano.run(self._fleet.step):
            self._schedule()
        self._kubelets.sync(self._fleet.step)

    def _schedule(self) -> None:
        """Schedule until nothing is ready and only pods are left that errors have exhausted."""
        self._simulation.controllers.sync()
        self._fleet.begin()
        while True:
            if len(self._fleet.cycles) >= self._simulation.options.max_cycles:
                self._simulation.record.max_cycles_hit = self._fleet.busy
                return
            if self._fleet.schedule_one():
                self._simulation.controllers.sync()
                continue
            if not self._simulation.controllers.sync() and not self._fleet.end_a_backoff(self._worth_waiting_for):
                return

    def _worth_waiting_for(self, entry: QueuedPod) -> bool:
        return entry.consecutive_errors < self._simulation.options.max_error_attempts

    # -- steps -------------------------------------------------------------------------------------------------

    def take(self, step: TimelineStep) -> None:
        """Do what the step says, then settle. Raises AdmissionError when it names what does not exist."""
        self._fleet.step += 1
        self._queue_clock.advance(SECONDS_PER_STEP)
        if step.apply is not None:
            self._apply(step.apply)
        if step.delete is not None:
            self._delete(step)
        if step.allow_waiting is not None:
            self._waiting(step.allow_waiting, None)
        if step.reject_waiting is not None:
            self._waiting(step.reject_waiting, step.message or REJECTED)
        if step.advance_seconds is not None:
            self._advance(step.advance_seconds)
        self._nodes.take(step)
        self._fleet.take(step)
        self.settle()

    def _apply(self, text: str) -> None:
        manifest = load(text)
        if manifest.has_errors:
            raise AdmissionError("; ".join(str(problem) for problem in manifest.errors))
        for obj in manifest.objects:
            if isinstance(obj, KubeObject):
                self._simulation.create(obj)

    def _delete(self, step: TimelineStep) -> None:
        assert step.delete is not None
        namespace = (step.delete.namespace or "default") if is_namespaced(step.delete.kind) else ""
        kind = stored_kind(step.delete.kind, step.delete.api_version)
        self._simulation.api_server.delete(kind, namespace, step.delete.name)

    def _waiting(self, key: str, message: str | None) -> None:
        for waiting in [pod for pod in self._fleet.waiting() if pod.key == key]:
            for plugin in list(waiting.deadlines):
                if message is None:
                    waiting.allow(plugin)
                else:
                    waiting.reject(plugin, message)

    def _advance(self, seconds: float) -> None:
        self._simulation.wait_clock.advance(seconds)
        self._queue_clock.advance(seconds)
        if self._simulation.api_server.terminations is not None:
            self._simulation.api_server.terminations.finish_due()
        self._fleet.time_passed()
