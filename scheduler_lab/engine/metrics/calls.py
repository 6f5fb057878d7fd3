"""Counts the calls of plugins and of extension points, by putting a counter in front of each.

kube-scheduler v1.35 counts a plugin's Filter and Score on every call, also in preemption's dry runs, and its
PreFilter and PreScore unless they answer Skip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.metrics.families import Histogram
from scheduler_lab.engine.record import Cycle

SUCCESS = Code.SUCCESS.value
PREEMPTION = "DefaultPreemption"
EvaluationKey = tuple[str, str, str]
"""extension point, plugin, profile"""
PointKey = tuple[str, str, str]
"""extension point, profile, status"""

_EVALUATED = (
    ("PreFilter", "preFilter", "pre_filter"),
    ("Filter", "filter", "filter"),
    ("PreScore", "preScore", "pre_score"),
    ("Score", "score", "score"),
)


class Calls:
    """The counters of one scheduler process."""

    def __init__(self, victims: Histogram, begun: Callable[[], tuple[int, bool]]) -> None:
        self.evaluations: Counter[EvaluationKey] = Counter()
        self.points: Counter[PointKey] = Counter()
        self.preemptions = 0
        self.goroutines = 0
        self._victims = victims
        self._begun = begun

    def watch(self, framework: Framework) -> None:
        """Count the calls of a profile from now on."""
        for point, key, method in _EVALUATED:
            for plugin in framework.at(key):
                self._watch_plugin(point, plugin, method, framework.scheduler_name)
        for plugin in framework.at("postFilter"):
            if plugin.name == PREEMPTION:
                plugin.post_filter = self._preempting(plugin.post_filter)
        for method, (point, status) in _POINTS.items():
            setattr(framework, method, self._running(framework, method, point, status))

    def _watch_plugin(self, point: str, plugin: Any, method: str, profile: str) -> None:
        call = getattr(plugin, method)
        key = (point, plugin.name, profile)
        counts = self.evaluations
        counts[key] += 0
        skippable = point.startswith("Pre")

        def counted(*args: Any) -> Any:
            answer = call(*args)
            if not (skippable and _code(answer) == Code.SKIP.value):
                counts[key] += 1
            return answer

        setattr(plugin, method, counted)

    def _running(self, framework: Framework, method: str, point: str, status: Callable[..., str]) -> Callable[..., Any]:
        call = getattr(framework, method)

        def counted(*args: Any) -> Any:
            answer = call(*args)
            self.points[point, framework.scheduler_name, status(answer, args)] += 1
            return answer

        return counted

    def _preempting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            self.preemptions += 1
            node, status = call(*args)
            if status is None and node:
                victims, begins = self._begun()
                if begins:
                    self._victims.observe(victims)
                    self.goroutines += 1
            return node, status

        return counted


def _code(answer: Any) -> str:
    """The code of a plugin's answer, which may stand beside a result."""
    status = answer[-1] if isinstance(answer, tuple) else answer
    return status.code.value if isinstance(status, Status) else SUCCESS


def _of_answer(answer: Any, args: tuple[Any, ...]) -> str:
    return _code(answer)


def _of_pre_filter(answer: Any, args: tuple[Any, ...]) -> str:
    return _code(answer[:2])


def _of_post_filter(answer: Any, args: tuple[Any, ...]) -> str:
    cycle: Cycle = args[-1]
    last = cycle.post_filter[-1].code
    if last == Code.PENDING.value:
        return Code.UNSCHEDULABLE.value
    return last if last in _POST_FILTER else Code.ERROR.value


def _of_permit(answer: Any, args: tuple[Any, ...]) -> str:
    status, waits = answer
    return Code.WAIT.value if status is None and waits else _code(status)


def _of_pre_flight(answer: Any, args: tuple[Any, ...]) -> str:
    work, failure = answer
    if failure is not None:
        return Code.ERROR.value
    return SUCCESS if work else Code.SKIP.value


def _always(answer: Any, args: tuple[Any, ...]) -> str:
    return SUCCESS


_POST_FILTER = (SUCCESS, Code.UNSCHEDULABLE.value, Code.UNSCHEDULABLE_AND_UNRESOLVABLE.value)
_POINTS: dict[str, tuple[str, Callable[..., str]]] = {
    "run_pre_filter": ("PreFilter", _of_pre_filter),
    "run_post_filter": ("PostFilter", _of_post_filter),
    "run_pre_score": ("PreScore", _of_answer),
    "run_score": ("Score", _of_answer),
    "run_reserve": ("Reserve", _of_answer),
    "run_unreserve": ("Unreserve", _always),
    "run_permit": ("Permit", _of_permit),
    "run_pre_bind_pre_flight": ("PreBindPreFlight", _of_pre_flight),
    "run_pre_bind": ("PreBind", _of_answer),
    "run_bind": ("Bind", _of_answer),
    "run_post_bind": ("PostBind", _always),
}
