"""The status that the PodGroup controller of kubernetes-sigs/scheduler-plugins would report.

It is told at the end of a run and not written to the objects: the plugin is woken by every update of a PodGroup, and
whether the controller runs, and when it writes, is for the cluster to say.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.gang import PodGroup
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.plugins.coscheduling.groups import group_name


def pod_group_statuses(store: Store) -> dict[str, dict[str, Any]]:
    """Phase and pod counts of every PodGroup, by namespace/name."""
    groups: list[PodGroup] = store.list("PodGroup")
    if not groups:
        return {}
    phases: dict[str, Counter[str]] = {group.key: Counter() for group in groups}
    pods: list[Pod] = store.list("Pod")
    for pod in pods:
        if group_name(pod) in phases:
            phases[group_name(pod)][pod.status.phase] += 1
    return {group.key: _status(group.spec.min_member, phases[group.key]) for group in groups}


def _status(needed: int, phases: Counter[str]) -> dict[str, Any]:
    counts = {"running": phases["Running"], "succeeded": phases["Succeeded"], "failed": phases["Failed"]}
    return {"phase": _phase(needed, phases.total(), **counts), "minMember": needed, **counts}


def _phase(needed: int, pods: int, *, running: int, succeeded: int, failed: int) -> str:
    if pods < needed:
        return "Pending"
    if succeeded >= needed:
        return "Finished"
    if failed and failed + running + succeeded >= needed:
        return "Failed"
    return "Running" if succeeded + running >= needed else "Scheduling"
