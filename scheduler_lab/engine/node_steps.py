"""Timeline steps for what a person does to nodes: cordon, taint, resize, add and remove."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.objects.affinity import Taint
from scheduler_lab.engine.objects.lab import AddNodeStep, ResizeStep, TaintStep, TimelineStep
from scheduler_lab.engine.objects.meta import ObjectMeta
from scheduler_lab.engine.objects.node import Node, NodeSpec, NodeStatus

if TYPE_CHECKING:
    from scheduler_lab.engine.simulation import Simulation

HOSTNAME = "kubernetes.io/hostname"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
NO_NODE = N_("A Timeline step names the node %(name)s, which is not in the cluster at that moment.")


class NodeSteps:
    """Changes nodes of one simulation as kubectl cordon, uncordon, taint and delete node would."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def take(self, step: TimelineStep) -> None:
        """Do what the step asks of nodes. A node that is not there is told as a problem, and the run goes on."""
        if step.cordon is not None:
            self._cordon(step.cordon, True)
        if step.uncordon is not None:
            self._cordon(step.uncordon, False)
        if step.taint is not None:
            self._taint(step.taint, added=True)
        if step.untaint is not None:
            self._taint(step.untaint, added=False)
        if step.resize is not None:
            self._resize(step.resize)
        if step.add_node is not None:
            self._add(step.add_node)
        if step.remove_node is not None and self._node(step.remove_node):
            self._simulation.api_server.delete("Node", "", step.remove_node)

    def _node(self, name: str) -> Node | None:
        node: Node | None = self._simulation.store.get("Node", "", name)
        if node is None:
            self._simulation.problems.add(NO_NODE, Node(metadata=ObjectMeta(name=name)), name=name)
        return node

    def _cordon(self, name: str, shut: bool) -> None:
        node = self._node(name)
        if node is None or node.spec.unschedulable == shut:
            return
        # The node lifecycle controller keeps a taint beside the field.
        taints = [taint for taint in node.spec.taints if taint.key != UNSCHEDULABLE]
        if shut:
            taints.append(Taint(key=UNSCHEDULABLE, effect="NoSchedule"))
        self._put(node, replace(node.spec, unschedulable=shut, taints=taints))

    def _taint(self, step: TaintStep, *, added: bool) -> None:
        node = self._node(step.node)
        if node is None:
            return
        kept = [t for t in node.spec.taints if t.key != step.key or (step.effect and t.effect != step.effect)]
        if added:
            kept.append(Taint(key=step.key, value=step.value, effect=step.effect))
        self._put(node, replace(node.spec, taints=kept))

    def _put(self, node: Node, spec: NodeSpec) -> None:
        self._simulation.create(replace(node, spec=spec))

    def _resize(self, step: ResizeStep) -> None:
        if node := self._node(step.node):
            status = replace(node.status, allocatable={**node.status.allocatable, **step.allocatable})
            self._simulation.create(replace(node, status=status))

    def _add(self, step: AddNodeStep) -> None:
        like = self._node(step.like)
        if like is None:
            return
        labels = {**like.metadata.labels, HOSTNAME: step.name}
        status = NodeStatus(
            allocatable=like.status.allocatable, capacity=like.status.capacity, images=like.status.images
        )
        spec = NodeSpec(taints=like.spec.taints, unschedulable=like.spec.unschedulable)
        meta = ObjectMeta(name=step.name, labels=labels, annotations=like.metadata.annotations)
        self._simulation.create(Node(metadata=meta, spec=spec, status=status))
