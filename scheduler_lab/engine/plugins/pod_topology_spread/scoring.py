"""PreScore's counts per domain and the score that Normalize turns upside down."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.plugins.pod_topology_spread.constraints import (
    Constraint,
    Constraints,
    Inclusion,
    count_matching,
    has_all_keys,
)

HOSTNAME = "kubernetes.io/hostname"
MAX_NODE_SCORE = 100


class SoftState:
    """Per constraint, the matching pods of every domain with a feasible node, and the domain count's weight.

    `sizes` is the number of domains (for hostnames: of feasible nodes); `weights` are ln(size + 2), so that a
    pod more matters more where there are more domains. `ignored` nodes lack a key. `lowest` and `highest` are
    the raw scores that Normalize found.
    """

    __slots__ = ("constraints", "counts", "highest", "ignored", "lowest", "namespace", "needs_all", "sizes", "weights")

    def __init__(self, constraints: Constraints, namespace: str, needs_all: bool) -> None:
        self.constraints = constraints
        self.namespace = namespace
        self.needs_all = needs_all
        self.counts: list[dict[str, int]] = [{} for _ in constraints]
        self.ignored: set[str] = set()
        self.sizes: list[int] = []
        self.weights: list[float] = []
        self.lowest = 0
        self.highest = 0

    def clone(self) -> SoftState:
        """Itself: nothing changes it once PreScore has ended."""
        return self

    def register(self, feasible: Sequence[NodeInfo]) -> None:
        """Find the domains of the feasible nodes and weigh each constraint by how many there are."""
        for info in feasible:
            labels = info.labels
            if self.needs_all and not has_all_keys(labels, self.constraints):
                self.ignored.add(info.name)
                continue
            for constraint, counts in zip(self.constraints, self.counts, strict=True):
                if constraint.key != HOSTNAME:
                    counts.setdefault(labels.get(constraint.key, ""), 0)
        for constraint, counts in zip(self.constraints, self.counts, strict=True):
            size = len(feasible) - len(self.ignored) if constraint.key == HOSTNAME else len(counts)
            self.sizes.append(size)
            self.weights.append(math.log(size + 2))

    def count_nodes(self, nodes: Iterable[NodeInfo], inclusion: Inclusion) -> None:
        """Count over all nodes, also infeasible ones, whose domain has a feasible node."""
        pairs = [pair for pair in zip(self.constraints, self.counts, strict=True) if pair[0].key != HOSTNAME]
        if not pairs:
            return
        for info in nodes:
            labels = info.labels
            if self.needs_all and not has_all_keys(labels, self.constraints):
                continue
            for constraint, counts in pairs:
                value = labels.get(constraint.key, "")
                if value in counts and info.pods and inclusion.admits(constraint, info):
                    counts[value] += count_matching(info.pods, constraint.selector, self.namespace)

    def domain_count(self, index: int, info: NodeInfo) -> int:
        """The matching pods that count for a node: its domain's, for a hostname constraint its own."""
        constraint = self.constraints[index]
        if constraint.key == HOSTNAME:
            return count_matching(info.pods, constraint.selector, self.namespace)
        return self.counts[index].get(info.labels[constraint.key], 0)

    def terms(self, info: NodeInfo) -> list[tuple[int, Constraint, int, float]]:
        """(index, constraint, matching pods, points) of each constraint whose key the node has."""
        return [
            (index, constraint, count, float(count) * self.weights[index] + float(constraint.max_skew - 1))
            for index, constraint in enumerate(self.constraints)
            if constraint.key in info.labels
            for count in (self.domain_count(index, info),)
        ]

    def score(self, info: NodeInfo) -> int:
        """The raw score, the higher the more crowded: Σ matching × weight + (maxSkew − 1), rounded once."""
        if info.name in self.ignored:
            return 0
        score = 0.0
        for _, _, _, points in self.terms(info):
            score += points
        return rounded(score)

    def normalize(self, scores: dict[str, int]) -> None:
        """Turn raw scores around within [0, 100]: the least crowded node gets the most, ignored nodes 0."""
        judged = [score for name, score in scores.items() if name not in self.ignored]
        self.lowest = min(judged, default=0)
        self.highest = max(judged, default=0)
        for name, score in scores.items():
            scores[name] = 0 if name in self.ignored else self.normalized(score)

    def normalized(self, score: int) -> int:
        """A raw score of a node that isn't ignored on the scale of 0 to 100."""
        if self.highest == 0:
            return MAX_NODE_SCORE
        return MAX_NODE_SCORE * (self.highest + self.lowest - score) // self.highest


def rounded(number: float) -> int:
    """Halves away from zero, as Go's math.Round."""
    whole = math.trunc(number)
    return whole + (1 if number >= 0 else -1) if abs(number - whole) >= 0.5 else whole
