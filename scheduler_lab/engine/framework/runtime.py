"""The one place where plugins are called: each extension point of the scheduling framework, in order.

Reading this file explains the framework of kube-scheduler v1.35: what each status code does at each point, what is
skipped, and what ends a cycle. It is also the only writer of a cycle's verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.interfaces import POINTS
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.record import Cycle, ScoreTable, Verdict

MAX_NODE_SCORE = 100
MAX_PERMIT_TIMEOUT_SECONDS = 15 * 60
SUCCESS = Code.SUCCESS.value


def quoted(text: str) -> str:
    """Go's %q for the plain names that appear in messages."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def verdict(plugin: str, status: Status | None, **more: Any) -> Verdict:
    """What the record keeps of a plugin's answer."""
    if status is None:
        return Verdict(plugin, SUCCESS, **more)
    return Verdict(plugin, status.code.value, status.reasons, **more)


def failed(what: str, plugin: str, status: Status) -> Status:
    """An Error status in upstream's wording for the point at which the plugin failed."""
    return Status(Code.ERROR, (f"{what} {quoted(plugin)}: {status.message}",), plugin)


Outcome = tuple[Status | None, tuple[Verdict, ...]]
"""The first failing Filter plugin's status or None, and the verdicts of those that ran."""


class FilterChain:
    """The Filter plugins of a cycle in order, without the skipped ones."""

    __slots__ = ("filters", "passed", "_rejections")

    def __init__(self, plugins: Sequence[Any]) -> None:
        self.filters: list[tuple[str, Any]] = [(plugin.name, plugin.filter) for plugin in plugins]
        self.passed = tuple(Verdict(name, SUCCESS) for name, _ in self.filters)
        self._rejections: dict[tuple[int, Status], Outcome] = {}

    def run(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Outcome:
        """Ask one plugin after the other about a node until one does not pass it."""
        for index, (name, judge) in enumerate(self.filters):
            status: Status | None = judge(state, pod, node)
            if status is not None and status.code is not Code.SUCCESS:
                return self.rejection(index, name, status)
        return None, self.passed

    def rejection(self, index: int, name: str, status: Status) -> Outcome:
        """What comes of a failing plugin; equal rejections share one list of verdicts."""
        key = (index, status)
        outcome = self._rejections.get(key)
        if outcome is None:
            verdicts = (*self.passed[:index], verdict(name, status))
            attributed = Status(status.code, status.reasons, name) if status.rejected else failed_filter(name, status)
            outcome = self._rejections[key] = (attributed, verdicts)
        return outcome


class Framework:
    """The plugins of one profile, instantiated, by extension point."""

    def __init__(
        self,
        scheduler_name: str,
        points: Mapping[str, Sequence[str]],
        weights: Mapping[str, int],
        plugins: Mapping[str, Any],
    ) -> None:
        self.scheduler_name = scheduler_name
        self.plugins = dict(plugins)
        self.weights = dict(weights)
        self._points: dict[str, list[Any]] = {
            point: [plugins[name] for name in points.get(point, ())] for point in POINTS
        }
        self._chains: dict[frozenset[str], FilterChain] = {}

    def at(self, point: str) -> list[Any]:
        """The plugins of an extension point (as the configuration spells it), in order."""
        return self._points[point]

    # -- queueing ----------------------------------------------------------------------------------------------

    def run_pre_enqueue(self, pod: PodInfo, first: str) -> Status | None:
        """Ask whether the pod may enter the queue, the plugin that held it last going first.

        Upstream asks the others in random order; here, as in the recorded runs, it is that of their names.
        """
        plugins = sorted(self.at("preEnqueue"), key=lambda plugin: (plugin.name != first, plugin.name))
        for plugin in plugins:
            status: Status | None = plugin.pre_enqueue(pod)
            if status is not None and status.code is not Code.SUCCESS:
                return Status(status.code, status.reasons, plugin.name)
        return None

    # -- filtering ---------------------------------------------------------------------------------------------

    def run_pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo], cycle: Cycle
    ) -> tuple[frozenset[str] | None, Status | None, set[str]]:
        """(the only nodes to look at or None for all, rejection or failure, plugins that narrowed the nodes)."""
        names: frozenset[str] | None = None
        skipped: set[str] = set()
        narrowing: set[str] = set()
        rejection: Status | None = None
        for plugin in self.at("preFilter"):
            result, status = plugin.pre_filter(state, pod, nodes)
            kept = (
                tuple(sorted(result))
                if result is not None and (status is None or status.code is not Code.SKIP)
                else None
            )
            cycle.pre_filter.append(verdict(plugin.name, status, node_names=kept))
            if status is not None and status.code is not Code.SUCCESS:
                if status.code is Code.SKIP:
                    skipped.add(plugin.name)
                    continue
                if not status.rejected:
                    return None, failed("running PreFilter plugin", plugin.name, status), narrowing
                rejection = Status(status.code, status.reasons, plugin.name)
                if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
                    return None, rejection, narrowing
                continue
            if result is None:
                continue
            narrowing.add(plugin.name)
            names = result if names is None else names & result
            if not names:
                return names, Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (_no_node_left(narrowing),)), narrowing
        state.skip_filter = frozenset(skipped)
        return names, rejection, narrowing

    def run_filters(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Outcome:
        """(the first failing plugin's status or None, verdicts of the plugins that ran), for one node."""
        return self.filter_chain(state).run(state, pod, node)

    def filter_chain(self, state: CycleState) -> FilterChain:
        """The Filter plugins that this cycle's PreFilter did not skip."""
        skipped = state.skip_filter
        chain = self._chains.get(skipped)
        if chain is None:
            chain = self._chains[skipped] = FilterChain([p for p in self.at("filter") if p.name not in skipped])
        return chain

    def run_add_pod(self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) -> Status | None:
        """Tell the PreFilter plugins that were not skipped that `added` is now on the node."""
        return self._run_extension("add_pod", "AddPod", state, pod, added, node)

    def run_remove_pod(self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo) -> Status | None:
        """Tell the PreFilter plugins that were not skipped that `removed` has left the node."""
        return self._run_extension("remove_pod", "RemovePod", state, pod, removed, node)

    def _run_extension(
        self, method: str, title: str, state: CycleState, pod: PodInfo, other: PodInfo, node: NodeInfo
    ) -> Status | None:
        for plugin in self.at("preFilter"):
            if plugin.name in state.skip_filter or not hasattr(plugin, method):
                continue
            status: Status | None = getattr(plugin, method)(state, pod, other, node)
            if status is not None and status.code is not Code.SUCCESS:
                return failed(f"running {title} on PreFilter plugin", plugin.name, status)
        return None

    def run_post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses, cycle: Cycle
    ) -> tuple[str | None, Status | None]:
        """(nomination: a node, "" to clear it or None to leave it; the status whose reasons end the message)."""
        nominated: str | None = None
        reasons: list[str] = []
        for plugin in self.at("postFilter"):
            node, status = plugin.post_filter(state, pod, statuses)
            cycle.post_filter.append(verdict(plugin.name, status, nominated_node=node or ""))
            if status is None or status.code is Code.SUCCESS:
                return node, None
            if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
                return node, status
            if not status.rejected:
                return None, Status(Code.ERROR, status.reasons, plugin.name)
            reasons.extend(status.reasons)
            if node is not None:
                nominated = node
        return nominated, Status(Code.UNSCHEDULABLE, tuple(reasons)) if reasons else None

    # -- scoring -----------------------------------------------------------------------------------------------

    def run_pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo], cycle: Cycle) -> Status | None:
        """Let the Score plugins prepare; those that answer Skip give no scores in this cycle."""
        skipped: set[str] = set()
        for plugin in self.at("preScore"):
            status: Status | None = plugin.pre_score(state, pod, nodes)
            cycle.pre_score.append(verdict(plugin.name, status))
            if status is None or status.code is Code.SUCCESS:
                continue
            if status.code is not Code.SKIP:
                return failed("running PreScore plugin", plugin.name, status)
            skipped.add(plugin.name)
        state.skip_score = frozenset(skipped)
        return None

    def run_score(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo], table: ScoreTable
    ) -> tuple[dict[str, int], Status | None]:
        """(total of weighted scores by node, failure): score, normalise, check the range, weigh."""
        plugins = [plugin for plugin in self.at("score") if plugin.name not in state.skip_score]
        failure = self._raw_scores(state, pod, nodes, plugins, table)
        if failure is not None:
            return {}, failure
        for plugin in plugins:
            scores = table.raw[plugin.name]
            if hasattr(plugin, "normalize_score"):
                scores = dict(scores)
                status = plugin.normalize_score(state, pod, scores)
                if status is not None and status.code is not Code.SUCCESS:
                    return {}, _normalize_failure(plugin.name, status)
            table.normalized[plugin.name] = scores
        table.weights = {plugin.name: self.weights[plugin.name] for plugin in plugins}
        sums = [0] * len(table.nodes)
        for name, weight in table.weights.items():
            values = table.normalized[name].values()
            if min(values) < 0 or max(values) > MAX_NODE_SCORE:
                table.weighed = False
                return {}, _range_failure(name, next(v for v in values if not 0 <= v <= MAX_NODE_SCORE))
            sums = [total + value * weight for total, value in zip(sums, values, strict=True)]
        return dict(zip(table.nodes, sums, strict=True)), None

    @staticmethod
    def _raw_scores(
        state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo], plugins: Sequence[Any], table: ScoreTable
    ) -> Status | None:
        """Ask every plugin about every node; an Error status ends it."""
        for plugin in plugins:
            score = plugin.score
            values = [score(state, pod, node) for node in nodes]
            if Status in map(type, values):
                return _score_failure("plugin", plugin.name, next(v for v in values if isinstance(v, Status)))
            table.raw[plugin.name] = dict(zip(table.nodes, values, strict=True))
        return None

    # -- reserving and permitting --------------------------------------------------------------------------------

    def run_reserve(self, state: CycleState, pod: PodInfo, node: str, cycle: Cycle) -> Status | None:
        """Set things aside on the chosen node; the first failure ends it."""
        for plugin in self.at("reserve"):
            status: Status | None = plugin.reserve(state, pod, node)
            cycle.reserve.append(verdict(plugin.name, status))
            if status is not None and status.code is not Code.SUCCESS:
                return _rejection_or_failure("running Reserve plugin", plugin.name, status)
        return None

    def run_unreserve(self, state: CycleState, pod: PodInfo, node: str, cycle: Cycle) -> None:
        """Give everything back, in reverse order, also by plugins that had reserved nothing."""
        for plugin in reversed(self.at("reserve")):
            plugin.unreserve(state, pod, node)
            cycle.unreserve.append(verdict(plugin.name, None))

    def run_permit(
        self, state: CycleState, pod: PodInfo, node: str, cycle: Cycle
    ) -> tuple[Status | None, dict[str, float]]:
        """(rejection or failure, seconds each plugin wants to wait at most)."""
        waits: dict[str, float] = {}
        for plugin in self.at("permit"):
            status, timeout = plugin.permit(state, pod, node)
            if status is None or status.code is Code.SUCCESS:
                cycle.permit.append(verdict(plugin.name, status))
            elif status.code is Code.WAIT:
                waits[plugin.name] = min(timeout, MAX_PERMIT_TIMEOUT_SECONDS)
                cycle.permit.append(verdict(plugin.name, status, timeout_seconds=_plain(timeout)))
            else:
                cycle.permit.append(verdict(plugin.name, status))
                return _rejection_or_failure("running Permit plugin", plugin.name, status), {}
        return None, waits

    # -- binding -----------------------------------------------------------------------------------------------

    def run_pre_bind_pre_flight(
        self, state: CycleState, pod: PodInfo, node: str, cycle: Cycle
    ) -> tuple[bool, Status | None]:
        """(whether some PreBind plugin has work to do, failure)."""
        skipped: set[str] = set()
        work = False
        for plugin in self.at("preBind"):
            status: Status | None = plugin.pre_bind_pre_flight(state, pod, node)
            cycle.pre_bind_pre_flight.append(verdict(plugin.name, status))
            if status is None or status.code is Code.SUCCESS:
                work = True
            elif status.code is Code.SKIP:
                skipped.add(plugin.name)
            elif status.code is Code.ERROR:
                return work, failed("running PreBindPreFlight", plugin.name, status)
            else:
                return work, _pre_flight_unsupported(plugin.name, status)
        state.skip_pre_bind = frozenset(skipped)
        return work, None

    def run_pre_bind(self, state: CycleState, pod: PodInfo, node: str, cycle: Cycle) -> Status | None:
        """Do the work that must come before binding."""
        for plugin in self.at("preBind"):
            if plugin.name in state.skip_pre_bind:
                continue
            status: Status | None = plugin.pre_bind(state, pod, node)
            cycle.pre_bind.append(verdict(plugin.name, status))
            if status is not None and status.code is not Code.SUCCESS:
                return _rejection_or_failure("running PreBind plugin", plugin.name, status)
        return None

    def run_bind(self, state: CycleState, pod: PodInfo, node: str, cycle: Cycle) -> Status | None:
        """Bind through the first Bind plugin that does not Skip."""
        answer: Status | None = Status(Code.SKIP)
        for plugin in self.at("bind"):
            answer = plugin.bind(state, pod, node)
            cycle.bind.append(verdict(plugin.name, answer))
            if answer is None or answer.code is Code.SUCCESS:
                return None
            if answer.code is Code.SKIP:
                continue
            return _rejection_or_failure("running Bind plugin", plugin.name, answer)
        return answer

    def run_post_bind(self, state: CycleState, pod: PodInfo, node: str, cycle: Cycle) -> None:
        """Tell whoever wants to know that the pod is bound."""
        for plugin in self.at("postBind"):
            plugin.post_bind(state, pod, node)
            cycle.post_bind.append(verdict(plugin.name, None))


def failed_filter(plugin: str, status: Status) -> Status:
    """A Filter plugin that neither passed nor rejected the node fails the whole cycle."""
    return Status(Code.ERROR, (f"running {quoted(plugin)} filter plugin: {status.message}",), plugin)


def _no_node_left(plugins: set[str]) -> str:
    names = sorted(plugins)
    if len(names) == 1:
        return f"node(s) didn't satisfy plugin {names[0]}"
    return f"node(s) didn't satisfy plugin(s) [{' '.join(names)}] simultaneously"


def _rejection_or_failure(what: str, plugin: str, status: Status) -> Status:
    if status.rejected:
        return Status(status.code, status.reasons, plugin)
    return failed(what, plugin, status)


def _score_failure(kind: str, plugin: str, status: Status) -> Status:
    text = f"running Score plugins: {kind} {quoted(plugin)} failed with: {status.message}"
    return Status(Code.ERROR, (text,), plugin)


def _normalize_failure(plugin: str, status: Status) -> Status:
    text = f"running Normalize on Score plugins: plugin {quoted(plugin)} failed with: {status.message}"
    return Status(Code.ERROR, (text,), plugin)


def _range_failure(plugin: str, score: int) -> Status:
    text = (
        f"applying score defaultWeights on Score plugins: plugin {quoted(plugin)} returns an invalid score {score}, "
        f"it should in the range of [0, {MAX_NODE_SCORE}] after normalizing"
    )
    return Status(Code.ERROR, (text,), plugin)


def _pre_flight_unsupported(plugin: str, status: Status) -> Status:
    text = (
        f"PreBindPreFlight {plugin} returned {quoted(status.code.value)}, which is unsupported. "
        "It is supposed to return Success, Skip, or Error status"
    )
    return Status(Code.ERROR, (text,), plugin)


def _plain(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds
