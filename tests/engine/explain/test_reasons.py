"""Why a node won, what a failure text counts, and what it hides."""

from pathlib import Path
from typing import Any

import pytest

from scheduler_lab.engine import ALL, load, run, run_text
from scheduler_lab.engine.explain.fixes import Budget
from scheduler_lab.engine.explain.hidden import bypassed, hidden
from scheduler_lab.engine.explain.reasons import message_parts, why_won

CASES = Path(__file__).resolve().parents[2] / "data" / "cases"
SOURCES = sorted(CASES.glob("*.yaml"))


def record_of(name: str) -> tuple[str, dict[str, Any]]:
    text = (CASES / f"{name}.yaml").read_text()
    return text, run(load(text), ALL).to_builtins()


def last(record: dict[str, Any], pod: str) -> dict[str, Any]:
    found: dict[str, Any] = [cycle for cycle in record["cycles"] if cycle["pod"] == pod][-1]
    return found


def unsaid(name: str, pod: str) -> list[str]:
    text, record = record_of(name)
    return [str(sentence) for sentence in hidden(record, last(record, pod), text, budget=Budget(12, 60))]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_differences_add_up_to_the_lead(source: Path) -> None:
    for cycle in run(load(source.read_text())).cycles:
        differences = why_won(cycle)
        amounts = [abs(amount) for _, amount in differences]
        assert amounts == sorted(amounts, reverse=True)
        if cycle.result and cycle.result.node in cycle.totals and len(cycle.totals) > 1:
            others = [total for node, total in cycle.totals.items() if node != cycle.result.node]
            assert sum(amount for _, amount in differences) == cycle.totals[cycle.result.node] - max(others)
        else:
            assert differences == []


def test_why_a_node_won() -> None:
    text = """\
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "4", memory: 8Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: "8", memory: 8Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "1", memory: 1Gi}}}]}
"""
    cycle = run_text(text).cycles[0]
    assert cycle.result is not None and cycle.result.node == "b"
    plugins = dict(why_won(cycle))
    assert plugins["NodeResourcesFit"] > 0
    assert set(plugins) <= {"NodeResourcesFit", "NodeResourcesBalancedAllocation"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_part_of_a_filter_message_names_as_many_nodes_as_it_counts(source: Path) -> None:
    for cycle in run(load(source.read_text()), ALL).to_builtins().get("cycles", []):
        message = cycle.get("result", {}).get("message", "")
        for part in message_parts(cycle):
            assert message[part.start : part.end] == f"{part.count} {part.reason}"
            if part.point != "Permit":
                assert len(part.nodes) == part.count, (message, part)


def test_the_parts_of_a_message() -> None:
    _, record = record_of("06-counts-above-n")
    parts = message_parts(last(record, "default/db-4"))
    assert [(part.count, part.point) for part in parts] == [
        (1, "Filter"),
        (1, "Filter"),
        (1, "Filter"),
        (4, "Filter"),
        (2, "PostFilter"),
        (4, "PostFilter"),
    ]
    assert (parts[1].plugins, parts[1].nodes) == (["VolumeBinding"], ["node-a1"])
    assert parts[4].nodes == ["node-a1", "node-a2"]


def test_nodes_that_prefilter_left_out_are_named() -> None:
    _, record = record_of("13-daemonset-one-node")
    part = message_parts(last(record, "monitoring/agent-n4"))[1]
    assert (part.plugins, part.nodes) == (["NodeAffinity"], ["node-1", "node-2", "node-3"])


def test_it_names_the_taint() -> None:
    assert unsaid("14-taint-not-named", "default/web")[0] == (
        "The pod does not tolerate the taint node.kubernetes.io/disk-pressure:NoSchedule of kind-control-plane."
    )


def test_it_tries_what_comes_next() -> None:
    assert unsaid("10-selector-and-cordon", "default/cache")[-1] == (
        "worker-4: with what NodeUnschedulable objects to out of the way, NodeResourcesFit says: "
        "Insufficient cpu, Insufficient memory."
    )
    assert any(
        "worker-1, worker-2: with what NodeAffinity" in said
        for said in unsaid("09-first-failure-only", "default/crawler")
    )


def test_it_names_the_obstacle_behind_preemption() -> None:
    assert unsaid("37-blocker-behind-preemption", "default/middle-pod")[0] == (
        "Even without less important pods, worker-1 would not do: node(s) didn't match pod anti-affinity rules. "
        "That is the real obstacle."
    )


def test_it_says_who_keeps_room() -> None:
    assert "node-1 keeps room for default/train-0, default/train-1, nominated to it." in unsaid(
        "43c-native-gang-timeout", "default/train-2"
    )


def test_a_cycle_that_succeeded_hides_nothing() -> None:
    text, record = record_of("09b-selector-removed")
    assert hidden(record, last(record, "default/crawler"), text) == []


@pytest.mark.parametrize(
    ("name", "pod", "start"),
    [
        ("33-nodename-bypasses-scheduler", None, "names"),
        ("35-unserved-scheduler-name", "default/web", "asks for the scheduler crane-scheduler"),
        ("36-scheduling-gate", "default/train-0", "has scheduling gates"),
    ],
)
def test_pods_that_no_scheduler_sees(name: str, pod: str | None, start: str) -> None:
    text, record = record_of(name)
    key = pod or next(iter(record["pods"]))
    assert str(bypassed(text, record, key)).startswith(f"{key} {start}")


def test_a_pod_that_was_tried_is_not_bypassed() -> None:
    text, record = record_of("09-first-failure-only")
    assert bypassed(text, record, "default/crawler") is None
