"""PreScore's points per topology value: what the pod prefers, and what pods already there prefer about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.plugins.inter_pod_affinity.terms import NO_LABELS, PodTerms, Term, terms_of

MAX_NODE_SCORE = 100


class Contribution(NamedTuple):
    """Points that one term gives to a domain because of one existing pod; `own` for a term of the incoming pod."""

    term: Term
    other: PodInfo
    points: int
    own: bool


class PreferredState:
    """Points by topology key and value for one incoming pod.

    `terms` are the incoming pod's, expanded; `hard_weight` is what a required affinity term of an existing pod
    counts. `lowest` and `highest` are the raw scores that Normalize found.
    """

    __slots__ = ("hard_weight", "highest", "lowest", "namespace_labels", "pod", "points", "terms")

    def __init__(self, pod: PodInfo, terms: PodTerms, namespace_labels: Mapping[str, str], hard_weight: int) -> None:
        self.pod = pod
        self.terms = terms
        self.namespace_labels = namespace_labels
        self.hard_weight = hard_weight
        self.points: dict[str, dict[str, int]] = {}
        self.lowest = 0
        self.highest = 0

    def clone(self) -> PreferredState:
        """Itself: nothing changes it once PreScore has ended."""
        return self

    @property
    def prefers(self) -> bool:
        """Whether the incoming pod has preferences of its own; then every pod in the cluster matters."""
        return bool(self.terms.preferred_affinity or self.terms.preferred_anti_affinity)

    def count_nodes(self, nodes: Iterable[NodeInfo]) -> None:
        """Add up the points of all pods on these nodes."""
        for info in nodes:
            labels = info.labels
            if not labels:
                continue
            for term, _, points, _ in self.contributions(info):
                value = labels.get(term.key)
                if value is not None:
                    of_key = self.points.setdefault(term.key, {})
                    of_key[value] = of_key.get(value, 0) + points

    def contributions(self, info: NodeInfo) -> Iterator[Contribution]:
        """What each pod on the node adds, for any topology value the node may have."""
        own = self.terms
        for other in info.pods if self.prefers else info.pods_with_affinity:
            for term in own.preferred_affinity:
                if term.matches(other.pod, NO_LABELS):
                    yield Contribution(term, other, term.weight or 0, True)
            for term in own.preferred_anti_affinity:
                if term.matches(other.pod, NO_LABELS):
                    yield Contribution(term, other, -(term.weight or 0), True)
            if other.has_affinity:
                yield from self._wishes(other)

    def _wishes(self, other: PodInfo) -> Iterator[Contribution]:
        terms, pod, labels = terms_of(other), self.pod.pod, self.namespace_labels
        if self.hard_weight > 0:
            for term in terms.affinity:
                if term.matches(pod, labels):
                    yield Contribution(term, other, self.hard_weight, False)
        for term in terms.preferred_affinity:
            if term.matches(pod, labels):
                yield Contribution(term, other, term.weight or 0, False)
        for term in terms.preferred_anti_affinity:
            if term.matches(pod, labels):
                yield Contribution(term, other, -(term.weight or 0), False)

    def score(self, labels: Mapping[str, str]) -> int:
        """The raw score of a node with these labels; may be negative."""
        return sum(values.get(labels[key], 0) for key, values in self.points.items() if key in labels)

    def normalize(self, scores: dict[str, int]) -> None:
        """Stretch raw scores from the lowest to the highest over [0, 100]; equal scores all become 0."""
        self.lowest = min(scores.values(), default=0)
        self.highest = max(scores.values(), default=0)
        for name, score in scores.items():
            scores[name] = self.normalized(score)

    def normalized(self, score: int) -> int:
        """A raw score on the scale of 0 to 100, computed in floating point and cut off as upstream does."""
        spread = self.highest - self.lowest
        return int(float(MAX_NODE_SCORE) * (float(score - self.lowest) / float(spread))) if spread > 0 else 0
