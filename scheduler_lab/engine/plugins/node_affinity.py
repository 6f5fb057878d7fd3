"""NodeAffinity: nodeSelector and node affinity, required and preferred.

Extension points: PreFilter, Filter, PreScore, Score (default weight 2), NormalizeScore.
Arguments: addedAffinity (none), required and preferred terms added to every pod of the profile.
Selectors: terms are ORed, within a term everything is ANDed; a term that is empty or cannot be parsed matches nothing.
PreFilter skips without nodeSelector, required terms and added required terms. When every required term pins
metadata.name (matchFields, In), only those nodes are looked at; terms that all contradict themselves:
`pod affinity terms conflict` (UnschedulableAndUnresolvable).
Reasons (UnschedulableAndUnresolvable): `node(s) didn't match scheduler-enforced node affinity` (addedAffinity),
`node(s) didn't match Pod's node affinity/selector`.
PreScore fails on a preferred term that cannot be parsed and skips without preferred terms. Score: the sum of the
weights of matching preferred terms, the added ones included; normalized so that the highest becomes 100.
Queueing hints: Node/Add|UpdateNodeLabel, Queue when the node matches now (added and own required terms) and did not
match the pod's own before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from scheduler_lab.engine.configuration.errors import aggregate
from scheduler_lab.engine.configuration.types import NodeAffinityArgs
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Status, error, unresolvable
from scheduler_lab.engine.objects.affinity import NodeAffinity as NodeAffinitySpec
from scheduler_lab.engine.objects.affinity import PreferredSchedulingTerm
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.references import NodeSelector
from scheduler_lab.engine.objects.selectors import (
    CompiledNodeSelector,
    CompiledNodeSelectorTerm,
    Labels,
    compile_node_selector,
)
from scheduler_lab.engine.plugins import node_affinity_evidence as evidence
from scheduler_lab.engine.plugins.scoring import default_normalize

_NOT_ADDED = unresolvable("node(s) didn't match scheduler-enforced node affinity")
_NOT_MATCHED = unresolvable("node(s) didn't match Pod's node affinity/selector")
_CONFLICT = unresolvable("pod affinity terms conflict")
_STATE = "PreScoreNodeAffinity"


class Required:
    """What a pod requires of its node: nodeSelector and required node affinity."""

    __slots__ = ("_labels", "_terms")

    def __init__(self, pod: PodInfo) -> None:
        self._labels = list((pod.pod.spec.node_selector or {}).items())
        selector = required_terms(pod)
        self._terms: CompiledNodeSelector | None = compile_node_selector(selector) if selector is not None else None

    def matches(self, labels: Labels, name: str) -> bool:
        """Whether a node of that name and those labels satisfies both."""
        for key, value in self._labels:
            if labels.get(key) != value:
                return False
        return self._terms is None or self._terms.matches(labels, name)


class Preferred:
    """Weighted terms; those of weight 0 and empty ones do not count. `errors` tell of unparsable ones."""

    __slots__ = ("_terms", "errors")

    def __init__(self, terms: Sequence[PreferredSchedulingTerm]) -> None:
        self.errors: list[str] = []
        self._terms: list[tuple[int, CompiledNodeSelectorTerm]] = []
        for index, term in enumerate(terms):
            compiled = CompiledNodeSelectorTerm(term.preference, f"[{index}]")
            if term.weight and not compiled.empty:
                self.errors += compiled.errors
                self._terms.append((term.weight, compiled))

    def score(self, node: NodeInfo) -> int:
        """The sum of the weights of the terms that match the node."""
        return sum(weight for weight, term in self._terms if term.matches(node.labels, node.name))

    def clone(self) -> Preferred:
        """Itself: it never changes."""
        return self


class NodeAffinity:
    """Models kube-scheduler v1.35 NodeAffinity."""

    name: ClassVar[str] = "NodeAffinity"

    def __init__(self, args: NodeAffinityArgs, handle: Handle) -> None:
        self._added_spec = args.added_affinity or NodeAffinitySpec()
        required = self._added_spec.required_during_scheduling_ignored_during_execution
        self._added: CompiledNodeSelector | None = compile_node_selector(required) if required is not None else None
        preferred = self._added_spec.preferred_during_scheduling_ignored_during_execution
        self._added_preferred = Preferred(preferred) if preferred else None

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Skip without requirements; the pinned node names, if every required term pins some."""
        required = required_terms(pod)
        if required is None and self._added is None and pod.pod.spec.node_selector is None:
            return None, SKIP
        names = pinned_names(required) if required is not None else None
        if names is None:
            return None, None
        return (names, None) if names else (None, _CONFLICT)

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects nodes that miss the added terms or the pod's own requirements."""
        if self._added is not None and not self._added.matches(node.labels, node.name):
            return _NOT_ADDED
        return None if _required(pod).matches(node.labels, node.name) else _NOT_MATCHED

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Skip without preferred terms, Error when one cannot be parsed."""
        terms = preferred_terms(pod)
        preferred = Preferred(terms or ())
        if preferred.errors:
            return error(aggregate(preferred.errors))
        if terms is None and self._added_preferred is None:
            return SKIP
        state.write(_STATE, preferred)
        return None

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """The weights of the matching terms, added."""
        preferred: Preferred | None = state.read(_STATE)
        if preferred is None:
            preferred = Preferred(preferred_terms(pod) or ())
            if preferred.errors:
                return error(aggregate(preferred.errors))
        added = self._added_preferred.score(node) if self._added_preferred is not None else 0
        return added + preferred.score(node)

    def normalize_score(self, state: CycleState, pod: PodInfo, scores: dict[str, int]) -> Status | None:
        """The highest becomes 100."""
        default_normalize(scores, reverse=False)
        return None

    def events_to_register(self) -> Sequence[Registration]:
        """Nodes that match now and did not before."""
        return [Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL, self._node_changed)]

    def _node_changed(self, waiting: PodInfo, old: Node | None, new: Node | None) -> Hint:
        if new is None:
            return Hint.SKIP
        labels, name = new.metadata.labels, new.metadata.name
        if self._added is not None and not self._added.matches(labels, name):
            return Hint.SKIP
        required = _required(waiting)
        if not required.matches(labels, name):
            return Hint.SKIP
        matched = old is not None and required.matches(old.metadata.labels, old.metadata.name)
        return Hint.SKIP if matched else Hint.QUEUE

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """Which nodes the pod pins by name."""
        required = required_terms(pod)
        return evidence.pinned(pod, required, pinned_names(required) if required is not None else None)

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Every requirement with what the node has."""
        added = self._added_spec.required_during_scheduling_ignored_during_execution
        if self._added is not None and added is not None and not self._added.matches(node.labels, node.name):
            return evidence.added_rejects(node, added)
        return evidence.own_terms(pod, node, required_terms(pod), _required(pod).matches(node.labels, node.name))

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Every preferred term with its weight where it matches."""
        added = self._added_spec.preferred_during_scheduling_ignored_during_execution or []
        return evidence.preferences(pod, node, added, preferred_terms(pod) or [])


def _spec(pod: PodInfo) -> NodeAffinitySpec | None:
    affinity = pod.pod.spec.affinity
    return affinity.node_affinity if affinity is not None else None


def required_terms(pod: PodInfo) -> NodeSelector | None:
    """The pod's required node affinity, or None."""
    spec = _spec(pod)
    return spec.required_during_scheduling_ignored_during_execution if spec is not None else None


def preferred_terms(pod: PodInfo) -> list[PreferredSchedulingTerm] | None:
    """The pod's preferred node affinity, or None."""
    spec = _spec(pod)
    return spec.preferred_during_scheduling_ignored_during_execution if spec is not None else None


def _required(pod: PodInfo) -> Required:
    cached: Required | None = pod.derived.get("NodeAffinity")
    if cached is None:
        cached = pod.derived["NodeAffinity"] = Required(pod)
    return cached


def pinned_names(selector: NodeSelector) -> frozenset[str] | None:
    """The node names that the terms allow by metadata.name In; None when some term (or none at all) pins nothing."""
    if not selector.node_selector_terms:
        return None
    union: frozenset[str] = frozenset()
    for term in selector.node_selector_terms:
        lists = [
            frozenset(field.values)
            for field in term.match_fields
            if field.key == "metadata.name" and field.operator == "In"
        ]
        if not lists:
            return None
        union |= frozenset.intersection(*lists)
    return union
