"""PreFilter's counts of matching pods per topology value, and the three questions that Filter asks of a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status, unresolvable, unschedulable
from scheduler_lab.engine.plugins.inter_pod_affinity.terms import NO_LABELS, Terms, matches_all, terms_of

AFFINITY_BROKEN = unresolvable("node(s) didn't match pod affinity rules")
ANTI_AFFINITY_BROKEN = unschedulable("node(s) didn't match pod anti-affinity rules")
EXISTING_BROKEN = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")

Pair = tuple[str, str]
"""A topology key and a value of it."""


class PairCounts:
    """How often each (key, value) was counted; zero is absent. A clone shares the data until one side changes it."""

    __slots__ = ("_own", "data")

    def __init__(self, data: dict[Pair, int] | None = None, own: bool = True) -> None:
        self.data: dict[Pair, int] = {} if data is None else data
        self._own = own

    def clone(self) -> PairCounts:
        """A copy that may change independently."""
        self._own = False
        return PairCounts(self.data, own=False)

    def add(self, key: str, labels: Mapping[str, str], amount: int) -> None:
        """Count for a node with these labels; nothing if it lacks the key."""
        value = labels.get(key)
        if value is None:
            return
        if not self._own:
            self.data, self._own = dict(self.data), True
        pair = (key, value)
        count = self.data.get(pair, 0) + amount
        if count:
            self.data[pair] = count
        else:
            self.data.pop(pair, None)

    def __len__(self) -> int:
        return len(self.data)


class RequiredState:
    """The counts for one incoming pod.

    `existing`: required anti-affinity terms of pods already there that are about the incoming pod.
    `affinity`: pods that match all of its required affinity terms, once for each term's key.
    `anti_affinity`: pods that match a required anti-affinity term of its own.
    """

    __slots__ = ("affinity", "affinity_terms", "anti_affinity", "anti_terms", "existing", "namespace_labels", "pod")

    def __init__(self, pod: PodInfo, affinity: Terms, anti_affinity: Terms, labels: Mapping[str, str]) -> None:
        self.pod = pod
        self.affinity_terms = affinity
        self.anti_terms = anti_affinity
        self.namespace_labels = labels
        self.existing = PairCounts()
        self.affinity = PairCounts()
        self.anti_affinity = PairCounts()

    def clone(self) -> RequiredState:
        """A copy whose counts may change independently."""
        copy = RequiredState.__new__(RequiredState)
        copy.pod, copy.namespace_labels = self.pod, self.namespace_labels
        copy.affinity_terms, copy.anti_terms = self.affinity_terms, self.anti_terms
        copy.existing = self.existing.clone()
        copy.affinity = self.affinity.clone()
        copy.anti_affinity = self.anti_affinity.clone()
        return copy

    def count_existing(self, nodes: Iterable[NodeInfo]) -> None:
        """Count the anti-affinity of the pods on these nodes towards the incoming pod."""
        for info in nodes:
            for other in info.pods_with_required_anti_affinity:
                self._count_existing(other, info.labels, 1)

    def count_incoming(self, nodes: Iterable[NodeInfo]) -> None:
        """Count the pods that the incoming pod's own terms are about."""
        if not self.affinity_terms and not self.anti_terms:
            return
        for info in nodes:
            for other in info.pods:
                self._count_incoming(other, info.labels, 1)

    def shift(self, other: PodInfo, labels: Mapping[str, str], delta: int) -> None:
        """Count a pod in (+1) or out (−1) on a node with these labels."""
        self._count_existing(other, labels, delta)
        self._count_incoming(other, labels, delta)

    def _count_existing(self, other: PodInfo, labels: Mapping[str, str], amount: int) -> None:
        for term in terms_of(other).anti_affinity:
            if term.matches(self.pod.pod, self.namespace_labels):
                self.existing.add(term.key, labels, amount)

    def _count_incoming(self, other: PodInfo, labels: Mapping[str, str], amount: int) -> None:
        pod = other.pod
        if self.affinity_terms and matches_all(self.affinity_terms, pod):
            for term in self.affinity_terms:
                self.affinity.add(term.key, labels, amount)
        for term in self.anti_terms:
            if term.matches(pod, NO_LABELS):
                self.anti_affinity.add(term.key, labels, amount)

    @property
    def pointless(self) -> bool:
        """Whether no rule of anybody concerns the pod."""
        return not self.existing and not self.affinity_terms and not self.anti_terms

    @property
    def first_of_its_kind(self) -> bool:
        """Whether nobody matches all affinity terms yet, and the pod matches them itself."""
        return not self.affinity and matches_all(self.affinity_terms, self.pod.pod)

    def verdict(self, labels: Mapping[str, str]) -> Status | None:
        """What Filter says of a node with these labels."""
        if not self._affinity_holds(labels):
            return AFFINITY_BROKEN
        counts = self.anti_affinity.data
        if counts:
            for term in self.anti_terms:
                value = labels.get(term.key)
                if value is not None and counts.get((term.key, value), 0) > 0:
                    return ANTI_AFFINITY_BROKEN
        existing = self.existing.data
        if existing and any(existing.get(pair, 0) > 0 for pair in labels.items()):
            return EXISTING_BROKEN
        return None

    def _affinity_holds(self, labels: Mapping[str, str]) -> bool:
        found = True
        for term in self.affinity_terms:
            value = labels.get(term.key)
            if value is None:
                return False
            if self.affinity.data.get((term.key, value), 0) <= 0:
                found = False
        return found or self.first_of_its_kind


def required_state(
    pod: PodInfo,
    affinity: Terms,
    anti_affinity: Terms,
    labels: Mapping[str, str],
    nodes: Sequence[NodeInfo],
    nodes_with_anti_affinity: Sequence[NodeInfo],
) -> RequiredState:
    """PreFilter's state; `labels` are those of the pod's namespace, the terms are expanded."""
    state = RequiredState(pod, affinity, anti_affinity, labels)
    state.count_existing(nodes_with_anti_affinity)
    state.count_incoming(nodes)
    return state
