"""Whom to evict: importance, budgets, and the choice between nodes."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest

from scheduler_lab.engine import run_text
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.codec import decode
from scheduler_lab.engine.objects.policy import PodDisruptionBudget
from scheduler_lab.engine.scheduler.preemption import Candidate, by_importance, pick, split_by_budgets, started_before
from tests.engine.plugins.builders import pod
from tests.engine.plugins.clusters import labelled


def victim(name: str, priority: int = 0, second: int | None = None) -> PodInfo:
    """A pod that started at the given second of a minute, or never."""
    status = {} if second is None else {"startTime": f"2026-01-01T00:00:{second:02}Z"}
    return pod(name, priority=priority, status=status)


def names(pods: list[PodInfo]) -> list[str]:
    return [each.pod.metadata.name for each in pods]


def test_importance_is_priority_then_age() -> None:
    pods = [victim("low", 1, 1), victim("young", 5, 9), victim("old", 5, 2), victim("high", 9, 30)]
    assert names(by_importance(pods)) == ["high", "old", "young", "low"]


def test_pods_without_a_start_time_are_each_before_the_other() -> None:
    a, b, started = victim("a"), victim("b"), victim("c", second=1)
    assert started_before(a, b) and started_before(b, a)
    assert started_before(started, a) and not started_before(a, started)
    assert names(by_importance([a, b, started])) == ["c", "b", "a"]


def test_long_lists_are_sorted_unstably() -> None:
    """Sixteen equals without a start time, as Go leaves them; insertion would just reverse them."""
    found = names(by_importance([victim(f"p{number}") for number in range(16)]))
    assert sorted(found) == sorted(f"p{number}" for number in range(16))
    assert found != [f"p{number}" for number in reversed(range(16))]


def budget(allowed: int, labels: dict[str, str] | None, **more: Any) -> PodDisruptionBudget:
    selector = {} if labels is None else {"selector": {"matchLabels": labels}}
    built = decode(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "b", "namespace": more.pop("namespace", "default")},
            "spec": selector,
            "status": {"disruptionsAllowed": allowed, **more},
        }
    )
    assert isinstance(built, PodDisruptionBudget)
    return built


@pytest.mark.parametrize(
    ("budgets", "violating"),
    [
        ([budget(0, {"app": "web"})], ["a", "b"]),
        ([budget(1, {"app": "web"})], ["b"]),
        ([budget(2, {"app": "web"})], []),
        ([budget(0, {"app": "db"})], []),
        ([budget(0, {})], []),
        ([budget(0, None)], []),
        ([budget(0, {"app": "web"}, namespace="other")], []),
        ([budget(0, {"app": "web"}, disruptedPods={"a": "2026-01-01T00:00:00Z"})], ["b"]),
        ([budget(1, {"app": "web"}), budget(0, {"app": "web"})], ["a", "b"]),
    ],
)
def test_budgets(budgets: list[PodDisruptionBudget], violating: list[str]) -> None:
    found, others = split_by_budgets([labelled("a"), labelled("b"), labelled("bare", labels="")], budgets)
    assert names(found) == violating
    assert names(others) == [name for name in ("a", "b", "bare") if name not in violating]


LOW = -(2**31)


@pytest.mark.parametrize(
    ("candidates", "best"),
    [
        ([Candidate("a", [victim("x", 1)], 1), Candidate("b", [victim("x", 9)], 0)], "b"),
        ([Candidate("a", [victim("x", 9)]), Candidate("b", [victim("x", 1), victim("y", 1)])], "b"),
        ([Candidate("a", [victim("x", 5), victim("y", 4)]), Candidate("b", [victim("x", 5), victim("y", 3)])], "b"),
        ([Candidate("a", [victim("x", 5), victim("y", LOW)]), Candidate("b", [victim("x", 5)])], "b"),
        ([Candidate("a", [victim("x", 5, 1)]), Candidate("b", [victim("x", 5, 2)])], "b"),
        (
            [
                Candidate("a", [victim("x", 5, 2), victim("y", 1, 1)]),
                Candidate("b", [victim("x", 5, 2), victim("y", 1, 9)]),
            ],
            "a",
        ),
        ([Candidate("a", [victim("x", 5)]), Candidate("b", [victim("x", 5)])], "a"),
    ],
    ids=["violations", "top priority", "sum", "count", "latest start", "only the top ones' start", "first"],
)
def test_pick(candidates: list[Candidate], best: str) -> None:
    assert pick(candidates).node == best
    assert len(candidates) == 2


BUSY = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {capacity: {cpu: 2}}
---
apiVersion: v1
kind: Pod
metadata: {name: small-1}
spec: {priority: 1, nodeName: n1, containers: [{name: c, image: x, resources: {requests: {cpu: 500m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: small-2}
spec: {priority: 2, nodeName: n1, containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}
---
"""


def pending(name: str, priority: int, cpu: str, more: str = "") -> str:
    spec = f"priority: {priority}, {more}containers: [{{name: c, image: x, resources: {{requests: {{cpu: {cpu}}}}}}}]"
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n"


def test_the_important_are_given_back_first() -> None:
    record = run_text(BUSY + pending("web", 9, "500m"))
    [first, second] = record.cycles
    assert first.result is not None and second.result is not None
    assert (first.result.nominated_node, first.result.victims) == ("n1", ["default/small-1"])
    assert second.result.node == "n1" and record.deleted == ["default/small-1"]


def test_a_preemptor_takes_the_node_from_a_less_important_nominee() -> None:
    nominee = pending("mid", 5, "2", "preemptionPolicy: Never, ") + "status: {nominatedNodeName: n1}\n---\n"
    nominee = nominee.replace("---\nstatus", "status")
    later = pending("top", 9, "500m").replace("---\n", "")
    step = f"apiVersion: lab/v1\nkind: Timeline\nsteps:\n- apply: |\n{indent(later, '    ')}"
    before, after = run_text(BUSY + nominee), run_text(BUSY + nominee + step)
    assert before.pods["default/mid"].nominated_node_name == "n1"
    assert after.deleted == ["default/small-1"] and after.pods["default/top"].node_name == "n1"
    assert after.pods["default/mid"].nominated_node_name == ""


def test_never_preempts_when_told_so() -> None:
    [cycle] = run_text(BUSY + pending("web", 9, "500m", "preemptionPolicy: Never, ")).cycles
    assert cycle.result is not None and not cycle.result.victims
    assert cycle.result.message.endswith("preemption: not eligible due to preemptionPolicy=Never.")


def test_several_dry_run_errors_stand_in_brackets() -> None:
    """An extender rejects nodes on which the pod fits as it is: there is nobody to evict."""
    head = (
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        'extenders: [{urlPrefix: "http://lab-extender-x", filterVerb: filter}]\n---\n'
        "apiVersion: lab/v1\nkind: Extender\nname: x\nfilter: {failed: {n1: busy, n2: busy}}\n---\n"
    )
    for name in ("n1", "n2"):
        head += f"apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nstatus: {{capacity: {{cpu: 4}}}}\n---\n"
        head += f"apiVersion: v1\nkind: Pod\nmetadata: {{name: on-{name}}}\n"
        head += f"spec: {{nodeName: {name}, containers: [{{name: c, image: x}}]}}\n---\n"
    cycle = run_text(head + pending("web", 9, "1")).cycles[0]
    assert cycle.result is not None
    each = 'expected at least one victim pod on node "{}"'
    assert cycle.result.message.endswith(f"2 busy. preemption: [{each.format('n1')}, {each.format('n2')}]")
