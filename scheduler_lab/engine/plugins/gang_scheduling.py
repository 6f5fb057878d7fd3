"""GangScheduling: the pods of a Workload's pod group start together or not at all (alpha in v1.35).

Extension points: PreEnqueue, Reserve, Permit. No arguments. Gates: GenericWorkload and GangScheduling.
PreEnqueue reasons, all UnschedulableAndUnresolvable:
`waiting for pods's workload "NAME" to appear in scheduling queue`,
`pod group "GROUP" doesn't exist for a workload "NAME"`,
`waiting for minCount pods from a gang to appear in scheduling queue`.
Permit waits with `waiting for minCount pods from a gang to be waiting on permit` until minCount pods have a node, for
what is left of the five minutes that all waiting pods of the gang share. Filtering stays per pod.
Hints: Pod/Add with the identical reference, Workload/Add of that name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, Row, text
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.runtime import quoted
from scheduler_lab.engine.framework.status import Code, Status, error, unresolvable
from scheduler_lab.engine.objects.scheduling import Workload, WorkloadPodGroup
from scheduler_lab.engine.scheduler.handle import ProfileHandle
from scheduler_lab.engine.scheduler.workloads import group_key

TOO_FEW_KNOWN = unresolvable("waiting for minCount pods from a gang to appear in scheduling queue")
TOO_FEW_PLACED = Status(Code.WAIT, ("waiting for minCount pods from a gang to be waiting on permit",))


class GangScheduling:
    """Native gang scheduling of kube-scheduler v1.35."""

    name: ClassVar[str] = "GangScheduling"

    def __init__(self, args: Any, handle: ProfileHandle) -> None:
        self._handle = handle

    def _group(self, pod: PodInfo) -> tuple[WorkloadPodGroup | None, str]:
        """(the pod group that the pod refers to, why there is none)."""
        ref = pod.pod.spec.workload_ref
        assert ref is not None
        workload: Workload | None = self._handle.store.get("Workload", pod.namespace, ref.name)
        if workload is None:
            return None, f"waiting for pods's workload {quoted(ref.name)} to appear in scheduling queue"
        for group in workload.spec.pod_groups:
            if group.name == ref.pod_group:
                return group, ""
        return None, f"pod group {quoted(ref.pod_group)} doesn't exist for a workload {quoted(ref.name)}"

    # -- PreEnqueue --------------------------------------------------------------------------------------------

    def pre_enqueue(self, pod: PodInfo) -> Status | None:
        """Hold the pod until its Workload and enough of its gang are known."""
        if pod.pod.spec.workload_ref is None:
            return None
        group, why_not = self._group(pod)
        if group is None:
            return unresolvable(why_not)
        if group.policy.gang is None:
            return None
        gang = self._handle.workloads.gang(pod)
        if gang is None:
            return error("internal pod group state doesn't exist for a pod's workload")
        return TOO_FEW_KNOWN if len(gang.pods) < group.policy.gang.min_count else None

    def events_to_register(self) -> Sequence[Registration]:
        """A sibling or the Workload turning up."""
        return [
            Registration(Resource.POD, Action.ADD, _sibling_added),
            Registration(Resource.WORKLOAD, Action.ADD, _workload_added),
        ]

    # -- Reserve and Permit ------------------------------------------------------------------------------------

    def reserve(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Note that the pod holds a node."""
        gang = self._handle.workloads.gang(pod)
        if gang is not None:
            gang.assumed.add(pod.uid)
        return None

    def unreserve(self, state: CycleState, pod: PodInfo, node: str) -> None:
        """Note that it does not any more."""
        gang = self._handle.workloads.gang(pod)
        if gang is not None:
            gang.assumed.discard(pod.uid)

    def permit(self, state: CycleState, pod: PodInfo, node: str) -> tuple[Status | None, float]:
        """(Wait until enough of the gang have a node, seconds left); the pod that completes it lets all go."""
        if pod.pod.spec.workload_ref is None:
            return None, 0.0
        group, why_not = self._group(pod)
        if group is None:
            return error(why_not), 0.0
        gang = self._handle.workloads.gang(pod)
        if group.policy.gang is None or gang is None:
            return None, 0.0
        if gang.placed < group.policy.gang.min_count:
            self._handle.activate([sibling.key for sibling in gang.unscheduled])
            return TOO_FEW_PLACED, gang.seconds_left(self._handle.clock.now)
        for waiting in self._handle.waiting_pods():
            if waiting.pod.uid in gang.assumed:
                waiting.allow(self.name)
        return None, 0.0

    # -- evidence ----------------------------------------------------------------------------------------------

    def explain_permit(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """How many of the gang have a node, against how many must."""
        if pod.pod.spec.workload_ref is None:
            return None
        group, _ = self._group(pod)
        gang = self._handle.workloads.gang(pod)
        if group is None or group.policy.gang is None or gang is None:
            return None
        needed, placed = group.policy.gang.min_count, gang.placed
        sentence = text(
            N_("%(placed)d of the gang's pods hold a node; %(needed)d must before any may start."),
            placed=placed,
            needed=needed,
        )
        rows = [
            Row(text(N_("Pods known")), str(len(gang.pods)), amount=len(gang.pods)),
            Row(text(N_("Pods with a node")), str(placed), amount=placed),
            Row(text(N_("minCount")), str(needed), sign="≥" if placed >= needed else "<", amount=needed),
        ]
        return Evidence(sentence, rows=rows)


def _sibling_added(pod: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    key = group_key(pod)
    return Hint.QUEUE if new is not None and key is not None and group_key(new) == key else Hint.SKIP


def _workload_added(pod: PodInfo, old: Workload | None, new: Workload | None) -> Hint:
    ref = pod.pod.spec.workload_ref
    same = (
        ref is not None and new is not None and (new.metadata.namespace, new.metadata.name) == (pod.namespace, ref.name)
    )
    return Hint.QUEUE if same else Hint.SKIP
