"""Pods that no scheduler serves: a schedulerName without a profile of that name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.objects.pod import Pod

UNSERVED = N_(
    "No scheduler is named %(name)s (there are: %(known)s). %(pod)s is never queued: it has no events and no "
    "PodScheduled condition. A scheduler of that name would take it as soon as it runs."
)


def unserved_pods(pods: Iterable[Pod], known: Collection[str]) -> list[dict[str, Any]]:
    """The unassigned pods whose schedulerName is not among the `known` ones; names match exactly."""
    names = ", ".join(known)
    return [
        {
            "pod": pod.key,
            "schedulerName": pod.spec.scheduler_name,
            "known": list(known),
            "note": text(UNSERVED, name=pod.spec.scheduler_name, known=names, pod=pod.key),
        }
        for pod in pods
        if not pod.spec.node_name and pod.spec.scheduler_name not in known
    ]
