"""Evicted pods whose containers are still stopping.

The scheduler evicts with a plain delete, so a victim keeps its node for as long as its own
terminationGracePeriodSeconds. Here every victim takes all of it. `lab/v1 Options` with `gracefulEviction: true` asks
for this; without it evicted pods are gone at once.
"""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.meta import format_time, parse_time
from scheduler_lab.engine.objects.pod import Pod

DEFAULT_GRACE_SECONDS = 30
FIRST_MOMENT = parse_time("2030-01-01T00:00:00Z")


class Terminations:
    """The pods that are stopping, and when each of them is gone. `clock` moves when the learner lets time pass."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._due: dict[str, tuple[float, Pod]] = {}

    def begin(self, pod: Pod) -> bool:
        """Mark the pod as being deleted; False if it has no grace period, so that it is gone at once."""
        grace = pod.spec.termination_grace_period_seconds
        seconds = DEFAULT_GRACE_SECONDS if grace is None else grace
        if seconds <= 0:
            return False
        due = self._clock.now + seconds
        self._due[pod.metadata.uid] = due, pod
        stamp = format_time(FIRST_MOMENT + due)
        meta = replace(pod.metadata, deletion_timestamp=stamp, deletion_grace_period_seconds=seconds)
        self._store.put(replace(pod, metadata=meta))
        return True

    def finish_due(self) -> None:
        """Take away the pods whose time is over, in the order in which it ended."""
        over = sorted((due, uid) for uid, (due, _pod) in self._due.items() if due <= self._clock.now)
        for _due, uid in over:
            meta = self._due.pop(uid)[1].metadata
            current: Pod | None = self._store.get("Pod", meta.namespace, meta.name)
            if current is not None and current.metadata.uid == uid:
                self._store.delete("Pod", meta.namespace, meta.name)
