"""What must hold in every run, over clusters that nobody wrote by hand.

`HYPOTHESIS_PROFILE=thorough` tries thousands of new clusters; without it the same few are tried every time.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from scheduler_lab.engine import ALL, NONE, run_text
from scheduler_lab.engine.scheduler.fit_error import event_note
from tests.engine.clusters_strategy import Document, Scenario, scenarios
from tests.engine.placement_oracle import Placement, priority, requests

settings.register_profile("quick", max_examples=150, derandomize=True, database=None)
settings.register_profile("thorough", max_examples=5000)
PROFILE = settings(
    settings.get_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)
FILTERS = [
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
]
Record = dict[str, Any]
Cycle = dict[str, Any]


@PROFILE
@given(scenarios())
def test_every_record_holds_together(scenario: Scenario) -> None:
    whole = run_text(scenario.text, ALL)
    record = whole.to_builtins()
    assert "error" not in record and "scenarioError" not in record and "x-problems" not in record
    for cycle in record.get("cycles", []):
        check_filter(cycle)
        check_scores(cycle, scenario.weights[cycle["profile"]])
        check_choice(cycle)
        check_message(cycle)
        check_preemption(scenario, cycle)
        check_queue_order(scenario, cycle)
        check_cluster(scenario, cycle.get("x-cluster", []))
        check_placement(scenario, cycle)
    check_cluster(scenario, record.get("x-cluster", []))
    check_ends(scenario, record)
    check_events(record)
    assert run_text(scenario.text, ALL).to_json() == whole.to_json()
    plain = run_text(scenario.text, NONE).to_builtins()
    assert without_extras(plain) == without_extras(record)


def without_extras(value: Any) -> Any:
    """The record as the real scheduler's would be: no member named `x-…`."""
    if isinstance(value, dict):
        return {key: without_extras(member) for key, member in value.items() if not key.startswith("x-")}
    return [without_extras(member) for member in value] if isinstance(value, list) else value


# -- one cycle -----------------------------------------------------------------------------------------------------


def rejections(cycle: Cycle) -> dict[str, Document]:
    """Rejected node → the verdict that did it."""
    return {
        node: verdicts[-1]
        for node, verdicts in cycle.get("filter", {}).items()
        if verdicts and verdicts[-1]["code"] != "Success"
    }


def check_filter(cycle: Cycle) -> None:
    """Plugins in their order, at most the last one rejects, and says why."""
    skipped = {v["plugin"] for v in cycle.get("preFilter", []) if v["code"] == "Skip"}
    for verdicts in cycle.get("filter", {}).values():
        names = [verdict["plugin"] for verdict in verdicts]
        assert names == [name for name in FILTERS if name not in skipped][: len(names)]
        assert all(verdict["code"] == "Success" for verdict in verdicts[:-1])
        assert verdicts[-1]["code"] == "Success" or verdicts[-1]["reasons"]


def extender_rejections(cycle: Cycle) -> dict[str, str]:
    """Node → reason, from the extenders' filter calls."""
    found: dict[str, str] = {}
    for call in cycle.get("extenders", []):
        if call["verb"] == "filter":
            found |= call["result"].get("failed", {}) | call["result"].get("failedAndUnresolvable", {})
    return found


def check_scores(cycle: Cycle, weights: dict[str, int]) -> None:
    """Weighted scores are normalised ones times the weight, totals their sums, nodes the feasible ones."""
    totals, scores = cycle.get("totals", {}), cycle.get("score", {})
    if not totals:
        assert not scores
        return
    feasible = cycle["filter"].keys() - rejections(cycle).keys() - extender_rejections(cycle).keys()
    assert totals.keys() == feasible
    assert len(feasible) > 1
    for node, row in scores.items():
        assert totals[node] == sum(score["weighted"] for score in row.values())
        for plugin, score in row.items():
            if "normalized" in score:
                assert 0 <= score["normalized"] <= 100
                assert score["weighted"] == score["normalized"] * weights[plugin]
    assert scores.keys() in (set(), totals.keys())


def check_choice(cycle: Cycle) -> None:
    """The highest total, then the smallest name; without totals the only feasible node."""
    node = cycle["result"].get("node")
    if node is None:
        return
    totals = cycle.get("totals")
    if totals:
        assert node == min(totals, key=lambda name: (-totals[name], name))
    else:
        assert cycle["filter"].keys() - rejections(cycle).keys() - extender_rejections(cycle).keys() == {node}


def check_message(cycle: Cycle) -> None:
    """The message of a pod that fits nowhere is the filter matrix, counted."""
    result = cycle["result"]
    if result.get("code") != "Unschedulable" or "reserve" in cycle:
        return
    nodes = len(cycle["x-cluster"])
    rejected = [v for v in cycle["preFilter"] if v["code"] not in ("Success", "Skip")]
    if rejected:
        why = ", ".join(rejected[-1]["reasons"])
    else:
        by_node = {node: verdict["reasons"] for node, verdict in rejections(cycle).items()}
        by_node |= {node: [reason] for node, reason in extender_rejections(cycle).items()}
        counts = Counter(reason for reasons in by_node.values() for reason in reasons)
        narrowing = sorted(v["plugin"] for v in cycle["preFilter"] if "nodeNames" in v)
        if narrowing and len(by_node) < nodes:
            counts[f"node(s) didn't satisfy plugin(s) [{' '.join(narrowing)}]"] = nodes - len(by_node)
        why = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
    text = f"0/{nodes} nodes are available: {why}. {post_filter_text(cycle.get('postFilter', []))}"
    assert result["message"] == text.rstrip()


def post_filter_text(answers: list[Document]) -> str:
    """All reasons; an error stands alone, success says nothing."""
    if any(answer["code"] == "Success" for answer in answers):
        return ""
    if answers and answers[-1]["code"] == "Error":
        answers = answers[-1:]
    return ", ".join(reason for answer in answers for reason in answer.get("reasons", []))


def check_preemption(scenario: Scenario, cycle: Cycle) -> None:
    """Victims run on the nominated node and matter less."""
    result = cycle["result"]
    victims, nominated = result.get("victims", []), result.get("nominatedNode")
    if nominated is None:
        assert not victims
        return
    node = next(entry for entry in cycle["x-cluster"] if entry["name"] == nominated)
    on_node = {pod["key"] for pod in node["pods"]}
    assert victims and len(set(victims)) == len(victims)
    for victim in victims:
        assert victim in on_node
        assert priority(scenario.pods[victim]) < priority(scenario.pods[cycle["pod"]])


def check_queue_order(scenario: Scenario, cycle: Cycle) -> None:
    """The popped pod is the most important of those ready."""
    ready = [priority(scenario.pods[key]) for key in cycle["x-queue"]["active"]]
    assert ready == sorted(ready, reverse=True)
    assert cycle["x-queue"]["active"][0] == cycle["pod"]


def check_cluster(scenario: Scenario, cluster: list[Document]) -> None:
    """What a node is said to have given away is the sum of its pods; no pod is on two nodes."""
    keys = [pod["key"] for node in cluster for pod in node["pods"]]
    assert len(keys) == len(set(keys))
    for node in cluster:
        assert node["requested"]["pods"] == len(node["pods"])
        for name in ("cpu", "memory"):
            assert node["requested"][name] == sum(requests(scenario.pods[pod["key"]])[name] for pod in node["pods"])


def check_placement(scenario: Scenario, cycle: Cycle) -> None:
    """The scheduler never overfills a node, nor breaks a rule of the pod or of its neighbours."""
    node = cycle["result"].get("node")
    if node is None:
        return
    placement = Placement(scenario.pods[cycle["pod"]], node, cycle["x-cluster"], scenario.pods, scenario.nodes)
    assert placement.problems() == []


# -- the whole run -------------------------------------------------------------------------------------------------


def check_ends(scenario: Scenario, record: Record) -> None:
    """Every pod is in exactly one place: on a node, or in one of the queue's lists; nobody's pods are in none."""
    queue = record.get("queue", {})
    places = ("active", "backoff", "unschedulable", "gated", "waitingOnPermit")
    listed = Counter(key for place in places for key in queue.get(place, []))
    placed = {key: pod["nodeName"] for key, pod in record.get("pods", {}).items() if "nodeName" in pod}
    names = [node["name"] for node in record.get("x-cluster", [])]
    assert not listed.keys() - record.get("pods", {}).keys()
    for key in record.get("pods", {}):
        served = scenario.pods[key]["spec"].get("schedulerName") != "nobody"
        assert listed[key] + (key in placed) == (1 if served else 0), key
    for node in record.get("x-cluster", []):
        for pod in node["pods"]:
            assert placed.get(pod["key"], node["name"]) == node["name"]
            assert pod["key"] in placed or pod["key"] in queue["waitingOnPermit"]
    bound = {cycle["pod"]: cycle["result"]["node"] for cycle in record.get("cycles", []) if "node" in cycle["result"]}
    for key, node in bound.items():
        assert placed.get(key, node) == node or node not in names


def check_events(record: Record) -> None:
    """One event for each cycle that ended, with the cycle's message."""
    cycles = [c for c in record.get("cycles", []) if c["result"].get("code") != "Wait"]
    events = Counter((e["reason"], e["regarding"], e["message"]) for e in record.get("events", []))
    expected: Counter[tuple[str, str, str]] = Counter()
    for cycle in cycles:
        regarding, result = f"Pod {cycle['pod']}", cycle["result"]
        if "node" in result:
            text = f"Successfully assigned {cycle['pod']} to {result['node']}"
            expected["Scheduled", regarding, text] += 1
        else:
            expected["FailedScheduling", regarding, event_note(result["message"])] += 1
    assert +Counter({key: count for key, count in events.items() if key[0] != "Preempted"}) == expected
