"""Grades what a learner predicted by what a run of the lab's text did: the record is the only source."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quizzes.content_format.schema import PENDING

POINTS = (
    ("preFilter", "PreFilter"),
    ("filter", "Filter"),
    ("reserve", "Reserve"),
    ("permit", "Permit"),
    ("preBindPreFlight", "PreBind"),
    ("preBind", "PreBind"),
    ("bind", "Bind"),
)
"""The extension points that can turn a pod away, in order: the record's name and upstream's."""

PASSED = frozenset({"Success", "Skip", "Wait"})


@dataclass(frozen=True)
class Verdict:
    """`right`: whether the prediction came true; `answers`: every choice that would have been right."""

    right: bool
    answers: tuple[str, ...]


def grade(record: dict[str, Any], ask: str, pod: str, prediction: str) -> Verdict:
    """Compare a prediction about `pod` (namespace/name) with the run's record."""
    answers = answers_of(record, ask, pod)
    return Verdict(prediction in answers, answers)


def answers_of(record: dict[str, Any], ask: str, pod: str) -> tuple[str, ...]:
    """Return what the record says in answer to a question of kind `ask` (content_format.schema.ASKS)."""
    if ask == "node":
        return (_node(record, pod) or PENDING,)
    if ask == "outcome":
        return (outcome(record, pod),)
    if ask == "plugin":
        return tuple(dict.fromkeys(plugin for _phase, plugin in _refusals(record, pod)))
    if ask == "phase":
        return (phase(record, pod),)
    if ask == "waiting":
        waiting = record.get("queue", {}).get("waitingOnPermit", [])
        return ("yes" if pod in waiting else "no", str(len(waiting)))
    raise ValueError(f"unknown kind of prediction: {ask}")


def outcome(record: dict[str, Any], pod: str) -> str:
    """Return where the pod stands at the end: scheduled, waiting, gated, preempted or pending."""
    queue = record.get("queue", {})
    if _node(record, pod):
        return "scheduled"
    if pod in queue.get("waitingOnPermit", []):
        return "waiting"
    if pod in queue.get("gated", []):
        return "gated"
    if pod not in record.get("pods", {}) and pod in record.get("deleted", []):
        return "preempted"
    return "pending"


def phase(record: dict[str, Any], pod: str) -> str:
    """Return the extension point where the pod's last attempt ended: Bind for a pod that got its node."""
    state = outcome(record, pod)
    if state == "scheduled":
        return "Bind"
    if state == "waiting":
        return "Permit"
    refusals = list(_refusals(record, pod))
    return refusals[-1][0] if refusals else "PreEnqueue" if state == "gated" else "Filter"


def _node(record: dict[str, Any], pod: str) -> str:
    node: str = record.get("pods", {}).get(pod, {}).get("nodeName", "")
    return node


def _refusals(record: dict[str, Any], pod: str) -> Iterator[tuple[str, str]]:
    """Yield (extension point, plugin) of each plugin that turned the pod or a node away at the pod's last attempt."""
    cycles = [cycle for cycle in record.get("cycles", []) if cycle["pod"] == pod]
    if pod in record.get("queue", {}).get("gated", []) or not cycles:
        for call in record.get("preEnqueue", []):
            if call["pod"] == pod:
                yield "PreEnqueue", call["plugin"]
        return
    cycle = cycles[-1]
    # A pod turned away after it waited has that result in the cycle in which it began to wait.
    passed = PASSED if cycle["result"].get("code", "Wait") == "Wait" else PASSED - {"Wait"}
    for member, point in POINTS:
        calls = cycle.get(member, [])
        by_node = calls.values() if isinstance(calls, dict) else [calls]
        for call in (call for calls_of_node in by_node for call in calls_of_node):
            if call["code"] not in passed:
                yield point, call["plugin"]
