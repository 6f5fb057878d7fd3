"""Which events wake the pods that a learner's plugin rejected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.custom.plugins.compiling import Compiled, CompiledPlugin
from scheduler_lab.engine.custom.plugins.evaluation import Evaluation, EvaluationError
from scheduler_lab.engine.custom.plugins.event_names import ACTIONS, RESOURCES
from scheduler_lab.engine.custom.plugins.results import truth_of
from scheduler_lab.engine.custom.plugins.sources import Sources
from scheduler_lab.engine.framework.events import Hint, Registration
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.lab_plugin import PluginEvent
from scheduler_lab.engine.queue.hints import default_registrations


def registrations(
    events: Sequence[PluginEvent] | None, compiled: CompiledPlugin, sources: Sources, gates: FeatureGates
) -> list[Registration]:
    """The listed events, or every event that wakes a plugin without a list."""
    if events is None:
        return default_registrations(gates.enabled("GenericWorkload"))
    found = []
    for index, event in enumerate(events):
        action = reduce(or_, (ACTIONS[name] for name in event.actions or ("All",)))
        expression = compiled.hints.get(index)
        hint = _hint(expression, compiled, sources) if expression is not None else None
        found.append(Registration(RESOURCES[event.resource], action, hint))
    return found


def _hint(expression: Compiled, compiled: CompiledPlugin, sources: Sources) -> Callable[[Any, Any, Any], Hint]:
    def hint(pod: PodInfo, old: Any, new: Any) -> Hint:
        try:
            value = Evaluation(compiled, sources.event(pod, old, new)).value(expression)
            return Hint.QUEUE if truth_of(value, expression.label) else Hint.SKIP
        except EvaluationError as failure:
            # The queue takes an error for Queue, as upstream does.
            raise ValueError(str(failure)) from None

    return hint
