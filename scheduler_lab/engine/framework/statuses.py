"""The verdict on every node after PreFilter and Filter."""

from __future__ import annotations

from scheduler_lab.engine.framework.status import Code, Status

NOT_LOOKED_AT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


class NodeStatuses(dict[str, Status]):
    """Rejected nodes and why. `absent` is the status of nodes without an entry.

    Two nodes may lack one: those outside a narrowed set, and all of them after a PreFilter rejection
    (kube-scheduler v1.35, `NodeToStatus`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.absent: Status = NOT_LOOKED_AT

    def of(self, node: str) -> Status:
        """The node's status, or the absent one."""
        return self.get(node, self.absent)
