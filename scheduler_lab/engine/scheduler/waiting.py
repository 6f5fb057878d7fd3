"""Pods that wait on Permit (kube-scheduler v1.35, `waitingPodsMap`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import Cycle


@dataclass(slots=True, eq=False)
class WaitingPod:
    """A pod that some Permit plugin asked to wait, with what is needed to go on binding it.

    `deadlines` holds, for each plugin still pending, the virtual time at which its timeout fires; `timeouts` the
    seconds it was asked to wait. The first signal wins: once `verdict` is set, later ones are ignored.
    """

    entry: QueuedPod
    pod: PodInfo
    node: str
    framework: Framework
    state: CycleState
    cycle: Cycle
    deadlines: dict[str, float]
    timeouts: dict[str, float]
    order: int = 0
    verdict: Status | None = None
    allowed: bool = False
    pending: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """namespace/name"""
        return self.pod.key

    @property
    def decided(self) -> bool:
        """Whether a signal has come."""
        return self.allowed or self.verdict is not None

    def allow(self, plugin: str) -> None:
        """`plugin` has nothing against the pod any more; when none is left pending it may be bound."""
        if self.decided:
            return
        self.deadlines.pop(plugin, None)
        if not self.deadlines:
            self.allowed = True

    def reject(self, plugin: str, message: str) -> None:
        """End the wait with a rejection in `plugin`'s name."""
        if not self.decided:
            self.verdict = Status(Code.UNSCHEDULABLE, (message,), plugin)
            self.deadlines.clear()


class WaitingPods:
    """The waiting pods of all profiles by UID, in the order in which they began to wait."""

    def __init__(self) -> None:
        self._pods: dict[str, WaitingPod] = {}
        self._order = 0

    def add(self, pod: WaitingPod) -> None:
        """Register a pod that waits."""
        self._order += 1
        pod.order = self._order
        self._pods[pod.pod.uid] = pod

    def get(self, uid: str) -> WaitingPod | None:
        """The waiting pod with this UID."""
        return self._pods.get(uid)

    def remove(self, uid: str) -> None:
        """It waits no longer."""
        self._pods.pop(uid, None)

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(list(self._pods.values()))

    def by_key(self, key: str) -> WaitingPod | None:
        """The waiting pod named ns/name."""
        return next((pod for pod in self if pod.key == key), None)

    def take_decided(self) -> WaitingPod | None:
        """Remove and return a pod whose wait has ended, or None; of several the first by name."""
        pod = min((pod for pod in self if pod.decided), key=lambda pod: pod.key, default=None)
        if pod is not None:
            self.remove(pod.pod.uid)
        return pod


def go_duration(seconds: float) -> str:
    """Seconds as Go prints a duration: 250ms, 20.5s, 1m0s, 5m0s."""
    nanos = round(seconds * 1_000_000_000)
    if nanos == 0:
        return "0s"
    if nanos < 1_000_000_000:
        for unit, size in (("ms", 1_000_000), ("µs", 1_000), ("ns", 1)):
            if nanos >= size:
                return f"{_decimal(nanos, size)}{unit}"
    hours, rest = divmod(nanos, 3600 * 1_000_000_000)
    minutes, rest = divmod(rest, 60 * 1_000_000_000)
    text = f"{_decimal(rest, 1_000_000_000)}s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text


def _decimal(amount: int, size: int) -> str:
    whole, rest = divmod(amount, size)
    if not rest:
        return str(whole)
    digits = str(rest).rjust(len(str(size)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}"
