"""LabPermit: the scripted Permit plugin of a `lab/v1 Permit` document.

Extension point: Permit. The first rule whose `podLabel` matches decides: allow, deny (Unschedulable with the rule's
reason), wait (for `timeoutSeconds`) or error; without a match the pod is allowed. It registers no events, so its
rejected pods are retried on any.
"""

from __future__ import annotations

from typing import ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, Mark, text
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.objects.lab import Permit, PermitRule
from scheduler_lab.engine.scheduler.handle import ProfileHandle


class LabPermit:
    """Answers at Permit as the learner's rules say."""

    name: ClassVar[str] = "LabPermit"

    def __init__(self, args: object, handle: ProfileHandle) -> None:
        self._handle = handle

    def permit(self, state: CycleState, pod: PodInfo, node: str) -> tuple[Status | None, float]:
        """(status, seconds to wait at most)."""
        found = self._rule(pod)
        if found is None or found[2].action == "allow":
            return None, 0.0
        rule = found[2]
        if rule.action == "wait":
            return Status(Code.WAIT, (rule.reason,) if rule.reason else ()), rule.timeout_seconds
        if rule.action == "error":
            return Status(Code.ERROR, (rule.reason or "failed by the lab",)), 0.0
        return Status(Code.UNSCHEDULABLE, (rule.reason or "denied by the lab",)), 0.0

    def _rule(self, pod: PodInfo) -> tuple[Permit, int, PermitRule] | None:
        """(document, index, rule) of the first rule that matches the pod."""
        documents: list[Permit] = self._handle.store.list("Permit")
        for document in documents:
            for index, rule in enumerate(document.rules):
                key, _, value = rule.pod_label.partition("=")
                if not rule.pod_label or pod.labels.get(key) == value:
                    return document, index, rule
        return None

    def explain_permit(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """Which rule decided."""
        found = self._rule(pod)
        if found is None:
            return Evidence(text(N_("No rule matches the labels of %(pod)s, so it is allowed."), pod=pod.key))
        _, index, rule = found
        sentence = text(
            N_("Rule %(number)d (podLabel %(label)s) is the first that matches %(pod)s; it says %(action)s."),
            number=index + 1,
            label=rule.pod_label or "*",
            pod=pod.key,
            action=rule.action,
        )
        return Evidence(sentence, marks=[Mark("Permit", "", f"rules[{index}]")])
