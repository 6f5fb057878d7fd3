"""Whom a controller deletes first when it has too many pods (Kubernetes v1.35, `ActivePodsWithRanks`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scheduler_lab.engine.controllers.pods import is_running
from scheduler_lab.engine.objects.meta import parse_time
from scheduler_lab.engine.objects.pod import Pod

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


def by_deletion(pods: Sequence[Pod]) -> list[Pod]:
    """Pods, the first to go first.

    Without a node before with one, not running before running, lower deletion cost, more pods of the same owner on
    the node, and the newest.
    """
    on_node = Counter(pod.spec.node_name for pod in pods if pod.spec.node_name)

    def rank(pod: Pod) -> tuple[bool, bool, int, int, float]:
        together = on_node[pod.spec.node_name] if pod.spec.node_name else 0
        return bool(pod.spec.node_name), is_running(pod), _cost(pod), -together, -_created(pod)

    newest_first = list(pods)
    newest_first.reverse()
    newest_first.sort(key=rank)
    return newest_first


def _cost(pod: Pod) -> int:
    text = pod.metadata.annotations.get(DELETION_COST, "0")
    try:
        return int(text)
    except ValueError:
        return 0


def _created(pod: Pod) -> float:
    text = pod.metadata.creation_timestamp
    try:
        return parse_time(text) if text else 0.0
    except ValueError:
        return 0.0
