"""LabPermit: the scripted Permit plugin of a `lab/v1 Permit` document.

Extension point: Permit. The first rule whose `podLabel` matches decides: allow, deny (Unschedulable with the rule's
reason), wait (for `timeoutSeconds`) or error; without a match the pod is allowed. It registers no events, so its
rejected pods are retried on any.
"""

from __future__ import annotations

from typing import ClassVar

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.handle import ProfileHandle
from scheduler_lab.engine.objects.lab import Permit, PermitRule


class LabPermit:
    """Answers at Permit as the learner's rules say."""

    name: ClassVar[str] = "LabPermit"

    def __init__(self, args: object, handle: ProfileHandle) -> None:
        self._handle = handle

    def permit(self, state: CycleState, pod: PodInfo, node: str) -> tuple[Status | None, float]:
        """(status, seconds to wait at most)."""
        rule = self._rule(pod)
        if rule is None or rule.action == "allow":
            return None, 0.0
        if rule.action == "wait":
            return Status(Code.WAIT, (rule.reason,) if rule.reason else ()), rule.timeout_seconds
        if rule.action == "error":
            return Status(Code.ERROR, (rule.reason or "failed by the lab",)), 0.0
        return Status(Code.UNSCHEDULABLE, (rule.reason or "denied by the lab",)), 0.0

    def _rule(self, pod: PodInfo) -> PermitRule | None:
        documents: list[Permit] = self._handle.store.list("Permit")
        for rule in (rule for document in documents for rule in document.rules):
            key, _, value = rule.pod_label.partition("=")
            if not rule.pod_label or pod.labels.get(key) == value:
                return rule
        return None
