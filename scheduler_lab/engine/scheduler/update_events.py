"""Breaking an object's update into the cluster events it amounts to (kube-scheduler v1.35)."""

from __future__ import annotations

from scheduler_lab.engine.framework.events import Action, ClusterEvent, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.resources import Resource as Amounts
from scheduler_lab.engine.objects.node import Node

_POD_NAMES = {
    Action.UPDATE_POD_LABEL: "UpdatePodLabel",
    Action.UPDATE_POD_SCALE_DOWN: "UpdatePodScaleDown",
    Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: "UpdatePodSchedulingGatesEliminated",
    Action.UPDATE_POD_TOLERATION: "UpdatePodToleration",
    Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM: "UpdatePodGeneratedResourceClaim",
}
_NODE_NAMES = {
    Action.UPDATE_NODE_ALLOCATABLE: "UpdateNodeAllocatable",
    Action.UPDATE_NODE_LABEL: "UpdateNodeLabel",
    Action.UPDATE_NODE_TAINT: "UpdateNodeTaint",
    Action.UPDATE_NODE_CONDITION: "UpdateNodeCondition",
    Action.UPDATE_NODE_ANNOTATION: "UpdateNodeAnnotation",
    Action.UPDATE_NODE_DECLARED_FEATURE: "UpdateNodeDeclaredFeature",
}

NODE_ADD = ClusterEvent(Resource.NODE, Action.ADD, "NodeAdd")
NODE_DELETE = ClusterEvent(Resource.NODE, Action.DELETE, "NodeDelete")
ASSIGNED_POD_ADD = ClusterEvent(Resource.ASSIGNED_POD, Action.ADD, "AssignedPodAdd")
ASSIGNED_POD_DELETE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE, "AssignedPodDelete")
UNSCHEDULABLE_POD_ADD = ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.ADD, "UnschedulablePodAdd")


def pod_update_events(old: PodInfo, new: PodInfo) -> list[ClusterEvent]:
    """What changed on a pod; a change that is none of the specific ones is a general Update."""
    resource = Resource.ASSIGNED_POD if new.pod.spec.node_name else Resource.UNSCHEDULABLE_POD
    found: list[Action] = []
    if old.labels != new.labels:
        found.append(Action.UPDATE_POD_LABEL)
    if _scaled_down(old.requests, new.requests):
        found.append(Action.UPDATE_POD_SCALE_DOWN)
    if old.pod.spec.scheduling_gates and not new.pod.spec.scheduling_gates:
        found.append(Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
    if len(old.pod.spec.tolerations) != len(new.pod.spec.tolerations):
        found.append(Action.UPDATE_POD_TOLERATION)
    if (old.pod.status.resource_claim_statuses, old.pod.status.extended_resource_claim_status) != (
        new.pod.status.resource_claim_statuses,
        new.pod.status.extended_resource_claim_status,
    ):
        found.append(Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM)
    if not found:
        return [ClusterEvent(resource, Action.UPDATE, f"{resource.value}Update")]
    return [ClusterEvent(resource, action, f"{resource.value}{_POD_NAMES[action]}") for action in found]


def _scaled_down(old: Amounts, new: Amounts) -> bool:
    if new.milli_cpu < old.milli_cpu or new.memory < old.memory or new.ephemeral_storage < old.ephemeral_storage:
        return True
    return any(new.scalars.get(name, 0) < amount or name not in new.scalars for name, amount in old.scalars.items())


def node_update_events(old: Node, new: Node, *, declared_features: bool) -> list[ClusterEvent]:
    """What changed on a node; changes that matter to no plugin give nothing."""
    found: list[Action] = []
    if old.status.allocatable != new.status.allocatable:
        found.append(Action.UPDATE_NODE_ALLOCATABLE)
    if old.metadata.labels != new.metadata.labels:
        found.append(Action.UPDATE_NODE_LABEL)
    if old.spec.taints != new.spec.taints or (old.spec.unschedulable and not new.spec.unschedulable):
        found.append(Action.UPDATE_NODE_TAINT)
    if _condition_statuses(old) != _condition_statuses(new):
        found.append(Action.UPDATE_NODE_CONDITION)
    if old.metadata.annotations != new.metadata.annotations:
        found.append(Action.UPDATE_NODE_ANNOTATION)
    if declared_features and old.status.declared_features != new.status.declared_features:
        found.append(Action.UPDATE_NODE_DECLARED_FEATURE)
    return [ClusterEvent(Resource.NODE, action, f"Node{_NODE_NAMES[action]}") for action in found]


def _condition_statuses(node: Node) -> dict[str, str]:
    return {condition.type: condition.status for condition in node.status.conditions}
