"""Collects evidence while a cycle runs, when somebody asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.evidence.mode import EvidenceMode
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.record import Cycle, Verdict


class Trace:
    """Evidence of one cycle, by extension point, node and plugin; collects nothing unless `wanted`."""

    __slots__ = ("_mode", "wanted", "_filter", "_score", "_once")

    def __init__(self, mode: EvidenceMode, cycle: int, nodes: int) -> None:
        self._mode = mode
        self.wanted = mode.wants_cycle(cycle, nodes)
        self._filter: dict[str, dict[str, Evidence]] = {}
        self._score: dict[str, dict[str, Evidence]] = {}
        self._once: dict[str, dict[str, Evidence]] = {}

    def pre_filter(self, framework: Framework, state: CycleState, pod: PodInfo, cycle: Cycle) -> None:
        """Explain the PreFilter verdicts given so far."""
        if not self.wanted:
            return
        for verdict in cycle.pre_filter:
            explain = getattr(framework.plugins[verdict.plugin], "explain_pre_filter", None)
            self._keep(self._once.setdefault("preFilter", {}), verdict.plugin, explain and explain(state, pod))

    def filter(
        self, framework: Framework, state: CycleState, pod: PodInfo, node: NodeInfo, verdicts: Sequence[Verdict]
    ) -> None:
        """Explain the Filter verdicts on one node, as its plugins saw it."""
        if not self.wanted or not self._mode.wants_node(node.name):
            return
        found = self._filter.setdefault(node.name, {})
        for verdict in verdicts:
            explain = getattr(framework.plugins[verdict.plugin], "explain_filter", None)
            self._keep(found, verdict.plugin, explain and explain(state, pod, node))

    def score(
        self, framework: Framework, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo], cycle: Cycle
    ) -> None:
        """Explain the raw scores of every node."""
        if not self.wanted or cycle.score is None:
            return
        for node in nodes:
            if not self._mode.wants_node(node.name):
                continue
            found = self._score.setdefault(node.name, {})
            for name in cycle.score.weights:
                explain = getattr(framework.plugins[name], "explain_score", None)
                self._keep(found, name, explain and explain(state, pod, node))

    def once(self, point: str, plugin: str, evidence: Evidence | None) -> None:
        """Keep a plugin's own account of an extension point that runs once a cycle."""
        if self.wanted:
            self._keep(self._once.setdefault(point, {}), plugin, evidence)

    @staticmethod
    def _keep(found: dict[str, Evidence], plugin: str, evidence: Evidence | None) -> None:
        if evidence is not None:
            found[plugin] = evidence

    def collected(self) -> dict[str, Any]:
        """What was explained; points without anything are absent."""
        result: dict[str, Any] = {"filter": self._filter, "score": self._score, **self._once}
        return {point: found for point, found in result.items() if found}
