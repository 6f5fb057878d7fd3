"""The extenders of a configuration, in the order in which kube-scheduler v1.35 asks them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scheduler_lab.engine.configuration.types import Extender as ExtenderConfiguration
from scheduler_lab.engine.custom.extender_calls import CallLog
from scheduler_lab.engine.custom.extender_client import HttpExtender
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status, error
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.lab import Extender as Script
from scheduler_lab.engine.record import Cycle
from scheduler_lab.engine.scheduler.preemption import Candidate


class Extenders:
    """All extenders of a configuration, ignorable ones after the others, shared by every profile."""

    def __init__(
        self,
        configured: Sequence[ExtenderConfiguration],
        scripts: Iterable[Script],
        bind: Callable[[PodInfo, str], str],
    ) -> None:
        by_name = {script.name: script for script in scripts}
        self.log = CallLog()
        self._extenders = [HttpExtender(configuration, by_name, self.log) for configuration in configured]
        self._bind = bind
        self.cycle: Cycle | None = None

    def __bool__(self) -> bool:
        return bool(self._extenders)

    @property
    def score_or_filter(self) -> bool:
        """Whether any extender filters or prioritizes."""
        return any(e.configuration.filter_verb or e.configuration.prioritize_verb for e in self._extenders)

    def filter(
        self, pod: PodInfo, nodes: list[NodeInfo], cycle: Cycle, statuses: NodeStatuses
    ) -> tuple[list[NodeInfo], Status | None]:
        """(nodes that every extender leaves, failure); reasons go to `statuses`.

        An extender without nodeCacheCapable hands back bare nodes: later plugins see them without their pods.
        """
        for extender in self._extenders:
            if not nodes:
                break
            if not extender.configuration.filter_verb or not extender.interested(pod):
                continue
            left, failure = extender.filter(pod, nodes, cycle, statuses)
            if failure is not None:
                if extender.configuration.ignorable:
                    continue
                return [], failure
            nodes = left
        return nodes, None

    def prioritize(self, pod: PodInfo, nodes: Sequence[NodeInfo], cycle: Cycle) -> dict[str, dict[str, int]]:
        """What each interested extender adds to the totals, by urlPrefix and node; errors add nothing.

        An extender without a prioritize verb scores every node 0.
        """
        found: dict[str, dict[str, int]] = {}
        for extender in self._extenders:
            if not extender.interested(pod):
                continue
            if extender.configuration.prioritize_verb:
                scores = extender.prioritize(pod, nodes, cycle)
            else:
                scores = dict.fromkeys((node.name for node in nodes), 0)
            if scores:
                found[extender.configuration.url_prefix] = scores
        return found

    def preempt(self, pod: PodInfo, candidates: list[Candidate]) -> tuple[list[Candidate], Status | None]:
        """(candidates that every extender with a preempt verb keeps, failure)."""
        for extender in self._extenders:
            if not candidates:
                break
            if not extender.configuration.preempt_verb or not extender.interested(pod):
                continue
            kept, failure = extender.preempt(pod, candidates, self.cycle)
            if failure is not None:
                if extender.configuration.ignorable:
                    continue
                return [], failure
            candidates = kept
        return candidates, None

    def bind(self, pod: PodInfo, node: str, cycle: Cycle) -> tuple[bool, Status | None]:
        """(whether an extender took the binding, failure)."""
        for extender in self._extenders:
            if not extender.configuration.bind_verb or not extender.interested(pod):
                continue
            failure = extender.bind(pod, node, cycle)
            if failure is None:
                refusal = self._bind(pod, node)
                return True, error(refusal) if refusal else None
            if not extender.configuration.ignorable:
                return True, failure
        return False, None
