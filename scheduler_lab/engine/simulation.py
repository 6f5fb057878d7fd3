"""A run: from the objects of a text to the record of everything the scheduler did with them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from scheduler_lab.engine.admission import AdmissionError, Refusal
from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.cluster.api_server import APIServer
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.cluster.termination import Terminations
from scheduler_lab.engine.cluster.volume_controller import VolumeController
from scheduler_lab.engine.configuration import ConfigurationError, load_object, resolve
from scheduler_lab.engine.controllers import Controllers
from scheduler_lab.engine.custom.plugins.registry import CustomPlugins
from scheduler_lab.engine.evidence.mode import NONE, EvidenceMode
from scheduler_lab.engine.final_state import fill_final_state
from scheduler_lab.engine.manifests.manifest import Manifest
from scheduler_lab.engine.objects.lab import Extender, Options, Permit, Timeline, TimelineStep
from scheduler_lab.engine.objects.lab_plugin import Plugin
from scheduler_lab.engine.objects.lab_scheduler import Scheduler
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.raw import RawObject
from scheduler_lab.engine.problems import Problems
from scheduler_lab.engine.record import VERSION, Record
from scheduler_lab.engine.scheduler.process import SchedulerProcess, Seen
from scheduler_lab.engine.schedulers import Fleet, Plan, plans, tell_schedulers
from scheduler_lab.engine.timeline import TimelineRunner

SECONDS_BETWEEN_PODS = 1.0
CONFIGURATION = "KubeSchedulerConfiguration"
# What admission of the others looks up comes first, wherever it stands in the text.
FIRST = ("Namespace", "PriorityClass", "StorageClass", "LimitRange", "ResourceQuota")


def run(manifest: Manifest, evidence: EvidenceMode = NONE, watch: Callable[[Simulation], None] | None = None) -> Record:
    """Run everything in the manifest; refused input gives a record with `error` or `scenarioError`, without cycles.

    `watch` is given the simulation before it begins, for whoever wants to see how far it has come.
    """
    try:
        simulation = Simulation(manifest, evidence)
        if watch is not None:
            watch(simulation)
        return simulation.run()
    except ConfigurationError as refusal:
        return Record(error=str(refusal))
    except AdmissionError as refusal:
        return Record(scenario_error=str(refusal))


class Simulation:
    """A simulated API server with its scheduler processes, and the steps of the Timeline."""

    def __init__(self, manifest: Manifest, evidence: EvidenceMode) -> None:
        self._objects = manifest.objects
        self.options = next((o for o in self._objects if isinstance(o, Options)), Options())
        self.gates = resolve(self.options.feature_gates)
        configuration = next((o for o in self._objects if isinstance(o, RawObject) and o.kind == CONFIGURATION), None)
        custom = CustomPlugins(o for o in self._objects if isinstance(o, Plugin))
        self.configuration = load_object(configuration, self.gates, custom.known)
        self.store = Store()
        self.api_server = APIServer(self.store, self.gates)
        self.queue_clock = Clock()
        self.wait_clock = Clock()
        if self.options.graceful_eviction:
            self.api_server.terminations = Terminations(self.store, self.wait_clock)
        self.record = Record(kubernetes=VERSION, feature_gates=dict(self.options.feature_gates))
        self.scripts = [o for o in self._objects if isinstance(o, Extender | Permit)]
        for number, script in enumerate(self.scripts):
            self.store.put(replace(script, metadata=replace(script.metadata, name=str(number))))
        self.problems = Problems(self.record.x_problems)
        self._evidence = evidence
        self._custom = custom
        documents = [o for o in self._objects if isinstance(o, Scheduler)]
        self.fleet = Fleet(
            plans(documents, self.configuration, self.gates, custom.known),
            self._make_process,
            store=self.store,
            clock=self.wait_clock,
            record=self.record,
            problems=self.problems,
        )
        self.store.subscribe(VolumeController(self.store))
        self.store.subscribe(self.api_server.claim_controller)
        self.controllers = Controllers(self.api_server, self.record.x_events, self.problems, self._pod_created)
        self.store.subscribe(self.controllers)
        self._starting = True

    def _make_process(self, plan: Plan, store: Store, name: str, seen: Seen) -> SchedulerProcess:
        try:
            return SchedulerProcess(
                configuration=plan.configuration,
                gates=self.gates,
                store=store,
                api_server=self.api_server,
                queue_clock=self.queue_clock,
                wait_clock=self.wait_clock,
                evidence=self._evidence,
                record=self.record,
                custom=self._custom,
                name=name,
                seen=seen,
            )
        except ConfigurationError as refusal:
            if plan.document is None:
                raise
            raise ConfigurationError(f"Scheduler {plan.name}: {refusal}") from None

    @property
    def process(self) -> SchedulerProcess:
        """The main scheduler's first process."""
        return self.fleet.replicas[0].process

    def run(self) -> Record:
        """Create the objects, settle, take the Timeline's steps, and note how everything ended."""
        objects = [self.api_server.named(obj) for obj in self._objects if self._is_cluster_object(obj)]
        self.controllers.announce(objects)
        for obj in sorted(objects, key=lambda obj: obj.kind not in FIRST):
            if not _is_pending(obj):
                self.create(obj)
        self.controllers.loaded()
        for obj in objects:
            if _is_pending(obj):
                self.create(obj)
                self._pod_created()
            else:
                self.controllers.start(obj)
        self._starting = False
        timeline = TimelineRunner(self)
        timeline.settle()
        for step in self._steps():
            if self.record.max_cycles_hit:
                break
            timeline.take(step)
        fill_final_state(self.record, self.process, self.api_server)
        if self.fleet.several:
            tell_schedulers(self.record, self.fleet, self.store)
        return self.record

    def create(self, obj: KubeObject) -> None:
        """Create or update an object of the text; what the API server refuses is told, and the run goes on."""
        try:
            self.api_server.apply(obj)
        except Refusal as refusal:
            self.problems.refused(obj, refusal.as_answer(obj))
            if isinstance(obj, Pod):
                self.controllers.refused(obj)

    def _pod_created(self) -> None:
        if self._starting:
            self.queue_clock.advance(SECONDS_BETWEEN_PODS)

    def _is_cluster_object(self, obj: object) -> bool:
        return not isinstance(obj, Options | Timeline | RawObject | Plugin | Scheduler) and obj not in self.scripts

    def _steps(self) -> list[TimelineStep]:
        return [step for o in self._objects if isinstance(o, Timeline) for step in o.steps]


def _is_pending(obj: KubeObject) -> bool:
    return isinstance(obj, Pod) and not obj.spec.node_name
