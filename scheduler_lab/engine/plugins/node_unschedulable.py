"""NodeUnschedulable: keeps pods off cordoned nodes (spec.unschedulable), unless they tolerate it.

Extension points: Filter. Arguments: none.
Reason (UnschedulableAndUnresolvable): `node(s) were unschedulable`. A pod passes when it tolerates the taint
node.kubernetes.io/unschedulable:NoSchedule, whether or not the node carries it.
Queueing hints: Node/Add|UpdateNodeTaint, Queue when the node is new and schedulable or has been uncordoned;
Pod/UpdatePodToleration, Queue when it is the pod itself and it now tolerates that taint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, text
from scheduler_lab.engine.evidence.marks import node_mark, pod_mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status, unresolvable
from scheduler_lab.engine.objects.affinity import Taint
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.selectors import tolerates

_UNSCHEDULABLE = unresolvable("node(s) were unschedulable")
_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


class NodeUnschedulable:
    """Models kube-scheduler v1.35 NodeUnschedulable."""

    name: ClassVar[str] = "NodeUnschedulable"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._comparison = handle.gates.enabled("TaintTolerationComparisonOperators")

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a cordoned node unless the pod tolerates that."""
        if node.node is None or not node.node.spec.unschedulable or self._tolerating(pod) is not None:
            return None
        return _UNSCHEDULABLE

    def events_to_register(self) -> Sequence[Registration]:
        """Nodes that take pods (again), and new tolerations of the pod."""
        return [
            Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT, _node_changed),
            Registration(Resource.POD, Action.UPDATE_POD_TOLERATION, self._tolerations_changed),
        ]

    def _tolerating(self, pod: PodInfo) -> int | None:
        """The index of the first toleration of the cordon, or None."""
        for index, toleration in enumerate(pod.pod.spec.tolerations):
            if tolerates(toleration, _TAINT, self._comparison):
                return index
        return None

    def _tolerations_changed(self, waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
        if new is None or new.uid != waiting.uid or self._tolerating(new) is None:
            return Hint.SKIP
        return Hint.QUEUE

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Whether the node is cordoned and whether the pod minds."""
        if node.node is None or not node.node.spec.unschedulable:
            return Evidence(text(N_("%(node)s is not cordoned (no spec.unschedulable)."), node=node.name))
        marks = [node_mark(node, "spec.unschedulable")]
        index = self._tolerating(pod)
        if index is None:
            sentence = N_(
                "%(node)s is cordoned (spec.unschedulable is true), and %(pod)s does not tolerate "
                "node.kubernetes.io/unschedulable:NoSchedule."
            )
        else:
            sentence = N_(
                "%(node)s is cordoned (spec.unschedulable is true), but %(pod)s tolerates "
                "node.kubernetes.io/unschedulable:NoSchedule."
            )
            marks.append(pod_mark(pod, f"spec.tolerations[{index}]"))
        return Evidence(text(sentence, node=node.name, pod=pod.key), marks=marks)


def _node_changed(waiting: PodInfo, old: Node | None, new: Node | None) -> Hint:
    if new is None or new.spec.unschedulable:
        return Hint.SKIP
    return Hint.QUEUE if old is None or old.spec.unschedulable else Hint.SKIP
