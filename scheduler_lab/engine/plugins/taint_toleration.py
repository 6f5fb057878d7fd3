"""TaintToleration: taints repel pods that do not tolerate them.

Extension points: Filter, PreScore, Score (default weight 3), NormalizeScore. Arguments: none.
Filter looks at taints with effect NoSchedule or NoExecute, in order.
Reason (UnschedulableAndUnresolvable): `node(s) had untolerated taint(s)`; v1.35 does not name the taint.
Score: the number of PreferNoSchedule taints that none of the pod's tolerations with effect PreferNoSchedule (or
without effect) tolerates. Normalized in reverse: score = 100 − 100 × count ÷ highest count; all zero → 100 everywhere.
PreScore never skips; without it Score fails: `failed to read "PreScoreTaintToleration" from cycleState: not found`.
Queueing hints: Node/Add|UpdateNodeTaint, Queue when the node was new or untolerated and is tolerated now;
Pod/UpdatePodToleration, Queue for the pod itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, text
from scheduler_lab.engine.evidence.marks import node_mark, pod_mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status, error, unresolvable
from scheduler_lab.engine.objects.affinity import Taint, Toleration
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.selectors import tolerates, tolerates_any
from scheduler_lab.engine.plugins.scoring import default_normalize

_UNTOLERATED = unresolvable("node(s) had untolerated taint(s)")
_KEY = "PreScoreTaintToleration"
_NO_STATE = error(f'failed to read "{_KEY}" from cycleState: not found')
_HARD = ("NoSchedule", "NoExecute")
_SOFT = "PreferNoSchedule"


class _PreferTolerations:
    """The pod's tolerations that can tolerate PreferNoSchedule taints."""

    __slots__ = ("tolerations",)

    def __init__(self, pod: PodInfo) -> None:
        self.tolerations = [t for t in pod.pod.spec.tolerations if t.effect in ("", _SOFT)]

    def clone(self) -> _PreferTolerations:
        return self


class TaintToleration:
    """Models kube-scheduler v1.35 TaintToleration."""

    name: ClassVar[str] = "TaintToleration"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._comparison = handle.gates.enabled("TaintTolerationComparisonOperators")

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a node with a NoSchedule or NoExecute taint that the pod does not tolerate."""
        if node.node is None or not node.node.spec.taints:
            return None
        return None if self._tolerated(pod, node.node.spec.taints) else _UNTOLERATED

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Picks the tolerations that matter for PreferNoSchedule."""
        state.write(_KEY, _PreferTolerations(pod))
        return None

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """How many PreferNoSchedule taints are not tolerated."""
        prefer: _PreferTolerations | None = state.read(_KEY)
        if prefer is None:
            return _NO_STATE
        if node.node is None or not node.node.spec.taints:
            return 0
        return sum(
            taint.effect == _SOFT and not tolerates_any(prefer.tolerations, taint, self._comparison)
            for taint in node.node.spec.taints
        )

    def normalize_score(self, state: CycleState, pod: PodInfo, scores: dict[str, int]) -> Status | None:
        """The node with most untolerated taints gets 0, nodes without any 100."""
        default_normalize(scores, reverse=True)
        return None

    def events_to_register(self) -> Sequence[Registration]:
        """Nodes whose taints become tolerated, and the pod's own tolerations."""
        return [
            Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT, self._node_changed),
            Registration(Resource.POD, Action.UPDATE_POD_TOLERATION, _tolerations_changed),
        ]

    def _tolerated(self, pod: PodInfo, taints: list[Taint]) -> bool:
        tolerations = pod.pod.spec.tolerations
        for taint in taints:
            if taint.effect in _HARD and not tolerates_any(tolerations, taint, self._comparison):
                return False
        return True

    def _node_changed(self, waiting: PodInfo, old: Node | None, new: Node | None) -> Hint:
        if new is None or not self._tolerated(waiting, new.spec.taints):
            return Hint.SKIP
        was_tolerated = old is not None and self._tolerated(waiting, old.spec.taints)
        return Hint.SKIP if was_tolerated else Hint.QUEUE

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Every NoSchedule and NoExecute taint with the toleration that answers it."""
        tolerations = list(enumerate(pod.pod.spec.tolerations))
        table, marks, untolerated = self._match(pod, node, _HARD, tolerations)
        if not table.rows:
            sentence = text(N_("%(node)s has no NoSchedule or NoExecute taint."), node=node.name)
            return Evidence(sentence)
        if not untolerated:
            sentence = text(
                N_("%(pod)s tolerates every NoSchedule and NoExecute taint of %(node)s."), pod=pod.key, node=node.name
            )
            return Evidence(sentence, table=table, marks=marks)
        sentence = text(
            N_("%(pod)s does not tolerate %(taint)s of %(node)s. kube-scheduler's message does not name the taint."),
            pod=pod.key,
            taint=untolerated[0],
            node=node.name,
        )
        return Evidence(sentence, table=table, marks=marks)

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Every PreferNoSchedule taint with the toleration that answers it, and their count."""
        tolerations = [(i, t) for i, t in enumerate(pod.pod.spec.tolerations) if t.effect in ("", _SOFT)]
        table, marks, untolerated = self._match(pod, node, (_SOFT,), tolerations)
        sentence = text(
            N_(
                "%(pod)s does not tolerate %(count)d of the %(total)d PreferNoSchedule taints of %(node)s. "
                "Fewer is better: normalizing gives 100 to none and 0 to the most."
            ),
            pod=pod.key,
            count=len(untolerated),
            total=len(table.rows),
            node=node.name,
        )
        count = len(untolerated)
        label = text(N_("PreferNoSchedule taints not tolerated"))
        rows = [Row(label, str(count), "=", "bad" if count else "ok", count)]
        return Evidence(sentence, rows, table if table.rows else None, marks)

    def _match(
        self, pod: PodInfo, node: NodeInfo, effects: tuple[str, ...], tolerations: list[tuple[int, Toleration]]
    ) -> tuple[Table, list[Mark], list[str]]:
        """A row a taint of those effects; the marks that decided; the untolerated taints as text."""
        rows: list[list[str]] = []
        highlight: list[int] = []
        good: list[Mark] = []
        bad: list[Mark] = []
        untolerated: list[str] = []
        taints = node.node.spec.taints if node.node is not None else []
        for position, taint in enumerate(taints):
            if taint.effect not in effects:
                continue
            index = next((i for i, t in tolerations if tolerates(t, taint, self._comparison)), None)
            if index is None:
                highlight.append(len(rows))
                untolerated.append(taint_text(taint))
                bad.append(node_mark(node, f"spec.taints[{position}]"))
                rows.append([taint_text(taint), "—"])
            else:
                good += [node_mark(node, f"spec.taints[{position}]"), pod_mark(pod, f"spec.tolerations[{index}]")]
                rows.append([taint_text(taint), toleration_text(pod.pod.spec.tolerations[index])])
        table = Table([text(N_("Taint")), text(N_("Tolerated by"))], rows, highlight)
        return table, list(dict.fromkeys(bad or good)), untolerated


def taint_text(taint: Taint) -> str:
    """A taint as kubectl writes it: key=value:effect or key:effect."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def toleration_text(toleration: Toleration) -> str:
    """A toleration in one line: key, operator, value, effect, as far as they are set."""
    operator = toleration.operator or "Equal"
    value = "" if operator == "Exists" else f' "{toleration.value}"'
    effect = f":{toleration.effect}" if toleration.effect else ""
    return f"{toleration.key or '*'} {operator}{value}{effect}"


def _tolerations_changed(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    return Hint.QUEUE if new is not None and new.uid == waiting.uid else Hint.SKIP
