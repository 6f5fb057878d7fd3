"""The words for a pod that fits nowhere, and what becomes of them in an event."""

from __future__ import annotations

import pytest

from scheduler_lab.engine.framework.status import Code, Status, unresolvable, unschedulable
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.scheduler.fit_error import Diagnosis, event_note, fit_message, histogram, one_node_message


def statuses(*each: Status, absent: Status | None = None) -> NodeStatuses:
    found = NodeStatuses()
    found.update({f"n{number}": status for number, status in enumerate(each)})
    if absent is not None:
        found.absent = absent
    return found


def test_reasons_are_counted_and_sorted_as_text() -> None:
    rejected = statuses(*[unschedulable("x")] * 10, *[unschedulable("y")] * 2, unschedulable("x", "Ångström"))
    assert histogram(rejected, 13) == "1 Ångström, 11 x, 2 y"


def test_nodes_outside_a_narrowed_set_count_under_their_common_reason() -> None:
    assert histogram(statuses(unschedulable("a"), absent=unresolvable("b")), 3) == "1 a, 2 b"
    assert histogram(statuses(unschedulable("a")), 3) == "1 a"


@pytest.mark.parametrize(
    ("diagnosis", "message"),
    [
        (Diagnosis(statuses(unschedulable("a"))), "0/2 nodes are available: 1 a."),
        (Diagnosis(), "0/2 nodes are available:"),
        (Diagnosis(statuses(unschedulable("a")), pre_filter_message="no"), "0/2 nodes are available: no."),
        (Diagnosis(statuses(unschedulable("a")), post_filter_message="b: c"), "0/2 nodes are available: 1 a. b: c"),
    ],
)
def test_message(diagnosis: Diagnosis, message: str) -> None:
    assert fit_message(diagnosis, 2) == message


def test_message_after_the_node_was_chosen() -> None:
    assert one_node_message("denied") == "0/1 nodes are available: 1 denied."
    assert one_node_message("") == "0/1 nodes are available:"


def test_blame() -> None:
    diagnosis = Diagnosis()
    for code, plugin in ((Code.UNSCHEDULABLE, "A"), (Code.PENDING, "B"), (Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "")):
        diagnosis.blame(code, plugin)
    assert (diagnosis.unschedulable_plugins, diagnosis.pending_plugins) == ({"A"}, {"B"})


@pytest.mark.parametrize(
    ("message", "note"),
    [
        ("a" * 1024, "a" * 1024),
        ("a" * 1025, "a" * 1020 + " ..."),
        ("가" * 400, "가" * 340 + " ..."),
        ("a" + "가" * 400, "a" + "가" * 339 + " ..."),
        ("90%", "90%!(NOVERB)"),
    ],
)
def test_event_note(message: str, note: str) -> None:
    assert event_note(message) == note
    assert len(note.encode()) <= 1024
