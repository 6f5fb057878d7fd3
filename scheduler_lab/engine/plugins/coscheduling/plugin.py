"""Coscheduling: the pods of a PodGroup start together (kubernetes-sigs/scheduler-plugins, mid-2026).

Extension points: QueueSort, PreFilter, PostFilter, Reserve (for Unreserve alone), Permit. A pod joins the PodGroup
`scheduling.x-k8s.io/v1alpha1` of its namespace that its label `scheduling.x-k8s.io/pod-group` names.
Args: permitWaitingTimeSeconds (60), podGroupBackoffSeconds (0: none), podGroupRejectPercentage (10).

PreFilter, UnschedulableAndUnresolvable:
`podGroup NS/NAME failed recently` while it backs off,
`pre-filter pod POD cannot find enough sibling pods, current pods number: N, minMember of group: M`,
`resource gap: map[…]` when the cluster has not minResources free.
PostFilter, Unschedulable: `can not find pod group` for a pod without one; nothing when enough siblings hold a node or
the missing share is at most podGroupRejectPercentage; else waiting siblings are rejected with
`optimistic rejection in PostFilter` and it says
`PodGroup NS/NAME gets rejected due to Pod POD is unschedulable even after PostFilter`.
Permit: Unschedulable `PodGroup not found`; Wait without a reason until minMember pods hold a node, for
spec.scheduleTimeoutSeconds or else permitWaitingTimeSeconds; the first to wait activates its siblings.
Unreserve rejects the waiting siblings with `rejection in Unreserve`.
Events: Pod/Add, PodGroup/Add|Update, without hints. Priority first, then the group's creation, or last failure, or the
pod's creation, then namespace/name.

Not certain: the text when only scheduling gates keep siblings from the quorum (here that of too few siblings), and when
a group that failed goes back to its old place in the queue (here once it has its quorum).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from scheduler_lab.engine.configuration.types import CoschedulingArgs
from scheduler_lab.engine.evidence import Evidence
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Registration, Resource
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Code, Status, unresolvable, unschedulable
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.gang import PodGroup
from scheduler_lab.engine.plugins.coscheduling import evidence
from scheduler_lab.engine.plugins.coscheduling.groups import PodGroups, group_name
from scheduler_lab.engine.plugins.coscheduling.min_resources import resource_gap
from scheduler_lab.engine.plugins.priority_sort import Queued
from scheduler_lab.engine.scheduler.handle import ProfileHandle

DEFAULT_WAIT_SECONDS = 60.0
WAIT = Status(Code.WAIT)
NO_GROUP_TO_REJECT = unschedulable("can not find pod group")
NO_GROUP = unschedulable("PodGroup not found")
QUIET = unschedulable()
IN_POST_FILTER = "optimistic rejection in PostFilter"
IN_UNRESERVE = "rejection in Unreserve"


class Coscheduling:
    """The out-of-tree plugin of kubernetes-sigs/scheduler-plugins."""

    name: ClassVar[str] = "Coscheduling"

    def __init__(self, args: CoschedulingArgs | None, handle: ProfileHandle) -> None:
        given = args or CoschedulingArgs()
        wait = given.permit_waiting_time_seconds
        self._wait = DEFAULT_WAIT_SECONDS if wait is None else float(wait)
        self._backoff = float(given.pod_group_backoff_seconds or 0)
        percentage = given.pod_group_reject_percentage
        self._tolerated = 10 if percentage is None else percentage
        self._handle = handle
        self._groups = PodGroups(handle.store, handle.clock, self._wait)

    def events_to_register(self) -> Sequence[Registration]:
        """A pod turning up, or the PodGroup."""
        return [
            Registration(Resource.POD, Action.ADD),
            Registration(Resource.POD_GROUP, Action.ADD | Action.UPDATE),
        ]

    # -- QueueSort -----------------------------------------------------------------------------------------------

    def less(self, first: Queued, second: Queued) -> bool:
        """Whether `first` goes first: by priority, then its group's time, then its name."""
        one, other = first.pod, second.pod
        if one.priority != other.priority:
            return one.priority > other.priority
        mine, theirs = self._groups.time(one.pod), self._groups.time(other.pod)
        return one.key < other.key if mine == theirs else mine < theirs

    # -- PreFilter -----------------------------------------------------------------------------------------------

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """(None, why the gang cannot start whatever the node)."""
        group = self._groups.find(pod.pod)
        why_not = self._why_not(pod, group, nodes) if group is not None else ""
        return None, unresolvable(why_not) if why_not else None

    def _why_not(self, pod: PodInfo, group: PodGroup, nodes: Sequence[NodeInfo]) -> str:
        if self._groups.backing_off(group.key):
            return f"podGroup {group.key} failed recently"
        needed = group.spec.min_member
        known = self._groups.members(group.key)
        ungated = [sibling for sibling in known if not sibling.spec.scheduling_gates]
        for count in (len(known), len(ungated)):
            if count < needed:
                return (
                    f"pre-filter pod {pod.pod.metadata.name} cannot find enough sibling pods, "
                    f"current pods number: {count}, minMember of group: {needed}"
                )
        if not group.spec.min_resources or self._groups.checked(group.key):
            return ""
        gap = resource_gap(nodes, group.spec.min_resources, needed, group.key)
        if not gap:
            self._groups.note_check(group.key)
        return gap

    # -- PostFilter ----------------------------------------------------------------------------------------------

    def post_filter(self, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> tuple[str | None, Status | None]:
        """(None, whether the whole group is given up because this pod fits nowhere)."""
        group = self._groups.find(pod.pod)
        if group is None:
            return None, NO_GROUP_TO_REJECT
        if self._hopeful(group):
            return None, QUIET
        self._reject_waiting(group.key, IN_POST_FILTER)
        if self._backoff and len(self._groups.members(group.key)) >= group.spec.min_member:
            self._groups.back_off(group.key, self._backoff)
        self._given_up(group.key)
        name = pod.pod.metadata.name
        text = f"PodGroup {group.key} gets rejected due to Pod {name} is unschedulable even after PostFilter"
        return None, unschedulable(text)

    def _hopeful(self, group: PodGroup) -> bool:
        """Whether enough pods hold a node, or so few are missing that the others may try."""
        missing = group.spec.min_member - self._groups.assigned(group.key)
        return missing <= 0 or missing * 100 <= self._tolerated * group.spec.min_member

    def _given_up(self, group: str) -> None:
        self._groups.forget_check(group)
        self._groups.failed(group)

    def _reject_waiting(self, group: str, reason: str) -> None:
        for waiting in self._handle.waiting_pods():
            if group_name(waiting.pod.pod) == group:
                waiting.reject(self.name, reason)
        # Rejected pods are taken care of when the cycle is over.
        self._handle.run_later(_nothing)

    # -- Reserve and Permit --------------------------------------------------------------------------------------

    def reserve(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Nothing: the plugin reserves in order to be told when a pod is unreserved."""
        return None

    def unreserve(self, state: CycleState, pod: PodInfo, node: str) -> None:
        """The pod gives its node back, so its waiting siblings have to as well."""
        self._groups.unassign(pod.pod)
        group = self._groups.find(pod.pod)
        if group is None:
            return
        self._reject_waiting(group.key, IN_UNRESERVE)
        self._given_up(group.key)

    def permit(self, state: CycleState, pod: PodInfo, node: str) -> tuple[Status | None, float]:
        """(Wait until minMember pods hold a node, seconds); the pod that completes them lets all go."""
        name = group_name(pod.pod)
        if not name:
            return None, 0.0
        group = self._groups.find(pod.pod)
        if group is None:
            return NO_GROUP, 0.0
        assigned = self._groups.assign(pod.pod)
        if assigned < group.spec.min_member:
            if assigned == 1:
                siblings = [other.key for other in self._groups.members(name) if other.metadata.uid != pod.uid]
                self._handle.activate(siblings)
            return WAIT, self._seconds(group)
        for waiting in self._handle.waiting_pods():
            if group_name(waiting.pod.pod) == name:
                waiting.allow(self.name)
        self._groups.succeeded(name)
        return None, 0.0

    def _seconds(self, group: PodGroup) -> float:
        return float(group.spec.schedule_timeout_seconds or self._wait or DEFAULT_WAIT_SECONDS)

    # -- evidence ------------------------------------------------------------------------------------------------

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """How many pods the gang has, against how many it must have."""
        group = self._groups.find(pod.pod)
        return evidence.members(pod, group, self._groups) if group is not None else evidence.no_group(pod)

    def explain_post_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """How much of the gang is missing, against how much may be."""
        group = self._groups.find(pod.pod)
        return evidence.missing_share(group, self._groups, self._tolerated) if group is not None else None

    def explain_permit(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """How many of the gang hold a node, against how many must."""
        group = self._groups.find(pod.pod)
        return evidence.quorum(group, self._groups, self._seconds(group)) if group is not None else None


def _nothing() -> None:
    """A job without work."""
