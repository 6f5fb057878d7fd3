"""SchedulingGates: keeps a pod out of the queue while spec.schedulingGates is not empty.

Extension points: PreEnqueue. Arguments: none.
Reason (UnschedulableAndUnresolvable): `waiting for scheduling gates: [a b]`, names in order.
Queueing hints: Pod/UpdatePodSchedulingGatesEliminated, Queue only for the pod itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.status import Status, unresolvable


class SchedulingGates:
    """Models kube-scheduler v1.35 SchedulingGates."""

    name: ClassVar[str] = "SchedulingGates"

    def __init__(self, args: Any, handle: Handle) -> None:
        pass

    def pre_enqueue(self, pod: PodInfo) -> Status | None:
        """None without gates, else a rejection that names them."""
        gates = pod.pod.spec.scheduling_gates
        if not gates:
            return None
        return unresolvable(f"waiting for scheduling gates: [{' '.join(gate.name for gate in gates)}]")

    def events_to_register(self) -> Sequence[Registration]:
        """The pod's own gates all gone."""
        return [Registration(Resource.POD, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED, _gates_gone)]


def _gates_gone(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    return Hint.QUEUE if new is not None and new.uid == waiting.uid else Hint.SKIP
