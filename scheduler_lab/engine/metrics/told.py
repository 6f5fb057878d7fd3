"""When each event of a run was told, and about which version of its object."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from scheduler_lab.engine.metrics.families import Told

if TYPE_CHECKING:
    from scheduler_lab.engine.record import Event
    from scheduler_lab.engine.simulation import Simulation

SCHEDULER, CONTROLLERS = "scheduler", "controllers"
_PREEMPTOR = re.compile(r"Preempted by pod (\S+) on node ")
_COMPONENTS = {
    "CronJob": "cronjob-controller",
    "DaemonSet": "daemonset-controller",
    "Deployment": "deployment-controller",
    "Job": "job-controller",
    "ReplicaSet": "replicaset-controller",
    "StatefulSet": "statefulset-controller",
    "Pod": "volcano",
    "PodGroup": "volcano",
}


class EventTimes:
    """Watches a simulation; `stamp` notes the time of the events that are new since it was last called."""

    def __init__(self, simulation: Simulation) -> None:
        self._clock = simulation.queue_clock
        self._sources: tuple[tuple[str, list[Event]], ...] = (
            (SCHEDULER, simulation.record.events),
            (CONTROLLERS, simulation.record.x_events),
        )
        self._seen = [0, 0]
        self._told: list[tuple[float, str, int]] = []
        self._changes: dict[str, list[int]] = {}
        self._schedulers: dict[str, str] = {}
        self._kubelets = simulation.record.x_kubelet
        simulation.store.subscribe(self._changed)

    def stamp(self) -> None:
        """The clock has not moved since these events were told."""
        for number, (by, events) in enumerate(self._sources):
            self._told.extend((self._clock.now, by, index) for index in range(self._seen[number], len(events)))
            self._seen[number] = len(events)

    def _changed(self, kind: str, old: Any, new: Any) -> None:
        if kind == "Pod":
            pod = new if new is not None else old
            self._changes.setdefault(f"Pod {pod.key}", []).append(len(self._sources[0][1]))
            self._schedulers[pod.metadata.uid] = self._schedulers[pod.key] = pod.spec.scheduler_name

    def all(self) -> list[Told]:
        """Every event in the order in which it was told."""
        self.stamp()
        told = [self._one(time, by, index) for time, by, index in self._told]
        last = {event.regarding: event.time for event in told}
        told += [_of_kubelet(entry, last) for entry in self._kubelets if entry.get("event")]
        return sorted(told, key=lambda event: event.time)

    def _one(self, time: float, by: str, index: int) -> Told:
        event = dict(self._sources)[by][index]
        kind, _, key = event.regarding.partition(" ")
        source, version = _COMPONENTS.get(kind, ""), 0
        if kind == "Lease":
            by, source = CONTROLLERS, event.x_reporting_controller
        elif by == SCHEDULER:
            version = bisect_right(self._changes.get(event.regarding, ()), index)
            preemptor = _PREEMPTOR.match(event.message)
            profile = self._schedulers.get(preemptor.group(1) if preemptor else key, "")
            source = event.x_reporting_controller or profile
        return Told(event.type, event.reason, event.regarding, event.message, time, by, source, version)


def _of_kubelet(entry: dict[str, Any], last: dict[str, float]) -> Told:
    """A kubelet's event, which comes as soon as the pod has its node."""
    event, regarding = entry["event"], f"Pod {entry['pod']}"
    time = last.get(regarding, 0.0)
    return Told(event["type"], event["reason"], regarding, event["message"], time, CONTROLLERS, "kubelet")
