"""PreFilter's count of matching pods per domain, and the skew that Filter judges by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status, unresolvable, unschedulable
from scheduler_lab.engine.plugins.pod_topology_spread.constraints import (
    Constraint,
    Constraints,
    Inclusion,
    count_matching,
    has_all_keys,
)

MISSING_LABEL = unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
TOO_SKEWED = unschedulable("node(s) didn't match pod topology spread constraints")


class Lowest(NamedTuple):
    """The two domains with the fewest matching pods, the lowest first."""

    value: str = ""
    pods: int = 2**31 - 1
    next_value: str = ""
    next_pods: int = 2**31 - 1

    def updated(self, value: str, pods: int) -> Lowest:
        """After the domain `value` has come to so many pods; exact as long as only one domain changes."""
        if value == self.value:
            changed = Lowest(value, pods, self.next_value, self.next_pods)
        elif value == self.next_value:
            changed = Lowest(self.value, self.pods, value, pods)
        elif pods < self.pods:
            return Lowest(value, pods, self.value, self.pods)
        elif pods < self.next_pods:
            return Lowest(self.value, self.pods, value, pods)
        else:
            return self
        if changed.pods > changed.next_pods:
            return Lowest(changed.next_value, changed.next_pods, changed.value, changed.pods)
        return changed


class HardState:
    """Per constraint, the matching pods of every eligible domain, the lowest of them and the minimum that counts.

    A clone shares the counts until one side changes them.
    """

    __slots__ = ("constraints", "counts", "inclusion", "lowest", "minimums", "_own")

    def __init__(self, constraints: Constraints, inclusion: Inclusion) -> None:
        self.constraints = constraints
        self.inclusion = inclusion
        self.counts: list[dict[str, int]] = [{} for _ in constraints]
        self.lowest: list[Lowest] = [Lowest() for _ in constraints]
        self.minimums = [0] * len(constraints)
        self._own = [True] * len(constraints)

    def clone(self) -> HardState:
        """A copy whose counts may change independently."""
        copy = HardState.__new__(HardState)
        copy.constraints, copy.inclusion = self.constraints, self.inclusion
        copy.counts, copy.lowest, copy.minimums = list(self.counts), list(self.lowest), list(self.minimums)
        copy._own = [False] * len(self.counts)
        self._own = [False] * len(self.counts)
        return copy

    def count_nodes(self, nodes: Iterable[NodeInfo], namespace: str) -> None:
        """Count over every node that has all keys; a node without matching pods still makes its domain eligible."""
        pairs = list(zip(self.constraints, self.counts, strict=True))
        for info in nodes:
            labels = info.labels
            if not has_all_keys(labels, self.constraints):
                continue
            for constraint, counts in pairs:
                if self.inclusion.admits(constraint, info):
                    value = labels[constraint.key]
                    counts[value] = counts.get(value, 0) + count_matching(info.pods, constraint.selector, namespace)
        for index, counts in enumerate(self.counts):
            lowest = Lowest()
            for value, count in counts.items():
                lowest = lowest.updated(value, count)
            self._settle(index, lowest)

    def shift(self, other: PodInfo, info: NodeInfo, delta: int) -> None:
        """Count a pod of the same namespace in (+1) or out (−1).

        Upstream looks neither at deletionTimestamp nor for an empty selector here, so taking away a pod that
        was never counted lowers its domain all the same.
        """
        if not has_all_keys(info.labels, self.constraints):
            return
        for index, constraint in enumerate(self.constraints):
            if constraint.selector.matches(other.labels) and self.inclusion.admits(constraint, info):
                if not self._own[index]:
                    self.counts[index] = dict(self.counts[index])
                    self._own[index] = True
                value = info.labels[constraint.key]
                count = self.counts[index].get(value, 0) + delta
                self.counts[index][value] = count
                self._settle(index, self.lowest[index].updated(value, count))

    def _settle(self, index: int, lowest: Lowest) -> None:
        """Note the lowest domains; the minimum is 0 with fewer domains than minDomains."""
        self.lowest[index] = lowest
        few = len(self.counts[index]) < self.constraints[index].min_domains
        self.minimums[index] = 0 if few else lowest.pods

    def skew(self, index: int, value: str) -> int:
        """How far the domain would be above the minimum with the pod in it."""
        return self.counts[index].get(value, 0) + self.constraints[index].self_match - self.minimums[index]

    def first_failure(self, labels: dict[str, str]) -> tuple[Constraint, Status] | None:
        """The first constraint that a node with these labels breaks, and the verdict."""
        for constraint, counts, minimum in zip(self.constraints, self.counts, self.minimums, strict=True):
            value = labels.get(constraint.key)
            if value is None:
                return constraint, MISSING_LABEL
            if counts.get(value, 0) + constraint.self_match - minimum > constraint.max_skew:
                return constraint, TOO_SKEWED
        return None


def hard_state(constraints: Constraints, inclusion: Inclusion, nodes: Sequence[NodeInfo], namespace: str) -> HardState:
    """PreFilter's state for a pod of the namespace."""
    state = HardState(constraints, inclusion)
    state.count_nodes(nodes, namespace)
    return state
