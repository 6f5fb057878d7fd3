"""What a scheduler tells whoever counts. In ordinary runs nobody does, so these methods do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduler_lab.engine.queue.entry import QueuedPod
    from scheduler_lab.engine.queue.hints import HintCall
    from scheduler_lab.engine.scheduler.waiting import WaitingPod

ACTIVE, BACKOFF, UNSCHEDULABLE = "active", "backoff", "unschedulable"
SCHEDULE_ATTEMPT_FAILURE = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"
POP_FROM_BACKOFF = "PopFromBackoffQ"
POD_ADD = "UnschedulablePodAdd"
POD_UPDATE = "UnschedulablePodUpdate"


class Meter:
    """The moments at which kube-scheduler v1.35 counts something that a record does not hold."""

    def entered(self, entry: QueuedPod, queue: str, event: str) -> None:
        """A pod came into a queue because of an event."""

    def looked(self) -> None:
        """The scheduler asked for the next pod, whether or not there was one."""

    def hinted(self, call: HintCall, event: str) -> None:
        """A queueing hint was asked about an event."""

    def in_flight(self, event: str) -> None:
        """An event was kept for the pods that are being scheduled."""

    def waits(self, pod: WaitingPod) -> None:
        """A pod begins to wait on Permit."""

    def waited(self, pod: WaitingPod) -> None:
        """A wait on Permit has ended."""

    def bound(self, entry: QueuedPod) -> None:
        """A pod was bound."""


NOBODY = Meter()
