"""Choosing whom to evict: the arithmetic of preemption (kube-scheduler v1.35, preemption evaluator)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.go.sort import sort_slice
from scheduler_lab.engine.objects.meta import parse_time
from scheduler_lab.engine.objects.policy import PodDisruptionBudget
from scheduler_lab.engine.objects.selectors import compile_label_selector

PRIORITY_OFFSET = 2**31
# A pod without a start time counts as started now; the records were made in 2026, before their own start times.
NOW = parse_time("2026-06-01T00:00:00Z")
ZERO_TIME = float("-inf")


@dataclass(slots=True)
class Candidate:
    """A node where evicting `victims` (most important first) lets the pod fit."""

    node: str
    victims: list[PodInfo]
    violations: int = 0


@dataclass(slots=True)
class DryRun:
    """What the dry run on one node did, for the explanation."""

    node: str
    removed: list[str] = field(default_factory=list)
    reprieved: list[str] = field(default_factory=list)
    victims: list[str] = field(default_factory=list)
    priorities: list[int] = field(default_factory=list)
    violations: int = 0
    why_not: str = ""


@lru_cache(maxsize=4096)
def _start(text: str) -> float:
    return parse_time(text)


def start_time(pod: PodInfo) -> float | None:
    """When the pod started, in seconds since 1970; None if it has no start time."""
    text = pod.pod.status.start_time
    return _start(text) if text else None


def started_before(a: PodInfo, b: PodInfo) -> bool:
    """Whether `a` started first. Without a start time "now" is read anew, so the first one asked looks older."""
    first, second = start_time(a), start_time(b)
    if first is None and second is None:
        return True
    return (NOW if first is None else first) < (NOW if second is None else second)


def more_important(a: PodInfo, b: PodInfo) -> bool:
    """Whether `a` is to be spared before `b`: higher priority, then older."""
    if a.priority != b.priority:
        return a.priority > b.priority
    return started_before(a, b)


def by_importance(pods: Iterable[PodInfo]) -> list[PodInfo]:
    """Pods, most important first; equally important ones in the order that upstream's unstable sort leaves."""
    return sort_slice(pods, more_important)


def split_by_budgets(
    pods: Sequence[PodInfo], budgets: Sequence[PodDisruptionBudget]
) -> tuple[list[PodInfo], list[PodInfo]]:
    """(pods whose eviction violates a budget, the others), both in the given order.

    Each pod uses up one disruption of every budget that selects it, and later pods find less.
    """
    left = [budget.status.disruptions_allowed for budget in budgets]
    violating: list[PodInfo] = []
    others: list[PodInfo] = []
    for pod in pods:
        violates = False
        for index, budget in enumerate(budgets):
            if _protects(budget, pod):
                left[index] -= 1
                violates = violates or left[index] < 0
        (violating if violates else others).append(pod)
    return violating, others


def _protects(budget: PodDisruptionBudget, pod: PodInfo) -> bool:
    selector = budget.spec.selector
    if not pod.labels or budget.metadata.namespace != pod.namespace or selector is None:
        return False
    if not selector.match_labels and not selector.match_expressions:
        return False
    if pod.pod.metadata.name in budget.status.disrupted_pods:
        return False
    return compile_label_selector(selector).matches(pod.labels)


_CRITERIA: tuple[tuple[str, Callable[[Candidate], float]], ...] = (
    ("violations", lambda c: c.violations),
    ("priority", lambda c: c.victims[0].priority),
    ("sum", lambda c: sum(pod.priority + PRIORITY_OFFSET for pod in c.victims)),
    ("count", lambda c: len(c.victims)),
)


def pick(candidates: Sequence[Candidate]) -> Candidate:
    """The candidate that upstream's criteria prefer; each keeps the best and hands ties to the next.

    Fewest budget violations; lowest priority of the top victim; smallest sum of priorities; fewest victims; the
    latest start among the oldest top victims; the first in the list.
    """
    return choose(candidates)[0]


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate, str]:
    """(what `pick` returns, which criterion decided: only, violations, priority, sum, count, start or order)."""
    left, decided = list(candidates), "only"
    for name, measure in _CRITERIA:
        if len(left) == 1:
            return left[0], decided
        best = min(measure(c) for c in left)
        left, decided = [c for c in left if measure(c) == best], name
    if len(left) == 1:
        return left[0], decided
    chosen = _latest_start(left)
    latest = [c for c in left if _earliest_top_start(c) == _earliest_top_start(chosen)]
    return chosen, "start" if len(latest) == 1 else "order"


def _latest_start(candidates: Sequence[Candidate]) -> Candidate:
    best, latest = candidates[0], _earliest_top_start(candidates[0])
    for candidate in candidates[1:]:
        start = _earliest_top_start(candidate)
        if start > latest:
            best, latest = candidate, start
    return best


def _earliest_top_start(candidate: Candidate) -> float:
    """The earliest start among the victims of the highest priority."""
    top = max(pod.priority for pod in candidate.victims)
    starts = [start_time(pod) for pod in candidate.victims if pod.priority == top]
    return min(NOW if start is None else start for start in starts)
