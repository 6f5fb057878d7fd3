"""Stand-ins that keep the place of in-tree plugins which this engine does not have yet.

They answer as the real ones do for pods that give them nothing to do; for any other pod the run reports a problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unschedulable
from scheduler_lab.engine.framework.statuses import NodeStatuses


class _Idle:
    def __init__(self, args: object, handle: Any) -> None:
        self._seen = False

    def pre_filter(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> tuple[None, Status | None]:
        return None, SKIP

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        return None

    def events_to_register(self) -> list[Any]:
        return []


class _Reserving(_Idle):
    def reserve(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        return None

    def unreserve(self, state: CycleState, pod: PodInfo, node: str) -> None:
        return None

    def pre_bind_pre_flight(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        return SKIP

    def pre_bind(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        return None


class _Seen:
    def clone(self) -> _Seen:
        return self


class DynamicResources(_Reserving):
    name = "DynamicResources"

    def pre_enqueue(self, pod: PodInfo) -> Status | None:
        return None

    def pre_filter(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> tuple[None, Status | None]:
        state.write(self.name, _Seen())
        return None, SKIP

    def post_filter(self, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> tuple[str | None, Status | None]:
        if state.read(self.name) is None:
            return None, error("not found")
        return None, unschedulable("no new claims to deallocate")

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int:
        return 0


ABSENT: dict[str, type[Any]] = {cls.name: cls for cls in (DynamicResources,)}
