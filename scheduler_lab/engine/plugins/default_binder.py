"""DefaultBinder: writes the binding of the pod to the chosen node.

Extension points: Bind. Arguments: none. No state, no queueing hints.
An error of the API server becomes Error, everything else is success.
"""

from __future__ import annotations

from typing import Any, ClassVar

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.status import Status


class DefaultBinder:
    """Models kube-scheduler v1.35 DefaultBinder."""

    name: ClassVar[str] = "DefaultBinder"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._handle = handle

    def bind(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """None once the pod is bound; never Skips."""
        return self._handle.bind(pod, node)
