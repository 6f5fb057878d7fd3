"""The numbers behind Coscheduling's verdicts."""

from __future__ import annotations

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, text
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.gang import PodGroup
from scheduler_lab.engine.plugins.coscheduling.groups import LABEL, PodGroups, group_name

MIN_MEMBER = "spec.minMember"


def _mark(group: PodGroup, path: str) -> Mark:
    return Mark("PodGroup", group.metadata.name, path, group.metadata.namespace)


def no_group(pod: PodInfo) -> Evidence | None:
    """A label that names no PodGroup; None for a pod without the label."""
    name = group_name(pod.pod)
    if not name:
        return None
    mark = Mark("Pod", pod.pod.metadata.name, f"metadata.labels.{LABEL}", pod.namespace)
    return Evidence(text(N_("There is no PodGroup %(group)s: Permit will refuse the pod."), group=name), marks=[mark])


def members(pod: PodInfo, group: PodGroup, groups: PodGroups) -> Evidence:
    """The pods with the group's label against minMember."""
    known = groups.members(group.key)
    gated = sum(1 for member in known if member.spec.scheduling_gates)
    ready, needed = len(known) - gated, group.spec.min_member
    sentence = text(
        N_("%(count)d pods of %(group)s may be scheduled; it needs %(needed)d."),
        count=ready,
        group=group.key,
        needed=needed,
    )
    rows = [Row(text(N_("Pods with the group's label")), str(len(known)), amount=len(known))]
    if gated:
        rows.append(Row(text(N_("of them with scheduling gates")), str(gated), sign="−", amount=gated))
    sign, tone = ("≥", "ok") if ready >= needed else ("<", "short")
    rows.append(Row(text("minMember"), str(needed), sign=sign, tone=tone, amount=needed, mark=_mark(group, MIN_MEMBER)))
    return Evidence(sentence, rows=rows)


def missing_share(group: PodGroup, groups: PodGroups, tolerated: int) -> Evidence:
    """The share of minMember without a node against podGroupRejectPercentage."""
    needed, assigned = group.spec.min_member, groups.assigned(group.key)
    missing = max(needed - assigned, 0)
    share = missing * 100 / needed if needed else 0.0
    if share > tolerated:
        sentence = text(
            N_("%(missing)d of %(needed)d pods of %(group)s have no node: the whole group gives its places back."),
            missing=missing,
            needed=needed,
            group=group.key,
        )
    else:
        sentence = text(
            N_("%(missing)d of %(needed)d pods of %(group)s have no node: the others go on waiting."),
            missing=missing,
            needed=needed,
            group=group.key,
        )
    sign, tone = (">", "short") if share > tolerated else ("≤", "ok")
    rows = [
        Row(text("minMember"), str(needed), amount=needed, mark=_mark(group, MIN_MEMBER)),
        Row(text(N_("Pods with a node")), str(assigned), sign="−", amount=assigned),
        Row(text(N_("Missing share")), f"{share:g} %", sign="=", amount=share),
        Row(text("podGroupRejectPercentage"), f"{tolerated} %", sign=sign, tone=tone, amount=tolerated),
    ]
    return Evidence(sentence, rows=rows)


def quorum(group: PodGroup, groups: PodGroups, seconds: float) -> Evidence:
    """The pods that hold a node against minMember, and how long they wait."""
    needed, assigned = group.spec.min_member, groups.assigned(group.key)
    if assigned >= needed:
        sentence = text(
            N_("%(count)d pods of %(group)s hold a node, as many as it needs: all of them start."),
            count=assigned,
            group=group.key,
        )
    else:
        sentence = text(
            N_("%(count)d pods of %(group)s hold a node; it needs %(needed)d. This one waits %(seconds)d seconds."),
            count=assigned,
            group=group.key,
            needed=needed,
            seconds=int(seconds),
        )
    sign, tone = ("≥", "ok") if assigned >= needed else ("<", "short")
    rows = [
        Row(text(N_("Pods with a node")), str(assigned), amount=assigned),
        Row(text("minMember"), str(needed), sign=sign, tone=tone, amount=needed, mark=_mark(group, MIN_MEMBER)),
    ]
    return Evidence(sentence, rows=rows)
