"""A learner's plugin as the framework calls it: each extension point evaluates its expression.

The methods are those of every plugin; which of them serve is a matter of the document, by `CustomPlugins.points`.
An expression that fails, or gives what its extension point cannot use, is an Error status, as a Go plugin that returns
an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scheduler_lab.engine.custom.plugins.compiling import Compiled, CompiledPlugin
from scheduler_lab.engine.custom.plugins.evaluation import Evaluation, EvaluationError
from scheduler_lab.engine.custom.plugins.events import registrations
from scheduler_lab.engine.custom.plugins.evidence import explain
from scheduler_lab.engine.custom.plugins.results import (
    Rule,
    Wishes,
    no_nomination,
    nodes_of,
    nomination_of,
    permit_of,
    score_of,
    state_of,
    status_of,
    text_of,
    truth_of,
    wishes_of,
)
from scheduler_lab.engine.custom.plugins.sources import PluginState, Sources
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Registration
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import SKIP, Code, Status, error
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.lab_plugin import Plugin, PluginPermit, PluginRule
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.scheduler.eviction import clear_nominations, evict
from scheduler_lab.engine.scheduler.handle import ProfileHandle

NotedFailure = Callable[[str, str], None]
"""Told (plugin, failure) when an extension point that has no way to report an error fails."""


class CustomPlugin:
    """One lab/v1 Plugin in one profile."""

    def __init__(
        self,
        document: Plugin,
        compiled: CompiledPlugin,
        args: Mapping[str, Any],
        handle: ProfileHandle,
        failed: NotedFailure,
    ) -> None:
        self.name = document.metadata.name
        self._document = document
        self._compiled = compiled
        self._handle = handle
        self._failed = failed
        self._sources = Sources(self.name, compiled.members, args, handle)
        self._once: dict[str, Evaluation] = {}

    # -- evaluating --------------------------------------------------------------------------------------------

    def _expression(self, point: str) -> Compiled | None:
        return self._compiled.points.get(point)

    def _evaluation(self, sources: Mapping[str, Callable[[], object]]) -> Evaluation:
        return Evaluation(self._compiled, sources)

    def _rule(self, point: str, written: PluginRule | None, evaluation: Evaluation) -> Rule:
        rule = written or PluginRule()

        def reason() -> str:
            expression = self._compiled.reasons.get(point)
            if expression is not None:
                return text_of(evaluation.value(expression), f"{point} reason")
            by_default = "node(s) didn't satisfy" if point == "filter" else "rejected by"
            return rule.reason or f"{by_default} plugin {self.name}"

        return Rule(point, self.name, rule, reason)

    def _judge(self, point: str, written: PluginRule | None, evaluation: Evaluation) -> tuple[object, Status | None]:
        """(value, status) of an extension point that answers with a status."""
        expression = self._expression(point)
        if expression is None:
            return None, None
        try:
            value = evaluation.value(expression)
            return value, status_of(value, self._rule(point, written, evaluation))
        except EvaluationError as failure:
            return None, error(str(failure))

    def _remember(self, state: CycleState, value: object, point: str) -> Status | None:
        try:
            new = state_of(value, point)
        except EvaluationError as failure:
            return error(str(failure))
        if new:
            state.write(self._sources.key, PluginState({**self._sources.state(state), **new}))
        return None

    # -- queueing ----------------------------------------------------------------------------------------------

    def less(self, first: QueuedPod, second: QueuedPod) -> bool:
        """Whether `first` is scheduled before `second`; a failure is noted and counts as no."""
        expression = self._expression("queueSort")
        if expression is None:
            return False
        try:
            value = self._evaluation(self._sources.queued(first, second)).value(expression)
            return truth_of(value, "queueSort")
        except EvaluationError as failure:
            self._failed(self.name, str(failure))
            return False

    def pre_enqueue(self, pod: PodInfo) -> Status | None:
        """None to let the pod in, a rejection to hold it."""
        evaluation = self._evaluation(self._sources.pod(pod))
        return self._judge("preEnqueue", self._document.spec.pre_enqueue, evaluation)[1]

    def events_to_register(self) -> Sequence[Registration]:
        """The events that the document lists, or all that wake a plugin without a list."""
        return registrations(self._document.spec.events, self._compiled, self._sources, self._handle.gates)

    # -- filtering ---------------------------------------------------------------------------------------------

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """(names of the only nodes worth looking at or None for all, status)."""
        evaluation = self._once["preFilter"] = self._evaluation(self._sources.cycle(state, pod, nodes))
        value, status = self._judge("preFilter", self._document.spec.pre_filter, evaluation)
        if status is not None:
            return None, status
        try:
            return nodes_of(value), self._remember(state, value, "preFilter")
        except EvaluationError as failure:
            return None, error(str(failure))

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """None if the node can run the pod."""
        evaluation = self._evaluation(self._sources.on_node(state, pod, node))
        return self._judge("filter", self._document.spec.filter, evaluation)[1]

    def post_filter(self, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> tuple[str | None, Status | None]:
        """(node to nominate or None, status); victims are evicted before the next cycle."""
        expression = self._expression("postFilter")
        if expression is None:
            return None, Status(Code.UNSCHEDULABLE)
        evaluation = self._once["postFilter"] = self._evaluation(self._sources.rejected(state, pod, statuses))
        try:
            value = evaluation.value(expression)
            node, keys = nomination_of(value)
            if not node and not keys:
                return None, no_nomination(value, self._rule("postFilter", self._document.spec.post_filter, evaluation))
            node, victims = self._victims(node, keys)
        except EvaluationError as failure:
            return None, error(str(failure))
        if victims:
            self._handle.report_victims(victims)
            self._handle.run_later(lambda: self._evict(pod, node, victims))
        return node, None

    def _victims(self, node: str, keys: Sequence[str]) -> tuple[str, list[PodInfo]]:
        """(node, the pods of these keys on it); without a node that of the first pod."""
        snapshot = self._handle.snapshot
        if not node:
            node = next((info.name for info in snapshot.nodes for pod in info.pods if pod.key == keys[0]), "")
            if not node:
                raise EvaluationError(f"postFilter expression: there is no pod {keys[0]} on any node")
        info = snapshot.get(node)
        if info is None:
            raise EvaluationError(f"postFilter expression: there is no node {node}")
        on_node = {pod.key: pod for pod in info.pods}
        missing = next((key for key in keys if key not in on_node), None)
        if missing is not None:
            raise EvaluationError(f"postFilter expression: there is no pod {missing} on the node {node}")
        return node, [on_node[key] for key in dict.fromkeys(keys)]

    def _evict(self, pod: PodInfo, node: str, victims: Sequence[PodInfo]) -> None:
        clear_nominations(self._handle, pod, node)
        for victim in victims:
            evict(self._handle, self.name, pod, victim, node)

    # -- scoring -----------------------------------------------------------------------------------------------

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Skip drops this plugin's scores for the cycle."""
        evaluation = self._evaluation(self._sources.cycle(state, pod, nodes))
        value, status = self._judge("preScore", self._document.spec.pre_score, evaluation)
        return status if status is not None else self._remember(state, value, "preScore")

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """The raw score, or an Error status."""
        expression = self._expression("score")
        if expression is None:
            return 0
        try:
            return score_of(self._evaluation(self._sources.on_node(state, pod, node)).value(expression), "score")
        except EvaluationError as failure:
            return error(str(failure))

    def normalize_score(self, state: CycleState, pod: PodInfo, scores: dict[str, int]) -> Status | None:
        """Change `scores` in place, node by node."""
        expression = self._expression("normalizeScore")
        if expression is None or not scores:
            return None
        given = self._sources.scored(state, pod, dict(scores))
        try:
            for name in scores:
                scores[name] = score_of(self._evaluation(given(name)).value(expression), "normalizeScore")
        except EvaluationError as failure:
            return error(str(failure))
        return None

    # -- reserving and permitting ------------------------------------------------------------------------------

    def reserve(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """None when the pod may have the node."""
        evaluation = self._once["reserve"] = self._evaluation(self._sources.chosen(state, pod, node))
        return self._judge("reserve", self._document.spec.reserve, evaluation)[1]

    def unreserve(self, state: CycleState, pod: PodInfo, node: str) -> None:
        """Do to waiting pods what the expression says; a failure is noted."""
        expression = self._expression("unreserve")
        if expression is None:
            return
        try:
            value = self._evaluation(self._sources.chosen(state, pod, node)).value(expression)
            wishes = wishes_of(value, "unreserve")
        except EvaluationError as failure:
            self._failed(self.name, str(failure))
            return
        reason = value.get("reason") if isinstance(value, dict) else ""
        self._fulfil(wishes, reason if isinstance(reason, str) and reason else f"rejected by plugin {self.name}")

    def permit(self, state: CycleState, pod: PodInfo, node: str) -> tuple[Status | None, float]:
        """(status, seconds to wait at most)."""
        expression = self._expression("permit")
        if expression is None:
            return None, 0.0
        evaluation = self._once["permit"] = self._evaluation(self._sources.chosen(state, pod, node))
        try:
            rule = self._rule("permit", self._document.spec.permit or PluginPermit(), evaluation)
            status, timeout, wishes = permit_of(evaluation.value(expression), rule)
        except EvaluationError as failure:
            return error(str(failure)), 0.0
        self._fulfil(wishes, f"rejected by plugin {self.name}")
        return status, timeout

    def _fulfil(self, wishes: Wishes, reason: str) -> None:
        for waiting in self._handle.waiting_pods():
            if waiting.key in wishes.allow:
                waiting.allow(self.name)
            elif waiting.key in wishes.reject:
                waiting.reject(self.name, reason)
        if wishes.activate:
            self._handle.activate(wishes.activate)

    # -- binding -----------------------------------------------------------------------------------------------

    def pre_bind_pre_flight(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Skip if the expression says that there is nothing to do."""
        expression = self._expression("preBindPreFlight")
        if expression is None:
            return None
        try:
            value = self._evaluation(self._sources.chosen(state, pod, node)).value(expression)
            return None if truth_of(value, "preBindPreFlight") else SKIP
        except EvaluationError as failure:
            return error(str(failure))

    def pre_bind(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """None when the pod may be bound."""
        evaluation = self._once["preBind"] = self._evaluation(self._sources.chosen(state, pod, node))
        return self._judge("preBind", self._document.spec.pre_bind, evaluation)[1]

    def post_bind(self, state: CycleState, pod: PodInfo, node: str) -> None:
        """Tell what the expression says, as an event of the pod; a failure is noted."""
        expression = self._expression("postBind")
        if expression is None:
            return
        evaluation = self._once["postBind"] = self._evaluation(self._sources.chosen(state, pod, node))
        try:
            text = text_of(evaluation.value(expression), "postBind")
        except EvaluationError as failure:
            self._failed(self.name, str(failure))
            return
        if text:
            self._handle.event("Normal", self.name, f"Pod {pod.key}", text)

    # -- evidence ----------------------------------------------------------------------------------------------

    def _explain_once(self, point: str, pod: PodInfo) -> Evidence | None:
        expression, evaluation = self._expression(point), self._once.get(point)
        if expression is None or evaluation is None:
            return None
        return explain(self.name, point, expression, evaluation, pod.key, "", self._document)

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """What the expression read, and what it made of it."""
        return self._explain_once("preFilter", pod)

    def explain_post_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """What the expression read, and what it made of it."""
        return self._explain_once("postFilter", pod)

    def explain_permit(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """What the expression read when it was asked, and what it made of it."""
        return self._explain_once("permit", pod)

    def explain_reserve(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """What the expression read of the chosen node, and what it made of it."""
        return self._explain_once("reserve", pod)

    def explain_pre_bind(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """What the expression read of the chosen node, and what it made of it."""
        return self._explain_once("preBind", pod)

    def explain_post_bind(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """What the expression read of the chosen node, and what it made of it."""
        return self._explain_once("postBind", pod)

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """What the expression read of the node, and what it made of it."""
        return self._explain_on_node("filter", state, pod, node)

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """What the expression read of the node, and what it made of it."""
        return self._explain_on_node("score", state, pod, node)

    def _explain_on_node(self, point: str, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        expression = self._expression(point)
        if expression is None:
            return None
        evaluation = self._evaluation(self._sources.on_node(state, pod, node))
        return explain(self.name, point, expression, evaluation, pod.key, node.name, self._document)
