"""The priority queue of pending pods (kube-scheduler v1.35, `PriorityQueue`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cmp_to_key
from typing import Any

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.framework.events import Action, ClusterEvent, Hint, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.queue.hints import HintMap
from scheduler_lab.engine.queue.meter import (
    ACTIVE,
    BACKOFF,
    BACKOFF_COMPLETE,
    NOBODY,
    POD_ADD,
    POD_UPDATE,
    POP_FROM_BACKOFF,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULABLE,
)
from scheduler_lab.engine.queue.nominator import Nominator

UNSCHEDULABLE_TIMEOUT = ClusterEvent(Resource.WILDCARD, Action.ALL, "UnschedulableTimeout")
FORCE_ACTIVATE = ClusterEvent(Resource.WILDCARD, Action.ALL, "ForceActivate")
MAX_UNSCHEDULABLE_SECONDS = 300.0

PreEnqueue = Callable[[QueuedPod], str]
"""Runs the PreEnqueue plugins of the pod's profile; returns the plugin that holds it, or ""."""

Less = Callable[[QueuedPod, QueuedPod], bool]
InFlight = tuple[ClusterEvent, Any, Any]


class Requeue:
    """Where an event sends a pod."""

    SKIP = "skip"
    AFTER_BACKOFF = "afterBackoff"
    IMMEDIATELY = "immediately"


class SchedulingQueue:
    """Pods that wait to be scheduled.

    `popped_early` models SchedulerPopFromBackoffQ: an idle scheduler takes rejected pods out of backoff at once.
    Pods whose last attempt ended in an error are never taken early.
    """

    def __init__(
        self,
        clock: Clock,
        less: Less,
        pre_enqueue: PreEnqueue,
        hints: HintMap,
        nominator: Nominator,
        *,
        initial_backoff: int,
        max_backoff: int,
        popped_early: bool,
        on_move: Callable[[QueuedPod, ClusterEvent, str, str, str], None],
    ) -> None:
        self.clock = clock
        self.nominator = nominator
        self.meter = NOBODY
        self.active: dict[str, QueuedPod] = {}
        self.backoff: dict[str, QueuedPod] = {}
        self.unschedulable: dict[str, QueuedPod] = {}
        self._in_flight: dict[str, list[InFlight]] = {}
        self._less = less
        self._sort_key = cmp_to_key(self._compare)
        self._pre_enqueue = pre_enqueue
        self._hints = hints
        self._initial_backoff = initial_backoff
        self._max_backoff = max_backoff
        self._popped_early = popped_early
        self._on_move = on_move
        self._arrivals = 0
        self._order: list[QueuedPod] | None = None

    # -- order -------------------------------------------------------------------------------------------------

    def _compare(self, a: QueuedPod, b: QueuedPod) -> int:
        if self._less(a, b):
            return -1
        if self._less(b, a):
            return 1
        return a.arrival - b.arrival

    def sorted(self, pods: Iterable[QueuedPod]) -> list[QueuedPod]:
        """Pods in the order the queue would hand them out."""
        return sorted(pods, key=self._sort_key)

    # -- adding and taking -------------------------------------------------------------------------------------

    def add(self, pod: PodInfo, event: str = POD_ADD) -> None:
        """A new pending pod."""
        entry = QueuedPod(pod, self.clock.now, self._next_arrival())
        if self._to_active(entry, event):
            self.nominator.add(pod)

    def _next_arrival(self) -> int:
        self._arrivals += 1
        return self._arrivals

    def pop(self) -> QueuedPod | None:
        """The next pod to schedule, or None when only pods that must wait are left."""
        self.meter.looked()
        if self.active:
            entry = self._pop_active()
        else:
            ready = [e for e in self.backoff.values() if e.rejectors and self._may_leave_backoff(e)]
            if not ready:
                return None
            entry = min(ready, key=lambda e: (e.backoff_expiration, self._sort_key(e)))
            del self.backoff[entry.key]
            self.meter.entered(entry, ACTIVE, POP_FROM_BACKOFF)
        entry.attempts += 1
        entry.unschedulable_plugins.clear()
        entry.pending_plugins.clear()
        entry.gating_plugin = ""
        self._in_flight[entry.pod.uid] = []
        return entry

    def _pop_active(self) -> QueuedPod:
        while True:
            if not self._order:
                self._order = sorted(self.active.values(), key=self._sort_key, reverse=True)
            entry = self._order.pop()
            if self.active.get(entry.key) is entry:
                del self.active[entry.key]
                return entry

    def _put_active(self, entry: QueuedPod, event: str) -> None:
        self.active[entry.key] = entry
        self._order = None
        self.meter.entered(entry, ACTIVE, event)

    def _may_leave_backoff(self, entry: QueuedPod) -> bool:
        return self._popped_early or not self.backing_off(entry)

    def done(self, uid: str) -> None:
        """The pod is not in flight any more."""
        self._in_flight.pop(uid, None)

    def _to_active(self, entry: QueuedPod, event: str) -> bool:
        if not self._admit(entry, event):
            return False
        self.unschedulable.pop(entry.key, None)
        self.backoff.pop(entry.key, None)
        self._put_active(entry, event)
        return True

    def _park(self, entry: QueuedPod, event: str) -> None:
        if self.unschedulable.get(entry.key) is not entry:
            self.meter.entered(entry, UNSCHEDULABLE, event)
        self.unschedulable[entry.key] = entry

    def _admit(self, entry: QueuedPod, event: str) -> bool:
        """Run PreEnqueue; a held pod is parked with the plugin that holds it."""
        plugin = self._pre_enqueue(entry)
        entry.gating_plugin = plugin
        if not plugin:
            return True
        entry.unschedulable_plugins.add(plugin)
        self.backoff.pop(entry.key, None)
        self._park(entry, event)
        return False

    # -- backoff -----------------------------------------------------------------------------------------------

    def _set_backoff(self, entry: QueuedPod) -> None:
        count = entry.consecutive_errors or entry.unschedulable_count
        if count == 0:
            entry.backoff_expiration = 0.0
            return
        seconds = min(self._initial_backoff * 2.0 ** min(count - 1, 62), float(self._max_backoff))
        entry.backoff_expiration = float(math.floor(entry.timestamp + seconds))

    def backing_off(self, entry: QueuedPod) -> bool:
        """Whether its backoff has not run out; windows are whole seconds."""
        return entry.backoff_expiration > 0 and entry.backoff_expiration >= math.floor(self.clock.now)

    def flush_backoff(self, only: Callable[[QueuedPod], bool] = lambda _: True) -> None:
        """Move pods whose backoff has run out to the active queue."""
        for entry in sorted(self.backoff.values(), key=lambda e: e.backoff_expiration):
            if self.backing_off(entry) or not only(entry):
                continue
            if self._popped_early:
                del self.backoff[entry.key]
                self._put_active(entry, BACKOFF_COMPLETE)
            else:
                self._to_active(entry, BACKOFF_COMPLETE)

    # -- after a failed attempt --------------------------------------------------------------------------------

    def add_unschedulable(self, entry: QueuedPod) -> None:
        """Put a pod back whose attempt failed, replaying the events it missed."""
        missed = self._in_flight.pop(entry.pod.uid, [])
        if entry.rejectors:
            entry.unschedulable_count += 1
            entry.consecutive_errors = 0
        else:
            entry.consecutive_errors += 1
        entry.timestamp = self.clock.now
        entry.arrival = self._next_arrival()
        self._set_backoff(entry)
        strategy = Requeue.SKIP if entry.rejectors else Requeue.AFTER_BACKOFF
        for event, old, new in missed if entry.rejectors else ():
            answer = self._worth_retrying(entry, event, old, new)
            if answer == Requeue.IMMEDIATELY:
                strategy = answer
                break
            if answer == Requeue.AFTER_BACKOFF:
                strategy = answer
        self._requeue(entry, strategy, SCHEDULE_ATTEMPT_FAILURE)

    def _requeue(self, entry: QueuedPod, strategy: str, event: str) -> str:
        """Put the pod where the strategy says; the name of that place."""
        if strategy == Requeue.SKIP:
            self._park(entry, event)
            return "unschedulable"
        if strategy == Requeue.AFTER_BACKOFF and self.backing_off(entry):
            # Only where pods may leave backoff early are they asked for before they enter it.
            if self._popped_early and not self._admit(entry, event):
                return "unschedulable"
            self.unschedulable.pop(entry.key, None)
            self.backoff[entry.key] = entry
            self.meter.entered(entry, BACKOFF, event)
            return "backoffQ"
        return "activeQ" if self._to_active(entry, event) else "unschedulable"

    # -- events ------------------------------------------------------------------------------------------------

    def move_all(
        self,
        event: ClusterEvent,
        old: Any,
        new: Any,
        keep: Callable[[PodInfo], bool] | None = None,
    ) -> None:
        """Retry the parked pods for which the event is worth it; `keep` narrows whom it concerns."""
        if not self._hints.interesting(event):
            return
        listening = self._hints.listening(event)
        for entry in list(self.unschedulable.values()):
            if _deaf(entry, listening) or (keep is not None and not keep(entry.pod)):
                continue
            self._move(entry, event, old, new)
        self._note_in_flight(event, old, new)

    def _note_in_flight(self, event: ClusterEvent, old: Any, new: Any) -> None:
        for events in self._in_flight.values():
            events.append((event, old, new))
        if self._in_flight:
            self.meter.in_flight(event.label)

    def _move(self, entry: QueuedPod, event: ClusterEvent, old: Any, new: Any) -> bool:
        strategy = self._worth_retrying(entry, event, old, new)
        if strategy == Requeue.SKIP:
            return False
        where = self._requeue(entry, strategy, event.label)
        self._on_move(entry, event, "", Hint.QUEUE.value, where)
        return where != "unschedulable"

    def _worth_retrying(self, entry: QueuedPod, event: ClusterEvent, old: Any, new: Any) -> str:
        profile = entry.pod.pod.spec.scheduler_name
        if entry.gated and not self._hints.gate_listens(profile, entry.gating_plugin, event):
            return Requeue.SKIP
        if not entry.rejectors:
            return Requeue.AFTER_BACKOFF
        if event.resource is Resource.WILDCARD:
            concerned = new is None or new.uid == entry.pod.uid
            return Requeue.AFTER_BACKOFF if concerned else Requeue.SKIP
        strategy = Requeue.SKIP
        for call in self._hints.ask(profile, entry.rejectors, entry.pod, event, old, new):
            self._on_move(entry, event, call.plugin, call.answer.value, "")
            # Upstream asks no further once it has the answer that it can act on.
            if strategy == Requeue.SKIP or entry.pending_plugins:
                self.meter.hinted(call, event.label)
            if call.answer is Hint.QUEUE:
                if call.plugin in entry.pending_plugins:
                    return Requeue.IMMEDIATELY
                strategy = Requeue.AFTER_BACKOFF
        return strategy

    def flush_unschedulable(self) -> None:
        """Retry pods that have been parked for more than five minutes; gated pods never are."""
        overdue = [
            entry
            for entry in self.unschedulable.values()
            if self.clock.now - entry.timestamp > MAX_UNSCHEDULABLE_SECONDS
        ]
        for entry in overdue:
            self._move(entry, UNSCHEDULABLE_TIMEOUT, None, None)
        if overdue:
            self._note_in_flight(UNSCHEDULABLE_TIMEOUT, None, None)

    # -- a pending pod's own changes ---------------------------------------------------------------------------

    def update(self, old: PodInfo, new: PodInfo, events: Sequence[ClusterEvent]) -> None:
        """A pending pod changed: take the new version, and let its own events wake it."""
        if new.uid in self._in_flight:
            self._in_flight[new.uid].extend((event, old, new) for event in events)
            for event in events:
                self.meter.in_flight(event.label)
            return
        for place in (self.active, self.backoff):
            entry = place.get(old.key)
            if entry is not None:
                self.nominator.update(old, new)
                entry.pod = new
                return
        entry = self.unschedulable.get(old.key)
        if entry is None:
            self.add(new, POD_UPDATE)
            return
        self.nominator.update(old, new)
        entry.pod = new
        for event in events:
            if self._move(entry, event, old, new):
                return

    def delete(self, pod: PodInfo) -> None:
        """A pending pod is gone or assigned."""
        self.nominator.remove(pod.uid)
        for place in (self.active, self.backoff, self.unschedulable):
            place.pop(pod.key, None)

    def activate(self, keys: Iterable[str]) -> None:
        """Move pods straight to the active queue, whatever their backoff, if PreEnqueue lets them."""
        for key in keys:
            entry = self.unschedulable.get(key) or self.backoff.get(key)
            if entry is not None and self._to_active(entry, FORCE_ACTIVATE.label):
                self._on_move(entry, FORCE_ACTIVATE, "", Hint.QUEUE.value, "activeQ")

    def in_flight(self, uid: str) -> bool:
        """Whether the pod is being scheduled or waits on Permit."""
        return uid in self._in_flight

    def events_in_flight(self) -> tuple[int, list[str]]:
        """(pods in flight, the labels of the events kept for them, each event once)."""
        labels: list[str] = []
        oldest: set[tuple[ClusterEvent, int, int]] = set()
        for number, events in enumerate(self._in_flight.values()):
            keys = [(event, id(old), id(new)) for event, old, new in events]
            labels.extend(event.label for (event, _, _), key in zip(events, keys, strict=True) if key not in oldest)
            if number == 0:
                oldest.update(keys)
        return len(self._in_flight), labels


def _deaf(entry: QueuedPod, listening: Mapping[str, frozenset[str]]) -> bool:
    """Whether none of the plugins that rejected the pod listens; thousands of pods may be parked at an event."""
    if not entry.unschedulable_plugins or entry.pending_plugins:
        return False
    return entry.unschedulable_plugins.isdisjoint(listening.get(entry.pod.pod.spec.scheduler_name, ()))
