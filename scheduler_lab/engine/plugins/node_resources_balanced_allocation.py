"""NodeResourcesBalancedAllocation: prefers nodes whose resources would be used to the same degree.

Extension points: PreScore, Score (default weight 1). Arguments: resources cpu and memory (weights must be 1).
PreScore skips a pod that requests none of the resources. No reasons, no queueing hints, no normalizing.
Arithmetic, with the pod placed and real requests (no defaults for missing ones): f = min(1, used ÷ allocatable) for
each resource; resources that the node lacks and scalar ones that the pod does not ask for are left out.
Two fractions: deviation = |f0 − f1| ÷ 2; more: the population standard deviation; fewer: 0.
score = int((1 − deviation) × 100). It looks only at the state after placement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from scheduler_lab.engine.configuration.types import NodeResourcesBalancedAllocationArgs, ResourceSpec
from scheduler_lab.engine.evidence import N_, Evidence, Row, text
from scheduler_lab.engine.evidence import format as fmt
from scheduler_lab.engine.evidence.marks import request_marks
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import CPU, MEMORY
from scheduler_lab.engine.framework.status import SKIP, Status
from scheduler_lab.engine.plugins.resource_allocation import Allocation, WantedResources, allocations, is_cpu_and_memory
from scheduler_lab.engine.plugins.scoring import MAX_SCORE

_KEY = "PreScoreNodeResourcesBalancedAllocation"
_DEFAULT = [ResourceSpec(name=CPU, weight=1), ResourceSpec(name=MEMORY, weight=1)]


class NodeResourcesBalancedAllocation:
    """Models kube-scheduler v1.35 NodeResourcesBalancedAllocation."""

    name: ClassVar[str] = "NodeResourcesBalancedAllocation"

    def __init__(self, args: NodeResourcesBalancedAllocationArgs, handle: Handle) -> None:
        self._resources = args.resources or _DEFAULT
        self._usual = is_cpu_and_memory(self._resources)

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Skip when the pod requests none of the resources."""
        wanted = WantedResources(self._resources, pod.requests)
        if not any(item.request for item in wanted.items):
            return SKIP
        state.write(_KEY, wanted)
        return None

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """0–100, 100 when all resources would be used to the same degree."""
        wanted: WantedResources = state.read(_KEY) or WantedResources(self._resources, pod.requests)
        whole, taken = node.allocatable, node.requested
        if self._usual and whole.milli_cpu > 0 and whole.memory > 0:
            (_, _, cpu_request), (_, _, memory_request) = wanted.items
            cpu = (taken.milli_cpu + cpu_request) / whole.milli_cpu
            memory = (taken.memory + memory_request) / whole.memory
            return _score(abs(((1.0 if cpu > 1.0 else cpu) - (1.0 if memory > 1.0 else memory)) / 2))
        return _score(_deviation(_fractions(allocations(wanted, node, non_zero=False))))

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Each fraction, their deviation, and the score."""
        items = allocations(WantedResources(self._resources, pod.requests), node, non_zero=False)
        fractions = _fractions(items)
        deviation = _deviation(fractions)
        rows: list[Row] = []
        for item, fraction in zip(items, fractions, strict=True):
            used, whole = fmt.amounts(item.name, [item.used, item.allocatable])
            label = text(
                N_("%(resource)s: %(used)s ÷ %(allocatable)s"), resource=item.name, used=used, allocatable=whole
            )
            rows.append(Row(label, fmt.number(fraction), amount=fraction))
        if len(fractions) > 2:
            mean = sum(fractions) / len(fractions)
            rows.append(Row(text(N_("mean")), fmt.number(mean), amount=mean))
        written = fmt.number(deviation)
        rows.append(Row(text(N_("standard deviation")), written, amount=deviation))
        total = _score(deviation)
        rows.append(Row(text(N_("score: (1 − %(deviation)s) × 100"), deviation=written), str(total), "=", amount=total))
        shares = ", ".join(f"{item.name} {fmt.number(100 * f, 1)}%" for item, f in zip(items, fractions, strict=True))
        sentence = text(
            N_("With %(pod)s on it, %(node)s would be used to: %(shares)s. The closer together, the higher the score."),
            pod=pod.key,
            node=node.name,
            shares=shares or "—",
        )
        return Evidence(sentence, rows, marks=[mark for item in items for mark in request_marks(pod, item.name)])


def _fractions(items: Sequence[Allocation]) -> list[float]:
    return [1.0 if used > allocatable else float(used) / float(allocatable) for _, _, used, allocatable in items]


def _deviation(fractions: Sequence[float]) -> float:
    """The population standard deviation, in the order of float operations that upstream uses."""
    if len(fractions) == 2:
        return abs((fractions[0] - fractions[1]) / 2)
    if len(fractions) < 2:
        return 0.0
    mean = 0.0
    for fraction in fractions:
        mean += fraction
    mean /= float(len(fractions))
    squares = 0.0
    for fraction in fractions:
        squares += (fraction - mean) * (fraction - mean)
    return math.sqrt(squares / float(len(fractions)))


def _score(deviation: float) -> int:
    return int((1 - deviation) * float(MAX_SCORE))
