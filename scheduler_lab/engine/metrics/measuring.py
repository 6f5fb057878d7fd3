"""Runs a text with a meter and puts its counters into families."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from scheduler_lab.engine.evidence.mode import NONE
from scheduler_lab.engine.framework.status import Code
from scheduler_lab.engine.manifests.manifest import Manifest
from scheduler_lab.engine.metrics.calls import SUCCESS, Calls
from scheduler_lab.engine.metrics.catalogue import VICTIM_BUCKETS, families
from scheduler_lab.engine.metrics.counting import RunMeter
from scheduler_lab.engine.metrics.families import Family, Histogram, Measurement, Sample, labels
from scheduler_lab.engine.metrics.pod_resources import pod_resources
from scheduler_lab.engine.metrics.told import EventTimes
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import Cycle, Record
from scheduler_lab.engine.scheduler.handlers import running
from scheduler_lab.engine.scheduler.process import SchedulerProcess
from scheduler_lab.engine.simulation import Simulation, run

SCHEDULED, UNSCHEDULABLE, ERROR = "scheduled", "unschedulable", "error"
_REJECTED = (Code.UNSCHEDULABLE.value, Code.UNSCHEDULABLE_AND_UNRESOLVABLE.value, Code.PENDING.value)
_NOT_COUNTED = (Code.WAIT.value, Code.SKIP.value)
BINDING = "binding"
PRIORITIZING = "prioritizing_extender"
POPPED = "PodPopped"
Key = TypeVar("Key", bound=tuple[str, ...])


def measure(manifest: Manifest) -> tuple[Record, Measurement]:
    """(the record, which is that of any other run, what was measured); refused input measures nothing."""
    watched: list[_Watch] = []
    record = run(manifest, NONE, lambda simulation: watched.append(_Watch(simulation)))
    if not watched or record.error or record.scenario_error:
        return record, Measurement()
    return record, watched[0].measurement()


def result_of(cycle: Cycle) -> str:
    """What schedule_attempts_total calls the cycle; "" while it waits on Permit, or when no plugin would bind."""
    assert cycle.result is not None
    code = cycle.result.code
    if code in _NOT_COUNTED:
        return ""
    if not code:
        return SCHEDULED
    return UNSCHEDULABLE if code in _REJECTED else ERROR


class _Watch:
    """Everything that is measured of one simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._times = EventTimes(simulation)
        self._counters: dict[SchedulerProcess, _Counters] = {}
        for replica in simulation.fleet.replicas:
            self._watch(replica.process)
        simulation.fleet.made = self._watch

    def _watch(self, process: SchedulerProcess) -> None:
        self._counters[process] = _Counters(self._simulation, process, self._times.stamp)

    def measurement(self) -> Measurement:
        """What was measured, once the run is over."""
        fleet = self._simulation.fleet
        found = {replica.name: self._counters[replica.process].families() for replica in fleet.running}
        pods = [pod for pod in self._simulation.store.list("Pod") if running(pod)]
        return Measurement(
            next(iter(found.values()), []),
            pod_resources(pods) if found else [],
            self._times.all(),
            self._simulation.queue_clock.now,
            found if fleet.several else {},
        )


class _Counters:
    """The counters of one scheduler process."""

    def __init__(self, simulation: Simulation, process: SchedulerProcess, stamp: Callable[[], None]) -> None:
        self._process = process
        self._gates = simulation.gates
        self._before = len(process.scheduler.cycles)
        self._victims = Histogram(VICTIM_BUCKETS)
        self._asynchronous = simulation.gates.enabled("SchedulerAsyncPreemption")
        self._calls = Calls(self._victims, self._begun)
        self._meter = RunMeter(simulation.queue_clock, simulation.wait_clock, stamp)
        process.queue.meter = self._meter
        for framework in process.frameworks.values():
            self._calls.watch(framework)

    def _begun(self) -> tuple[int, bool]:
        """(victims of the preemption that was just decided, whether any of them is still to be evicted)."""
        keys = self._process.scheduler.victims
        pods = [self._process.store.get("Pod", *key.split("/", 1)) for key in keys]
        alive = any(pod is not None and not pod.metadata.deletion_timestamp for pod in pods)
        return len(keys), alive or not self._asynchronous

    def families(self) -> list[Family]:
        """Everything counted, by name."""
        found = families()
        name = self._process.name
        cycles = [cycle for cycle in self._process.scheduler.cycles[self._before :] if cycle.x_scheduler == name]
        _attempts(found, cycles)
        _counted(found["queue_incoming_pods_total"], ("event", "queue"), self._meter.incoming)
        _counted(found["plugin_evaluation_total"], ("extension_point", "plugin", "profile"), self._calls.evaluations)
        self._points(found["framework_extension_point_duration_seconds"])
        hints = found["queueing_hint_execution_duration_seconds"]
        _counted(hints, ("event", "hint", "plugin"), self._meter.hints, "_count")
        self._queues(found)
        self._preemptions(found)
        self._gauges(found, cycles)
        if self._gates.enabled("OpportunisticBatching"):
            _counted(found["batch_attempts_total"], ("profile", "result"), self._batches(cycles))
        _spread(found["permit_wait_duration_seconds"], "result", self._meter.permit)
        _spread(found["pod_scheduling_sli_duration_seconds"], "attempts", self._meter.latency)
        found["pod_scheduling_attempts"].samples = self._meter.attempts.samples({})
        found["pod_scheduled_after_flush_total"].samples = [Sample((), self._meter.after_flush)]
        return list(found.values())

    def _points(self, family: Family) -> None:
        counts = Counter(self._calls.points)
        for profile, search in self._process.scheduler.searches.items():
            for code, times in search.looks.items():
                if times:
                    counts["Filter", profile, code.value] += times
        _counted(family, ("extension_point", "profile", "status"), counts, "_count")

    def _queues(self, found: dict[str, Family]) -> None:
        queue = self._process.queue
        gated = sum(entry.gated for entry in queue.unschedulable.values())
        sizes = {
            "active": len(queue.active),
            "backoff": len(queue.backoff),
            "gated": gated,
            "unschedulable": len(queue.unschedulable) - gated,
        }
        found["pending_pods"].samples = [Sample((("queue", name),), size) for name, size in sizes.items()]
        blamed = Counter(dict.fromkeys(self._meter.rejectors, 0))
        for entry in self._entries():
            blamed.update((plugin, entry.pod.pod.spec.scheduler_name) for plugin in entry.rejectors)
        _counted(found["unschedulable_pods"], ("plugin", "profile"), blamed)

    def _entries(self) -> list[QueuedPod]:
        queue = self._process.queue
        return [*queue.active.values(), *queue.backoff.values(), *queue.unschedulable.values()]

    def _preemptions(self, found: dict[str, Family]) -> None:
        found["preemption_attempts_total"].samples = [Sample((), self._calls.preemptions)]
        found["preemption_victims"].samples = self._victims.samples({})
        if self._asynchronous and self._calls.goroutines:
            executed = Sample((("result", "success"),), self._calls.goroutines)
            found["preemption_goroutines_execution_total"].samples = [executed]

    def _gauges(self, found: dict[str, Family], cycles: list[Cycle]) -> None:
        sizes = self._process.cache.sizes
        found["cache_size"].samples = [Sample((("type", name),), size) for name, size in sorted(sizes.items())]
        waiting = sum(1 for _ in self._process.binding.waiting)
        if any(cycle.permit or cycle.bind or cycle.pre_bind_pre_flight for cycle in cycles):
            found["goroutines"].samples.append(Sample((("operation", BINDING),), waiting))
        if any(call["verb"] == "prioritize" for cycle in cycles for call in cycle.extenders):
            found["goroutines"].samples.append(Sample((("operation", PRIORITIZING),), 0))
        pods, events = self._process.queue.events_in_flight()
        flying = Counter({**dict.fromkeys(self._meter.seen_in_flight, 0)})
        flying.update(events)
        if cycles:
            flying[POPPED] += pods
        _counted(found["inflight_events"], ("event",), {(event,): count for event, count in flying.items()})

    def _batches(self, cycles: Iterable[Cycle]) -> Counter[tuple[str, str]]:
        """Whether the runner-up of the last cycle was tried, for every cycle in which PreFilter passed."""
        counts: Counter[tuple[str, str]] = Counter()
        given: Counter[str] = Counter()
        for cycle in cycles:
            assert cycle.result is not None
            if cycle.node_hint:
                given[cycle.profile] += 1
                followed = cycle.result.node == cycle.node_hint
                counts[cycle.profile, "hint_used" if followed else "hint_not_used"] += 1
        for profile in self._process.frameworks:
            asked = self._calls.points["PreFilter", profile, SUCCESS]
            if asked > given[profile]:
                counts[profile, "no_hint"] = asked - given[profile]
        return counts


def _attempts(found: dict[str, Family], cycles: Iterable[Cycle]) -> None:
    cycles = list(cycles)
    counts = Counter((cycle.profile, result) for cycle in cycles if (result := result_of(cycle)))
    _counted(found["schedule_attempts_total"], ("profile", "result"), counts)
    _counted(found["scheduling_attempt_duration_seconds"], ("profile", "result"), counts, "_count")
    found["scheduling_algorithm_duration_seconds"].samples = [Sample((), len(cycles), "_count")]


def _counted(family: Family, names: tuple[str, ...], counts: Mapping[Key, int], suffix: str = "") -> None:
    """One sample for each key; its values belong to the label names, which are sorted."""
    found = [(labels(dict(zip(names, key, strict=True))), count) for key, count in counts.items()]
    family.samples = [Sample(own, count, suffix) for own, count in sorted(found)]


def _spread(family: Family, name: str, histograms: Mapping[str, Histogram]) -> None:
    for value, histogram in sorted(histograms.items()):
        family.samples += histogram.samples({name: value})
