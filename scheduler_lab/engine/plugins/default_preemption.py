"""DefaultPreemption: evict less important pods when no node is feasible.

Extension points: PreEnqueue, PostFilter. Arguments: minCandidateNodesPercentage 10 (0–100) and
minCandidateNodesAbsolute 100 (≥ 0), not both 0. Reasons, each prefixed `preemption: `:
`not eligible due to preemptionPolicy=Never.`, `not eligible due to a terminating pod on the nominated node.`,
`no candidate node for preemption`, or a nested `0/N nodes are available: …`. PreEnqueue:
`waiting for the preemption for this pod to be finished`. Hint: Pod/Delete never queues by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from scheduler_lab.engine.configuration.types import DefaultPreemptionArgs
from scheduler_lab.engine.evidence import N_, Evidence, Row, Table, Text, text
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.runtime import quoted
from scheduler_lab.engine.framework.status import Code, Status, error, unresolvable, unschedulable
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.policy import PodDisruptionBudget
from scheduler_lab.engine.scheduler.eviction import BY_SCHEDULER, DISRUPTION_TARGET, clear_nominations, evict
from scheduler_lab.engine.scheduler.fit_error import Diagnosis, fit_message
from scheduler_lab.engine.scheduler.handle import ProfileHandle
from scheduler_lab.engine.scheduler.preemption import Candidate, DryRun, by_importance, choose, split_by_budgets

NEVER = "Never"
NOT_HELPFUL = unresolvable("Preemption is not helpful for scheduling")
NO_VICTIMS = unresolvable("No preemption victims found for incoming pod")
IN_PROGRESS = unresolvable("waiting for the preemption for this pod to be finished")
PREFIX = "preemption: "


class DefaultPreemption:
    """Preemption as kube-scheduler v1.35 does it by default."""

    name: ClassVar[str] = "DefaultPreemption"

    def __init__(self, args: DefaultPreemptionArgs, handle: ProfileHandle) -> None:
        self._args = args
        self._handle = handle
        self._asynchronous = handle.gates.enabled("SchedulerAsyncPreemption")
        self._preempting: set[str] = set()
        self._last_victim: dict[str, PodInfo] = {}
        self._dry_runs: list[DryRun] = []
        self._chosen = ("", "", 0)

    # -- PreEnqueue --------------------------------------------------------------------------------------------

    def pre_enqueue(self, pod: PodInfo) -> Status | None:
        """Hold the pod while its own evictions are still being issued."""
        if not self._asynchronous:
            return None
        if pod.uid in self._preempting:
            return IN_PROGRESS
        victim = self._last_victim.get(pod.uid)
        if victim is not None:
            current: Pod | None = self._handle.store.get("Pod", victim.namespace, victim.pod.metadata.name)
            if current is not None and current.metadata.uid == victim.uid and not current.metadata.deletion_timestamp:
                return IN_PROGRESS
            del self._last_victim[pod.uid]
        return None

    def events_to_register(self) -> Sequence[Registration]:
        """A victim's deletion is heard, so that the pod can leave the gate, but does not wake by itself."""
        if not self._asynchronous:
            return []
        return [Registration(Resource.POD, Action.DELETE, lambda pod, old, new: Hint.SKIP)]

    # -- PostFilter --------------------------------------------------------------------------------------------

    def post_filter(self, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> tuple[str | None, Status | None]:
        """(node to nominate, status); see the module's docstring for the reasons."""
        self._dry_runs = []
        self._chosen = ("", "", 0)
        current = self._handle.store.get("Pod", pod.namespace, pod.pod.metadata.name)
        if current is None:
            return None, error(f"pods {quoted(pod.pod.metadata.name)} not found")
        pod = self._handle.pod_info(current)
        why_not = self._not_eligible(pod, statuses)
        if why_not:
            return None, unschedulable(PREFIX + why_not)
        candidates, dry_statuses, failure = self._find_candidates(state, pod, statuses)
        if failure is not None:
            return None, failure
        if not candidates:
            dry_statuses.absent = NOT_HELPFUL
            message = fit_message(Diagnosis(dry_statuses), len(self._handle.snapshot.nodes))
            return "", unschedulable(PREFIX + message)
        candidates, failure = self._handle.extenders.preempt(pod, candidates)
        if failure is not None:
            return None, failure
        if not candidates:
            return None, unschedulable(PREFIX + "no candidate node for preemption")
        best, criterion = choose(candidates)
        self._chosen = (best.node, criterion, len(candidates))
        self._handle.report_victims(best.victims)
        self._evict(pod, best)
        return best.node, None

    def _not_eligible(self, pod: PodInfo, statuses: NodeStatuses) -> str:
        if pod.pod.spec.preemption_policy == NEVER:
            return "not eligible due to preemptionPolicy=Never."
        nominated = pod.pod.status.nominated_node_name
        if not nominated or statuses.of(nominated).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return ""
        node = self._handle.snapshot.get(nominated)
        for other in node.pods if node is not None else ():
            if other.priority < pod.priority and _being_preempted(other):
                return "not eligible due to a terminating pod on the nominated node."
        return ""

    # -- the dry run -------------------------------------------------------------------------------------------

    def _find_candidates(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[list[Candidate], NodeStatuses, Status | None]:
        nodes = [node for node in self._handle.snapshot.nodes if statuses.of(node.name).code is Code.UNSCHEDULABLE]
        wanted = self._candidates_wanted(len(nodes))
        budgets: list[PodDisruptionBudget] = self._handle.store.list("PodDisruptionBudget")
        candidates: list[Candidate] = []
        found = NodeStatuses()
        errors: list[str] = []
        harmless = False
        for node in sorted(nodes, key=lambda info: info.name):
            candidate, status = self._select_victims(state.clone(), pod, node.clone(), budgets)
            if candidate is not None:
                candidates.append(candidate)
                harmless = harmless or candidate.violations == 0
                if harmless and len(candidates) >= wanted:
                    break
                continue
            assert status is not None
            if status.code is Code.ERROR:
                errors.append(status.message)
            found[node.name] = status
        if errors and not candidates:
            return [], found, error(PREFIX + _together(errors))
        return candidates, found, None

    def _candidates_wanted(self, nodes: int) -> int:
        percentage = self._args.min_candidate_nodes_percentage
        absolute = self._args.min_candidate_nodes_absolute
        share = nodes * (10 if percentage is None else percentage) // 100
        return min(max(share, 100 if absolute is None else absolute), nodes)

    def _select_victims(
        self, state: CycleState, pod: PodInfo, node: NodeInfo, budgets: Sequence[PodDisruptionBudget]
    ) -> tuple[Candidate | None, Status | None]:
        """Take away everything less important, then give back what can stay, the protected and important first."""
        run = DryRun(node.name)
        self._dry_runs.append(run)
        removed = [other for other in node.pods if other.priority < pod.priority]
        for other in removed:
            status = self._remove(state, pod, other, node)
            if status is not None:
                return None, status
        if not removed:
            run.why_not = NO_VICTIMS.message
            return None, NO_VICTIMS
        run.removed = [other.key for other in removed]
        status = self._handle.filter_with_nominated_pods(state, pod, node)
        if status is not None:
            run.why_not = status.message
            return None, status
        violating, others = split_by_budgets(by_importance(removed), budgets)
        victims: list[PodInfo] = []
        for group in (violating, others):
            for other in group:
                stays, status = self._reprieve(state, pod, other, node)
                if status is not None:
                    return None, status
                (run.reprieved.append(other.key) if stays else victims.append(other))
        run.violations = sum(1 for other in victims if other in violating)
        if violating and others:
            victims = by_importance(victims)
        if not victims:
            return None, error(f"expected at least one victim pod on node {quoted(node.name)}")
        run.victims = [other.key for other in victims]
        run.priorities = [other.priority for other in victims]
        return Candidate(node.name, victims, run.violations), None

    def _remove(self, state: CycleState, pod: PodInfo, other: PodInfo, node: NodeInfo) -> Status | None:
        node.remove_pod(other.uid)
        return self._handle.remove_pod(state, pod, other, node)

    def _reprieve(self, state: CycleState, pod: PodInfo, other: PodInfo, node: NodeInfo) -> tuple[bool, Status | None]:
        """(whether the other pod can stay, failure)."""
        node.add_pod(other)
        status = self._handle.add_pod(state, pod, other, node)
        if status is not None:
            return False, status
        if self._handle.filter_with_nominated_pods(state, pod, node) is None:
            return True, None
        return False, self._remove(state, pod, other, node)

    # -- eviction ----------------------------------------------------------------------------------------------

    def _evict(self, pod: PodInfo, chosen: Candidate) -> None:
        if not self._asynchronous:
            for victim in chosen.victims:
                evict(self._handle, self.name, pod, victim, chosen.node)
            clear_nominations(self._handle, pod, chosen.node)
            return
        victims = [victim for victim in chosen.victims if not victim.pod.metadata.deletion_timestamp]
        if not victims:
            return
        self._preempting.add(pod.uid)

        def evict_all() -> None:
            clear_nominations(self._handle, pod, chosen.node)
            for victim in victims[:-1]:
                evict(self._handle, self.name, pod, victim, chosen.node)
            self._last_victim[pod.uid] = victims[-1]
            self._preempting.discard(pod.uid)
            evict(self._handle, self.name, pod, victims[-1], chosen.node)
            # A victim that waited on Permit is still there, but has been rejected: nothing is left to wait for.
            self._last_victim.pop(pod.uid, None)

        self._handle.run_later(evict_all)

    # -- evidence ----------------------------------------------------------------------------------------------

    def explain_post_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """The dry run on every node that preemption could help."""
        runs = self._dry_runs
        if not runs:
            return None
        columns = [
            text(N_("Node")),
            text(N_("Less important pods")),
            text(N_("Can stay")),
            text(N_("Victims")),
            text(N_("Their priorities")),
            text(N_("PDB violations")),
            text(N_("Why not")),
        ]
        rows = [
            [
                run.node,
                ", ".join(run.removed),
                ", ".join(run.reprieved),
                ", ".join(run.victims),
                ", ".join(map(str, run.priorities)),
                str(run.violations) if run.victims else "",
                run.why_not,
            ]
            for run in runs
        ]
        node = self._chosen[0]
        marked = [index for index, run in enumerate(runs) if (run.node == node if node else run.victims)]
        priority = Row(text(N_("Priority of the pod")), str(pod.priority), amount=pod.priority)
        return Evidence(self._sentence(pod), rows=[priority], table=Table(columns, rows, marked))

    def _sentence(self, pod: PodInfo) -> Text:
        """What the dry runs came to, and what made one node the best."""
        node, criterion, candidates = self._chosen
        if node:
            return text(_BECAUSE[criterion], node=node, nodes=candidates)
        runs = self._dry_runs
        nodes = ", ".join(run.node for run in runs[:5])
        names: dict[str, str | int] = {"pod": pod.key, "priority": pod.priority, "nodes": nodes}
        if not any(run.removed for run in runs):
            return text(
                N_("No pod on %(nodes)s has a lower priority than the %(priority)d of %(pod)s: nobody may be evicted."),
                **names,
            )
        if not any(run.victims for run in runs):
            why = "; ".join(dict.fromkeys(run.why_not for run in runs if run.removed and run.why_not))
            return text(
                N_("Even without every pod of lower priority, %(nodes)s would not take %(pod)s: %(why)s."),
                why=why,
                **names,
            )
        return text(N_("Evicting pods of lower priority would make room, but no node was left to choose."))


_BECAUSE = {
    "only": N_("Only on %(node)s would evicting pods of lower priority make room."),
    "violations": N_(
        "Evictions would make room on %(nodes)d nodes; %(node)s is taken, because fewest of its victims are protected "
        "by a PodDisruptionBudget."
    ),
    "priority": N_(
        "Evictions would make room on %(nodes)d nodes; %(node)s is taken, because its most important victim has the "
        "lowest priority."
    ),
    "sum": N_(
        "Evictions would make room on %(nodes)d nodes; %(node)s is taken, because the priorities of its victims have "
        "the smallest sum."
    ),
    "count": N_(
        "Evictions would make room on %(nodes)d nodes; %(node)s is taken, because it needs the fewest victims."
    ),
    "start": N_(
        "Evictions would make room on %(nodes)d nodes; %(node)s is taken, because the oldest of its most important "
        "victims started last."
    ),
    "order": N_(
        "Evictions would make room on %(nodes)d nodes, all equally good; the lab takes the first, %(node)s, and "
        "kube-scheduler any of them."
    ),
}
"""Why a node was chosen, by the criterion that decided."""


def _together(errors: Sequence[str]) -> str:
    """Several errors in one text, as Kubernetes aggregates them: equal ones once, more than one in brackets."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def _being_preempted(pod: PodInfo) -> bool:
    """Whether the pod is terminating because the scheduler evicted it."""
    return bool(pod.pod.metadata.deletion_timestamp) and any(
        c.type == DISRUPTION_TARGET and c.status == "True" and c.reason == BY_SCHEDULER
        for c in pod.pod.status.conditions
    )
