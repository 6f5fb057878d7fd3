"""NodeName: a pod that names its node fits only there.

Extension points: Filter. Arguments: none.
Reason (UnschedulableAndUnresolvable): `node(s) didn't match the requested node name`.
Queueing hints: Node/Add always Queue. A pod with spec.nodeName never waits in the queue, so the reason is
unreachable in a real run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, text
from scheduler_lab.engine.evidence.marks import node_mark, pod_mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status, unresolvable

_MISMATCH = unresolvable("node(s) didn't match the requested node name")


class NodeName:
    """Models kube-scheduler v1.35 NodeName."""

    name: ClassVar[str] = "NodeName"

    def __init__(self, args: Any, handle: Handle) -> None:
        pass

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects every node but the one in spec.nodeName, if it is set."""
        wanted = pod.pod.spec.node_name
        return _MISMATCH if wanted and wanted != node.name else None

    def events_to_register(self) -> Sequence[Registration]:
        """Any new node."""
        return [Registration(Resource.NODE, Action.ADD)]

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Which node the pod names, if any."""
        wanted = pod.pod.spec.node_name
        if not wanted:
            return Evidence(text(N_("%(pod)s names no node in spec.nodeName, so any node will do."), pod=pod.key))
        marks = [pod_mark(pod, "spec.nodeName"), node_mark(node, "metadata.name")]
        if wanted == node.name:
            return Evidence(text(N_("%(pod)s asks for %(node)s by name."), pod=pod.key, node=node.name), marks=marks)
        sentence = text(
            N_("%(pod)s asks for %(wanted)s by name, and this is %(node)s."),
            pod=pod.key,
            wanted=wanted,
            node=node.name,
        )
        return Evidence(sentence, marks=marks)
