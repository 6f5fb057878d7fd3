"""NodeDeclaredFeatures (alpha, off by default): nodes must declare the features a pod needs.

Extension points: PreFilter, Filter. Arguments: none.
The only feature that scheduling can require in v1.35 is RestartAllContainersOnContainerExits: an app or init
container has a restartPolicyRules action RestartAllContainers. PreFilter skips a pod that needs none.
Reason (UnschedulableAndUnresolvable): `node declared features check failed - unsatisfied requirements: …`.
Queueing hints: Node/Add|UpdateNodeDeclaredFeature, Queue when new or when the list changed; Pod/Update, Queue when it
is the pod itself and what it needs changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, Table, text
from scheduler_lab.engine.evidence.marks import node_mark, pod_mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unresolvable
from scheduler_lab.engine.objects.node import Node

RESTART_ALL = "RestartAllContainersOnContainerExits"
_KEY = "PreFilterNodeDeclaredFeatures"
_NO_STATE = error(f'reading "{_KEY}" from cycleState: not found')


class _Needed:
    """The features the pod needs, sorted."""

    __slots__ = ("features",)

    def __init__(self, features: tuple[str, ...]) -> None:
        self.features = features

    def clone(self) -> _Needed:
        return self


class NodeDeclaredFeatures:
    """Models kube-scheduler v1.35 NodeDeclaredFeatures; missing features are listed sorted, upstream in any order."""

    name: ClassVar[str] = "NodeDeclaredFeatures"

    def __init__(self, args: Any, handle: Handle) -> None:
        pass

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Skip when the pod needs no feature."""
        needed = needed_features(pod)
        if not needed:
            return None, SKIP
        state.write(_KEY, _Needed(needed))
        return None, None

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a node that does not declare what the pod needs."""
        needed: _Needed | None = state.read(_KEY)
        if needed is None:
            return _NO_STATE
        missing = _missing(needed.features, node)
        return _rejection(missing) if missing else None

    def events_to_register(self) -> Sequence[Registration]:
        """Nodes that declare something else, and changes of the pod."""
        return [
            Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_DECLARED_FEATURE, _node_changed),
            Registration(Resource.POD, Action.UPDATE, _pod_changed),
        ]

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Which needed features the node declares."""
        needed = needed_features(pod)
        if not needed:
            return Evidence(text(N_("%(pod)s needs no feature that a node has to declare."), pod=pod.key))
        missing = _missing(needed, node)
        rows = [[feature, "✗" if feature in missing else "✓"] for feature in needed]
        highlight = [index for index, feature in enumerate(needed) if feature in missing]
        table = Table([text(N_("Feature")), text(N_("Declared"))], rows, highlight)
        template = (
            N_("%(node)s does not declare %(features)s, which %(pod)s needs.")
            if missing
            else N_("%(node)s declares %(features)s, which %(pod)s needs.")
        )
        sentence = text(template, node=node.name, features=", ".join(missing or needed), pod=pod.key)
        marks = [pod_mark(pod, path) for path in _rule_paths(pod)] + [node_mark(node, "status.declaredFeatures")]
        return Evidence(sentence, table=table, marks=marks)


def needed_features(pod: PodInfo) -> tuple[str, ...]:
    """The node features that the pod's spec requires, sorted."""
    return (RESTART_ALL,) if _rule_paths(pod) else ()


def _rule_paths(pod: PodInfo) -> list[str]:
    spec = pod.pod.spec
    return [
        f"spec.{field}[{index}].restartPolicyRules[{position}].action"
        for field, containers in (("initContainers", spec.init_containers), ("containers", spec.containers))
        for index, container in enumerate(containers)
        for position, rule in enumerate(container.restart_policy_rules)
        if rule.action == "RestartAllContainers"
    ]


def _missing(needed: tuple[str, ...], node: NodeInfo) -> tuple[str, ...]:
    declared = node.node.status.declared_features if node.node is not None else []
    return tuple(feature for feature in needed if feature not in declared)


@lru_cache(maxsize=64)
def _rejection(missing: tuple[str, ...]) -> Status:
    return unresolvable(f"node declared features check failed - unsatisfied requirements: {', '.join(missing)}")


def _node_changed(waiting: PodInfo, old: Node | None, new: Node | None) -> Hint:
    if new is None:
        return Hint.SKIP
    changed = old is None or old.status.declared_features != new.status.declared_features
    return Hint.QUEUE if changed else Hint.SKIP


def _pod_changed(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    if old is None or new is None or new.uid != waiting.uid:
        return Hint.SKIP
    return Hint.QUEUE if needed_features(old) != needed_features(new) else Hint.SKIP
