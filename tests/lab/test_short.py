"""A cycle in short: the outcome, why, and what would have changed it; and what every plugin did."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from scheduler_lab.engine import ALL, run_text
from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present import gangs, kubelets, result, turning
from scheduler_lab.present.attempts import all_facts
from scheduler_lab.present.facts import CycleFacts
from scheduler_lab.present.links import Selection

Recorded = Callable[[str], dict[str, Any]]
CASES = Path(__file__).resolve().parent.parent / "data/cases"
EXAMPLES = Path(__file__).resolve().parents[2] / "scheduler_lab/examples"
REMOVED = """apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 4, memory: 4Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: 1, memory: 4Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 2}}}]}
---
apiVersion: lab/v1
kind: Timeline
steps: [{removeNode: a}]
"""


def view(record: dict[str, Any], **selection: Any) -> result.ResultView:
    return result.build(RunOutcome(record=record), "", "a" * 22, Selection(**selection))


def of(path: Path, **selection: Any) -> result.ResultView:
    return view(run_text(path.read_text(encoding="utf-8"), ALL).to_builtins(), **selection)


def test_a_winner_is_told_with_the_difference(recorded: Recorded) -> None:
    short = view(recorded("cases/76-toleration-does-not-attract")).cycle.short
    assert short.lead.endswith("went to web-1.")
    assert "486 in total, 12 more than ml-1" in short.because[0]
    assert short.because[1] == (
        "Compared with ml-1, for it: NodeResourcesFit +9, NodeResourcesBalancedAllocation +3; nothing against it."
    )


def test_the_nearest_weight_with_another_winner() -> None:
    score = {
        "a": {"Near": {"raw": 1, "normalized": 100, "weighted": 200}, "Fit": {"normalized": 50, "weighted": 50}},
        "b": {"Near": {"raw": 0, "normalized": 0, "weighted": 0}, "Fit": {"normalized": 90, "weighted": 90}},
    }
    cycle = {"pod": "default/p", "score": score, "totals": {"a": 250, "b": 90}, "result": {"node": "a"}}
    assert turning.turning_points(CycleFacts(cycle)) == [
        "Without the points of Near, b would have won.",
        "With weight 6 instead of 1 for Fit, b would have won.",
    ]


@pytest.mark.parametrize("name", ["40-preferred-is-not-required", "76-toleration-does-not-attract"])
def test_the_weights_that_are_told_do_change_the_outcome(recorded: Recorded, name: str) -> None:
    for facts in all_facts(recorded(f"cases/{name}")):
        for plugin, _old, new, winner in turning._changes(facts):
            score = facts.cycle["score"]
            totals = {
                node: sum(new * e["normalized"] if p == plugin else e["weighted"] for p, e in points.items())
                for node, points in score.items()
            }
            assert winner != facts.node
            assert all(totals[winner] > total for node, total in totals.items() if node != winner)


def test_a_tie_is_told_as_one(recorded: Recorded) -> None:
    short = view(recorded("conformance/core/tie-by-node-name")).cycle.short
    assert "the lab takes the smallest name" in short.because[0]


def test_the_cycle_that_decided_is_shown_rather_than_the_one_that_followed(recorded: Recorded) -> None:
    shown = view(recorded("cases/37b-both-are-victims"))
    assert shown.cycle.number == 1
    assert shown.cycle.short.more[0] == "Its next attempt: cycle 2"
    after = view(recorded("cases/37b-both-are-victims"), cycle=2).cycle
    assert after.short.more[0] == "Why that node: cycle 1"
    assert after.matrix.nominated_first or not after.matrix.not_seen


def test_why_preemption_took_a_node() -> None:
    short = of(CASES / "38b-pdb-decides.yaml").cycle.short
    assert any("fewest of its victims are protected by a PodDisruptionBudget" in said for said in short.because)


def test_every_record_can_be_told_in_short() -> None:
    for path in sorted(CASES.glob("*.yaml")):
        shown = of(path)
        if shown.cycle:
            assert shown.cycle.short.lead, path
            assert "%(" not in shown.cycle.short.spoken, path


def test_every_answer_says_something() -> None:
    for name in ("permit-waiting", "volume-wait-for-first-consumer", "prebind-unreserve-order", "plain-fit"):
        record = run_text((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"), ALL).to_builtins()
        for number in range(1, len(record["cycles"]) + 1):
            for phase in ("PreFilter", "PostFilter", "PreScore", "Reserve", "Permit", "PreBind", "Bind", "PostBind"):
                panel = view(record, cycle=number, phase=phase).cycle.panel
                for answer in panel.answers:
                    assert answer.detail or answer.did or answer.url, (name, number, phase, answer.plugin)


def test_the_kubelet_says_why_a_placed_pod_does_not_start() -> None:
    record = run_text((EXAMPLES / "node-name-static-pod.yaml").read_text(encoding="utf-8"), ALL).to_builtins()
    judged, hidden = kubelets.build(record)
    assert hidden == 0
    assert [(one.pod, one.verdict) for one in judged][:2] == [("etcd-worker-1", "pass"), ("pinned", "reject")]
    assert "nodeSelector kubernetes.io/hostname" in judged[1].advice


def test_volcano_tells_its_gangs_and_its_pods_are_not_called_untried() -> None:
    record = run_text((EXAMPLES / "gang-volcano-wrong-annotation.yaml").read_text(encoding="utf-8"), ALL).to_builtins()
    found = gangs.build(record)
    last = found.sessions[0]
    assert [session.number for session in found.sessions] == sorted(
        (session.number for session in found.sessions), reverse=True
    )
    assert {gang.name: gang.verdict for gang in last.gangs}["right"] == "wait"
    assert last.gangs[0].tasks[0].said == "found no node"
    assert view(record).not_running.untried == []


def test_coscheduling_tells_its_groups() -> None:
    record = run_text((EXAMPLES / "gang-coscheduling.yaml").read_text(encoding="utf-8"), ALL).to_builtins()
    groups = {gang.name: gang for gang in gangs.build(record).groups}
    assert (groups["a"].verdict, groups["b"].verdict) == ("wait", "chosen")


def test_a_pod_whose_node_is_gone_is_told() -> None:
    shown = view(run_text(REMOVED, ALL).to_builtins())
    assert shown.headline == "1 pod: 1 without its node"
    assert shown.cluster.stranded
    boxes = {node.name: node for zone in shown.cluster.after for node in zone.nodes}
    assert [(pod.name, pod.change) for pod in boxes["a"].pods] == [("web", "stranded")]


@pytest.mark.django_db
def test_the_page_has_the_new_parts(client: Client) -> None:
    page = client.post("/en/lab/run/", {"text": REMOVED}).content.decode()
    for said in ("In short", "web went to a.", "its node is gone", "pod garbage collector", "How to read this"):
        assert said in page
    page = client.post("/en/lab/run/", {"text": (CASES / "33-nodename-bypasses-scheduler.yaml").read_text()})
    assert "Placed without a scheduler" in page.content.decode()


BROKEN = """apiVersion: lab/v1
kind: Plugin
metadata: {name: Divides}
spec:
  filter: {expression: 1 / node.pods.size() == 1}
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {enabled: [{name: Divides}]}}}]
---
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 4, memory: 4Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: 4, memory: 4Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x}]}
"""


def test_an_error_is_no_rejection() -> None:
    short = view(json.loads(run_text(BROKEN, ALL).to_json())).cycle.short
    assert short.lead == "web got no node: an error ended the cycle."
    assert short.because[0] == 'running "Divides" filter plugin: filter expression: division by zero'
    assert not any("rejected" in said for said in short.because)


def test_a_pre_filter_that_allows_no_node_is_named() -> None:
    expression = '\'{"nodes": ["ghost"]}\''
    text = BROKEN.replace("filter: {expression: 1 / node.pods.size() == 1}", f"preFilter: {{expression: {expression}}}")
    short = view(json.loads(run_text(text, ALL).to_json())).cycle.short
    assert short.lead == "web got no node: PreFilter turned it away."
    assert "Divides narrows the search to ghost" in short.because[0]
