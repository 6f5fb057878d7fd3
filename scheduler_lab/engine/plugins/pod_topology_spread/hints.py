"""Which events may let a pod in that topology spread constraints kept out (kube-scheduler v1.35)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.plugins.pod_topology_spread.constraints import Constraints, ConstraintSource, has_all_keys


class Hints:
    """The queueing hints over a source of constraints."""

    def __init__(self, source: ConstraintSource) -> None:
        self._source = source

    def registrations(self) -> Sequence[Registration]:
        """Pod and node events, each with its hint."""
        pod = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE | Action.UPDATE_POD_TOLERATION
        node = Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT
        return (
            Registration(Resource.POD, pod, self.after_pod_change),
            Registration(Resource.NODE, node, self.after_node_change),
        )

    def after_pod_change(self, waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
        """Queue when a pod joins or leaves those a hard constraint counts. Raises InvalidSelector."""
        if not all(_involved(pod, waiting) for pod in (old, new) if pod is not None):
            return Hint.SKIP
        constraints = self._source.hard(waiting.pod)
        if old is not None and new is not None:
            return _queue_if(_tolerates_more(waiting, old, new, constraints) or _match_flips(old, new, constraints))
        changed = new if new is not None else old
        return _queue_if(changed is not None and _any_match(changed, constraints))

    def after_node_change(self, waiting: PodInfo, old: Node | None, new: Node | None) -> Hint:
        """Queue when the eligible domains may have changed. Raises InvalidSelector."""
        constraints = self._source.hard(waiting.pod)
        had = old is not None and has_all_keys(old.metadata.labels, constraints)
        has = new is not None and has_all_keys(new.metadata.labels, constraints)
        if old is None or new is None:
            return _queue_if(had or has)
        if had != has:
            return Hint.QUEUE
        return _queue_if(has and (_moved(old, new, constraints) or old.spec.taints != new.spec.taints))


def _queue_if(condition: bool) -> Hint:
    return Hint.QUEUE if condition else Hint.SKIP


def _involved(pod: PodInfo, waiting: PodInfo) -> bool:
    """Whether the event's pod is the waiting one, or runs in its namespace."""
    return pod.uid == waiting.uid or (bool(pod.pod.spec.node_name) and pod.namespace == waiting.namespace)


def _tolerates_more(waiting: PodInfo, old: PodInfo, new: PodInfo, constraints: Constraints) -> bool:
    return (
        waiting.uid == new.uid
        and old.pod.spec.tolerations != new.pod.spec.tolerations
        and any(constraint.honor_taints for constraint in constraints)
    )


def _match_flips(old: PodInfo, new: PodInfo, constraints: Constraints) -> bool:
    before, after = old.labels, new.labels
    if before == after:
        return False
    return any(constraint.selector.matches(before) != constraint.selector.matches(after) for constraint in constraints)


def _any_match(pod: PodInfo, constraints: Constraints) -> bool:
    return any(constraint.selector.matches(pod.labels) for constraint in constraints)


def _moved(old: Node, new: Node, constraints: Constraints) -> bool:
    before, after = old.metadata.labels, new.metadata.labels
    return any(before[constraint.key] != after[constraint.key] for constraint in constraints)
