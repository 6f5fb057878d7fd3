"""One scheduler process of a run, and the turns it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.record import Cycle, Event, Record
from scheduler_lab.engine.scheduler.process import SchedulerProcess
from scheduler_lab.engine.schedulers.documents import Plan
from scheduler_lab.engine.schedulers.view import View

if TYPE_CHECKING:
    from scheduler_lab.engine.queue.entry import QueuedPod

PREEMPTED = "Preempted"


class Replica:
    """A process with its own queue, cache and plugins; `view` is None in a run with only the main scheduler.

    `started` is the time at which it began, `starts` how often it has. `leads` is set by leader election.
    """

    def __init__(self, plan: Plan, number: int, process: SchedulerProcess, view: View | None) -> None:
        self.plan = plan
        self.name = f"{plan.name}-{number}"
        self.process = process
        self.view = view
        self.running = True
        self.leads = False
        self.started = 0.0
        self.starts = 1
        self._unseen: list[dict[str, str]] = []

    @property
    def identity(self) -> str:
        """What it writes into a lease: a process that was started anew is another holder, as upstream's is."""
        return self.name if self.starts == 1 else f"{self.name}_{self.starts}"

    @property
    def active(self) -> bool:
        """Whether it schedules."""
        return self.running and (self.leads or self.view is None or self.plan.lease is None)

    @property
    def retry_period(self) -> float:
        """Seconds between two looks at the lease."""
        return self.plan.configuration.document.leader_election.retry_period.seconds

    @property
    def lease_seconds(self) -> int:
        """The lease's duration in whole seconds, as the lease holds it."""
        return int(self.plan.configuration.document.leader_election.lease_duration.seconds)

    # -- turns ---------------------------------------------------------------------------------------------------

    def begin(self, record: Record) -> None:
        """Finish what others or the clock have decided since the last turn."""
        with self.acting(record):
            self._finish()

    def turn(self, record: Record) -> bool:
        """Make one scheduling cycle; False if there is nothing to do."""
        if self.view is None:
            return self.process.scheduler.schedule_one()
        with self.acting(record):
            self.view.catch_up()
            self._finish()
            self._unseen = [{"pod": pod, "node": node} for pod, node in self.view.unseen()]
            if not self.process.scheduler.schedule_one():
                if not self.view.catch_up(fully=True):
                    return False
                self._unseen = []
                self._finish()
                if not self.process.scheduler.schedule_one():
                    return False
            self.view.cycles += 1
            return True

    def _finish(self) -> None:
        self.process.binding.finish_decided()
        self.process.scheduler.run_jobs()

    @contextmanager
    def acting(self, record: Record) -> Iterator[None]:
        """What happens meanwhile is this process's doing, and the record says so."""
        if self.view is None:
            yield
            return
        cycles = self.process.scheduler.cycles
        first_cycle, first_event = len(cycles), len(record.events)
        self.view.acting = True
        try:
            yield
        finally:
            self.view.acting = False
            for cycle in cycles[first_cycle:]:
                cycle.x_scheduler = self.name
                cycle.x_unseen = self._unseen
            last = cycles[-1] if len(cycles) > first_cycle else None
            record.events[first_event:] = [self._signed(event, last) for event in record.events[first_event:]]

    def _signed(self, event: Event, cycle: Cycle | None) -> Event:
        """The event with who reports it: the profile's schedulerName, and the process."""
        namespace, _slash, name = event.regarding.removeprefix("Pod ").partition("/")
        pod: Pod | None = self.process.store.get("Pod", namespace, name)
        profile = cycle.profile if cycle is not None else self.plan.profiles[0]
        if event.reason != PREEMPTED and pod is not None:
            profile = pod.spec.scheduler_name
        return replace(event, x_scheduler=self.name, x_reporting_controller=profile)

    # -- backoff -------------------------------------------------------------------------------------------------

    def in_backoff(self, worth: Callable[[QueuedPod], bool]) -> list[QueuedPod]:
        """The pods in backoff that are worth waiting for."""
        return [entry for entry in self.process.queue.backoff.values() if worth(entry)]
