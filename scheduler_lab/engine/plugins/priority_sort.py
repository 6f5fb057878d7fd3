"""PrioritySort: orders the active queue.

Extension points: QueueSort. Arguments: none. No reasons, no queueing hints.
Higher spec.priority first (none counts as 0), then the pod that was added to the queue earlier; the time is that of
the latest requeue, not of the pod's creation.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import PodInfo


class Queued(Protocol):
    """What the queue knows about a waiting pod."""

    @property
    def pod(self) -> PodInfo:
        """The pod."""

    @property
    def timestamp(self) -> float:
        """When the pod was last added to the queue, in virtual seconds."""


class PrioritySort:
    """Models kube-scheduler v1.35 PrioritySort."""

    name: ClassVar[str] = "PrioritySort"

    def __init__(self, args: Any, handle: Handle) -> None:
        pass

    def less(self, first: Queued, second: Queued) -> bool:
        """Whether `first` is to be scheduled before `second`."""
        mine, other = first.pod.priority, second.pod.priority
        return mine > other or (mine == other and first.timestamp < second.timestamp)
