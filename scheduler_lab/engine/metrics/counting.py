"""Counts what happens in the queue and in binding while a run goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.framework.events import Hint
from scheduler_lab.engine.framework.status import Code
from scheduler_lab.engine.metrics.catalogue import ATTEMPT_BUCKETS, PERMIT_BUCKETS, SLI_BUCKETS
from scheduler_lab.engine.metrics.families import Histogram
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.queue.hints import HintCall
from scheduler_lab.engine.queue.meter import ACTIVE, SCHEDULE_ATTEMPT_FAILURE, Meter
from scheduler_lab.engine.queue.scheduling_queue import UNSCHEDULABLE_TIMEOUT
from scheduler_lab.engine.scheduler.waiting import WaitingPod

MOST_ATTEMPTS_TOLD = 15


class RunMeter(Meter):
    """The counters of one scheduler process; `stamp` is called whenever the time of what was told is known.

    `queue_clock` is the time of the queue, `wait_clock` that of pods waiting on Permit, in virtual seconds.
    """

    def __init__(self, queue_clock: Clock, wait_clock: Clock, stamp: Callable[[], None]) -> None:
        self.incoming: Counter[tuple[str, str]] = Counter()
        self.hints: Counter[tuple[str, str, str]] = Counter()
        self.rejectors: set[tuple[str, str]] = set()
        self.seen_in_flight: set[str] = set()
        self.permit: dict[str, Histogram] = {}
        self.latency: dict[str, Histogram] = {}
        self.attempts = Histogram(ATTEMPT_BUCKETS)
        self.after_flush = 0
        self._queue_clock = queue_clock
        self._wait_clock = wait_clock
        self._stamp = stamp
        self._began: dict[QueuedPod, float] = {}
        self._flushed: set[QueuedPod] = set()
        self._waiting_since: dict[WaitingPod, float] = {}

    def entered(self, entry: QueuedPod, queue: str, event: str) -> None:
        self._stamp()
        self.incoming[event, queue] += 1
        profile = entry.pod.pod.spec.scheduler_name
        self.rejectors.update((plugin, profile) for plugin in entry.rejectors)
        if queue == ACTIVE:
            self._began.setdefault(entry, self._queue_clock.now)
        if event == UNSCHEDULABLE_TIMEOUT.label:
            self._flushed.add(entry)
        elif event == SCHEDULE_ATTEMPT_FAILURE:
            self._flushed.discard(entry)

    def looked(self) -> None:
        self._stamp()

    def hinted(self, call: HintCall, event: str) -> None:
        answer = "Queue" if call.answer is Hint.QUEUE else "QueueSkip"
        self.hints[event, "Error" if call.failed else answer, call.plugin] += 1

    def in_flight(self, event: str) -> None:
        self.seen_in_flight.add(event)

    def waits(self, pod: WaitingPod) -> None:
        self._waiting_since[pod] = self._wait_clock.now

    def waited(self, pod: WaitingPod) -> None:
        since = self._waiting_since.pop(pod, self._wait_clock.now)
        result = pod.verdict.code if pod.verdict is not None else Code.SUCCESS
        self.permit.setdefault(result.value, Histogram(PERMIT_BUCKETS)).observe(self._wait_clock.now - since)

    def bound(self, entry: QueuedPod) -> None:
        self.attempts.observe(entry.attempts)
        attempts = str(entry.attempts) if entry.attempts < MOST_ATTEMPTS_TOLD else f"{MOST_ATTEMPTS_TOLD}+"
        took = self._queue_clock.now - self._began.get(entry, self._queue_clock.now)
        self.latency.setdefault(attempts, Histogram(SLI_BUCKETS)).observe(took)
        self.after_flush += entry in self._flushed
        self._flushed.discard(entry)
