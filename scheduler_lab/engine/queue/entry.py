"""A pod in the scheduling queue."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_lab.engine.framework.node_info import PodInfo


@dataclass(slots=True, eq=False)
class QueuedPod:
    """A pending pod with its history (kube-scheduler v1.35, `QueuedPodInfo`).

    `timestamp` is when it was last added or requeued, in seconds of the queue's clock; `arrival` breaks ties
    between equal timestamps. `unschedulable_plugins` rejected it in the last attempt.
    """

    pod: PodInfo
    timestamp: float
    arrival: int = 0
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors: int = 0
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    gating_plugin: str = ""
    backoff_expiration: float = 0.0

    @property
    def key(self) -> str:
        """namespace/name"""
        return self.pod.key

    @property
    def gated(self) -> bool:
        """Whether a PreEnqueue plugin keeps it out."""
        return bool(self.gating_plugin)

    @property
    def rejectors(self) -> set[str]:
        """Plugins whose events may wake it."""
        return self.unschedulable_plugins | self.pending_plugins
