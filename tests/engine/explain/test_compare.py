"""Two runs held against each other."""

from pathlib import Path

import msgspec
import pytest

from scheduler_lab.engine import ALL, load, run, run_text
from scheduler_lab.engine.explain.compare import Comparison, EventChange, Flip, Judgement, PodEnd, ScoreChange, compare

CASES = Path(__file__).resolve().parents[2] / "data" / "cases"


def of_cases(before: str, after: str) -> Comparison:
    return compare(*(run(load((CASES / f"{name}.yaml").read_text()), ALL) for name in (before, after)))


NODES = """\
apiVersion: v1
kind: Node
metadata: {name: a, labels: {disk: ssd}}
status: {allocatable: {cpu: "4", memory: 8Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: "8", memory: 16Gi}}
"""
POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}
"""


@pytest.mark.parametrize("source", sorted(CASES.glob("*.yaml"))[::5], ids=lambda path: path.stem)
def test_a_run_is_the_same_as_itself(source: Path) -> None:
    record = run(load(source.read_text()), ALL)
    assert compare(record, record.to_builtins()).same


def test_a_pod_that_gets_a_node() -> None:
    found = of_cases("09-first-failure-only", "09b-selector-removed")
    (change,) = found.pods
    assert (change.pod, change.kind) == ("default/crawler", "placed")
    assert change.before is not None and change.before.message.startswith("0/5 nodes are available: 5 node(s) didn't")
    assert change.after == PodEnd(node="worker-5", attempts=1)
    assert len(found.flips) == 5
    assert found.flips[0] == Flip(
        "default/crawler",
        "worker-1",
        Judgement(
            "UnschedulableAndUnresolvable", "NodeAffinity", ["node(s) didn't match Pod's node affinity/selector"]
        ),
        Judgement("UnschedulableAndUnresolvable", "NodeResourcesFit", ["Insufficient cpu"]),
    )
    assert [event.reason for event in found.events] == ["FailedScheduling", "Scheduled"]


def test_a_pod_that_moves_and_the_points_that_moved_it() -> None:
    before = run_text(NODES + POD)
    after = run_text(NODES + POD.replace("spec: {", "spec: {nodeSelector: {disk: ssd}, "))
    found = compare(before, after)
    (change,) = found.of_kind("moved")
    assert change.before is not None and change.after is not None
    assert (change.before.node, change.after.node) == ("b", "a")
    points = before.to_builtins()["cycles"][0]["score"]["b"]["NodeResourcesFit"]["weighted"]
    assert ScoreChange("default/web", "b", "NodeResourcesFit", points, None) in found.scores
    assert {flip.node for flip in found.flips} == {"b"}


def test_pods_and_nodes_that_come_and_go() -> None:
    before, after = run_text(NODES + POD), run_text(NODES.replace("name: a", "name: z") + POD.replace("web", "api"))
    found = compare(before, after)
    assert [(change.pod, change.kind) for change in found.pods] == [("default/web", "gone"), ("default/api", "new")]
    assert (found.new_nodes, found.gone_nodes) == (["z"], ["a"])
    assert (
        EventChange("Normal", "Scheduled", "Pod default/web", "Successfully assigned default/web to b", 1, 0)
        in found.events
    )


def test_a_pod_that_loses_its_node() -> None:
    found = compare(run_text(NODES + POD), run_text(NODES + POD.replace('cpu: "1"', 'cpu: "20"')))
    assert [change.kind for change in found.pods] == ["lost"]


def test_more_than_the_limit_is_counted() -> None:
    found = compare(run_text(NODES + POD), run_text(NODES + POD.replace('cpu: "1"', 'cpu: "20"')), limit=1)
    assert (len(found.flips), found.more_flips, len(found.events), found.more_events) == (1, 1, 1, 1)


def test_a_run_that_was_refused() -> None:
    found = compare(run_text(NODES + POD), run_text(NODES + POD.replace("kind: Pod", "kind: Pod\nnonsense: 1")))
    assert found.before == ""
    assert "nonsense" in found.after
    assert not found.same


def test_it_travels_as_json() -> None:
    found = of_cases("09-first-failure-only", "09b-selector-removed")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found
