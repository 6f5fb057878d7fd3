"""Why no node can run a pod, in the words of kube-scheduler v1.35 (`FitError`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from scheduler_lab.engine.framework.status import Code
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.go.format import formatted

NO_NODES = "no nodes available to schedule pods"
EVENT_BYTES = 1024


@dataclass(slots=True)
class Diagnosis:
    """What a failed search learned: the status of every node, and which plugins rejected the pod."""

    statuses: NodeStatuses = field(default_factory=NodeStatuses)
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    pre_filter_message: str = ""
    post_filter_message: str = ""

    def blame(self, code: Code, plugin: str) -> None:
        """Remember that `plugin` rejected the pod."""
        if not plugin:
            return
        if code is Code.PENDING:
            self.pending_plugins.add(plugin)
        else:
            self.unschedulable_plugins.add(plugin)


def histogram(statuses: NodeStatuses, nodes: int) -> str:
    """How many nodes gave each reason, sorted as text; a node counts once under each of its reasons."""
    counts: Counter[str] = Counter()
    for status in statuses.values():
        counts.update(status.reasons)
    unseen = nodes - len(statuses)
    if unseen > 0:
        for reason in statuses.absent.reasons:
            counts[reason] += unseen
    return ", ".join(sorted((f"{count} {reason}" for reason, count in counts.items()), key=lambda text: text.encode()))


def fit_message(diagnosis: Diagnosis, nodes: int) -> str:
    """The text of the PodScheduled condition for a pod that fits nowhere, over `nodes` nodes."""
    text = f"0/{nodes} nodes are available:"
    why = diagnosis.pre_filter_message or histogram(diagnosis.statuses, nodes)
    if why:
        text += f" {why}."
    if diagnosis.post_filter_message:
        text += f" {diagnosis.post_filter_message}"
    return text


def one_node_message(reason: str) -> str:
    """The text for a pod that was rejected after its node had been chosen."""
    return f"0/1 nodes are available: 1 {reason}." if reason else "0/1 nodes are available:"


def event_note(message: str) -> str:
    """The message as the event shows it: used as a format string, and cut at 1024 bytes."""
    text = formatted(message)
    raw = text.encode()
    if len(raw) <= EVENT_BYTES:
        return text
    return raw[: EVENT_BYTES - 4].decode(errors="ignore") + " ..."
