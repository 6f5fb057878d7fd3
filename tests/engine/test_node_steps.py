"""Timeline steps on nodes: what a person does with kubectl, replayed."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_lab.engine import load, run_text

NODE = """apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{pool: web}}}}
status: {{allocatable: {{cpu: "{cpu}", memory: 4Gi}}}}
---
"""
POD = """apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
---
"""
TIMELINE = "apiVersion: lab/v1\nkind: Timeline\nsteps:\n"


def replay(*steps: str, cpu: str = "1") -> dict[str, Any]:
    text = NODE.format(name="a", cpu=cpu) + POD + TIMELINE + "".join(f"- {step}\n" for step in steps)
    return run_text(text).to_builtins()


def node_of(record: dict[str, Any]) -> str:
    return str(record["pods"]["default/web"].get("nodeName", ""))


def last_reason(record: dict[str, Any]) -> str:
    return str(record["cycles"][-1]["result"]["message"])


def test_a_larger_node_lets_the_pod_in() -> None:
    assert node_of(replay("resize: {node: a, allocatable: {cpu: 4}}")) == "a"


def test_a_node_like_this_one() -> None:
    assert node_of(replay("addNode: {name: b, like: a}", "resize: {node: b, allocatable: {cpu: 4}}")) == "b"


def test_a_cordoned_node_takes_nothing_until_it_is_uncordoned() -> None:
    shut = ("cordon: a", "resize: {node: a, allocatable: {cpu: 4}}")
    assert "1 node(s) were unschedulable" in last_reason(replay(*shut))
    assert node_of(replay(*shut, "uncordon: a")) == "a"


def test_a_taint_comes_and_goes() -> None:
    on = ("taint: {node: a, key: k, value: v, effect: NoSchedule}", "resize: {node: a, allocatable: {cpu: 4}}")
    assert "1 node(s) had untolerated taint(s)" in last_reason(replay(*on))
    assert node_of(replay(*on, "untaint: {node: a, key: k}")) == "a"


def test_a_removed_node_is_gone() -> None:
    record = replay("removeNode: a", "addNode: {name: b, like: a}")
    assert record["x-problems"][0]["message"]["params"] == {"name": "a"}


def test_a_node_that_is_not_there_is_told() -> None:
    assert replay("cordon: z")["x-problems"][0]["name"] == "z"


@pytest.mark.parametrize(
    "step",
    [
        "taint: {node: a, key: k}",
        "taint: {key: k, effect: NoSchedule}",
        "taint: {node: a, key: k, effect: Never}",
        "addNode: {name: b}",
        "resize: {allocatable: {cpu: 1}}",
        'cordon: ""',
    ],
)
def test_what_a_step_lacks_is_told(step: str) -> None:
    assert load(TIMELINE + f"- {step}\n").has_errors
