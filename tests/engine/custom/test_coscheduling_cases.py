"""Cases 43 and 43b: every sentence of what must come out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.custom.gangs import case, cycles_of, record

NO_ROOM = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "
    "0/1 nodes are available: 1 No preemption victims found for incoming pod."
)
GIVEN_UP = ", PodGroup default/train gets rejected due to Pod train-3 is unschedulable even after PostFilter"
CASES = [("43-gang-permit-timeout", 10), ("43b-gang-own-timeout", 25)]
WAITING = ["train-0", "train-1", "train-2"]


def before_the_deadline(name: str) -> dict[str, Any]:
    """The case without its last step."""
    text = case(name)
    return record(text[: text.rindex("- advanceSeconds")])


@pytest.mark.parametrize(("name", "seconds"), CASES)
def test_three_wait_and_the_fourth_fits_nowhere(name: str, seconds: int) -> None:
    found = before_the_deadline(name)
    assert found["queue"]["waitingOnPermit"] == [f"default/{pod}" for pod in WAITING]
    for pod in WAITING:
        permit = cycles_of(found, pod)[0]["permit"]
        assert permit == [{"plugin": "Coscheduling", "code": "Wait", "timeoutSeconds": seconds}]
    assert cycles_of(found, "train-3")[0]["result"]["message"] == NO_ROOM


@pytest.mark.parametrize(("name", "seconds"), CASES)
def test_nothing_changes_before_the_deadline(name: str, seconds: int) -> None:
    found = before_the_deadline(name)
    text = case(name)
    at_first = record(text[: text.index("---\napiVersion: lab/v1\nkind: Timeline")])
    for member in ("cycles", "events", "pods", "queue"):
        assert found[member] == at_first[member]


@pytest.mark.parametrize(("name", "seconds"), CASES)
def test_one_times_out_and_rejects_its_siblings(name: str, seconds: int) -> None:
    found = record(case(name))
    results = [cycles_of(found, pod)[0]["result"] for pod in WAITING]
    timeout = f"rejected due to timeout after waiting {seconds}s at plugin Coscheduling"
    assert results == [
        {"code": "Unschedulable", "message": f"0/1 nodes are available: 1 {timeout}."},
        {"code": "Unschedulable", "message": "0/1 nodes are available: 1 rejection in Unreserve."},
        {"code": "Unschedulable", "message": "0/1 nodes are available: 1 rejection in Unreserve."},
    ]
    assert {event["message"] for event in found["events"]} >= {result["message"] for result in results}
    assert "waitingOnPermit" not in found["queue"]


@pytest.mark.parametrize(("name", "seconds"), CASES)
def test_the_fourth_fails_again_on_stale_nominations(name: str, seconds: int) -> None:
    found = record(case(name))
    first, second = cycles_of(found, "train-3")
    assert "step" not in first
    assert (second["step"], second["filterWithNominatedPods"]) == (2, ["node-1"])
    assert second["result"]["message"] == NO_ROOM + GIVEN_UP
    assert {found["pods"][f"default/{pod}"]["nominatedNodeName"] for pod in WAITING} == {"node-1"}


def test_a_missing_share_of_a_quarter_is_below_the_threshold() -> None:
    post_filter = cycles_of(record(case("43-gang-permit-timeout")), "train-3")[0]["postFilter"]
    assert post_filter[-1] == {"plugin": "Coscheduling", "code": "Unschedulable"}


def test_the_groups_own_timeout_wins() -> None:
    found = record(case("43b-gang-own-timeout"))
    assert {cycles_of(found, pod)[0]["permit"][0]["timeoutSeconds"] for pod in WAITING} == {25}
