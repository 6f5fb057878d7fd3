"""lab/v1 Plugin: every extension point, through a whole run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.custom.plugin_texts import (
    POD,
    configuration,
    cycle,
    pod,
    record,
    scores,
    timeline,
    verdict_on,
    verdicts,
)


def expression(text: str, **more: Any) -> dict[str, Any]:
    return {"expression": text, **more}


# -- filtering -----------------------------------------------------------------------------------------------------


def test_filter_by_a_bool_with_its_reason() -> None:
    rule = expression(
        'node.metadata.labels[?"pool"].orValue("") == args.pool',
        code="UnschedulableAndUnresolvable",
        reasonExpression='"not in pool " + args.pool',
    )
    run = cycle({"args": {"pool": "a"}, "filter": rule})
    assert verdict_on(run, "n1") == ("Success", [])
    assert verdict_on(run, "n2") == ("UnschedulableAndUnresolvable", ["not in pool a"])
    assert run["result"]["node"] == "n1"


def test_args_of_the_configuration_go_before_the_defaults() -> None:
    rule = expression("node.metadata.labels.pool == args.pool")
    run = cycle({"args": {"pool": "a"}, "filter": rule}, config=configuration(args={"pool": "b"}))
    assert run["result"]["node"] == "n2"


def test_filter_by_a_string_and_by_a_map() -> None:
    by_text = cycle({"filter": expression('node.name == "n1" ? "" : "wrong node"', code="Pending")})
    assert verdict_on(by_text, "n2") == ("Pending", ["wrong node"])
    by_map = cycle({"filter": expression('{"reasons": node.name == "n1" ? [] : ["one", "two"]}')})
    assert verdict_on(by_map, "n1") == ("Success", [])
    assert verdict_on(by_map, "n2") == ("Unschedulable", ["one", "two"])
    coded = cycle({"filter": expression('{"code": node.name == "n1" ? "Success" : "Unschedulable", "reason": "no"}')})
    assert verdict_on(coded, "n2") == ("Unschedulable", ["no"])


def test_a_filter_without_a_reason_names_the_plugin() -> None:
    run = cycle({"filter": expression('node.name == "n1"')})
    assert verdict_on(run, "n2")[1] == ["node(s) didn't satisfy plugin Mine"]


def test_pre_filter_remembers_narrows_and_skips() -> None:
    remembering = {
        "preFilter": expression('{"state": {"wanted": "n2"}}'),
        "filter": expression("node.name == state.wanted"),
    }
    assert cycle(remembering)["result"]["node"] == "n2"
    narrowing = cycle({"preFilter": expression('{"nodes": ["n2"]}')})
    assert list(narrowing["filter"]) == ["n2"]
    skipping = cycle({"preFilter": expression('{"code": "Skip"}'), "filter": expression("false")})
    assert skipping["result"]["node"] and verdicts(skipping, "preFilter") == [("Skip", [])]


def test_pre_filter_rejects_the_pod() -> None:
    run = cycle({"preFilter": expression("nodes.size() > 5", reason="too few nodes")})
    assert run["result"]["message"].startswith("0/2 nodes are available: too few nodes.")


def test_the_scheduler_s_counts_and_the_pods_of_a_node() -> None:
    running = pod("r", cpu="1500m", nodeName="n1", priority=7)
    checks = [
        'node.allocatable["cpu"] == (node.name == "n1" ? 4000 : 2000)',
        'node.allocatable["pods"] == 10',
        'node.requested["cpu"] == (node.name == "n1" ? 1500 : 0)',
        'node.requested["pods"] == node.pods.size()',
        'node.nonZeroRequested["memory"] == (node.name == "n1" ? 209715200 : 0)',
        'node.name == "n2" || node.pods[0].key == "default/r" && node.pods[0].priority == 7',
        'pod.requests["cpu"] == 100 && pod.requests["memory"] == 0',
        'pods.size() == 2 && pods.exists(p, p.spec.nodeName == "n1")',
        'nodes.map(n, n.requested["cpu"]).sum() == 1500',
    ]
    run = cycle({"filter": expression(" && ".join(f"({check})" for check in checks))}, running, pod("p"))
    assert [verdict_on(run, node)[0] for node in ("n1", "n2")] == ["Success", "Success"]


def test_unset_fields_read_as_in_go() -> None:
    checks = 'pod.spec.nodeName == "" && pod.metadata.labels == {} && pod.spec.volumes.size() == 0 && '
    run = cycle({"filter": expression(checks + "!has(pod.spec.affinity) && !pod.spec.hostNetwork")})
    assert run["result"]["node"]


def test_claims_of_the_pod() -> None:
    claim = (
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, labels: {kind: fast}}\n"
        "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
    )
    user = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])
    rule = expression('claims.map(c, c.metadata.name + c.metadata.labels.kind) == ["datafast"] ? "seen" : ""')
    run = record({"preEnqueue": rule}, claim, user)
    assert run["preEnqueue"][0]["reasons"] == ["seen"]


# -- variables -----------------------------------------------------------------------------------------------------


def test_variables_build_on_each_other() -> None:
    variables = [
        {"name": "free", "expression": 'node.allocatable["cpu"] - node.requested["cpu"]'},
        {"name": "left", "expression": 'variables.free - pod.requests["cpu"]'},
    ]
    run = cycle({"variables": variables, "filter": expression("variables.left > 2000")})
    assert run["result"]["node"] == "n1"


def test_a_variable_that_is_not_needed_may_fail() -> None:
    variables = [{"name": "first", "expression": "node.pods[0].key"}]
    run = cycle({"variables": variables, "filter": expression('node.pods.size() == 0 || variables.first == "x"')})
    assert run["result"]["node"]
    needed = cycle({"variables": variables, "filter": expression('variables.first == "x"')})
    assert needed["result"]["message"] == 'running "Mine" filter plugin: variable first: index out of bounds: 0'


# -- scoring -------------------------------------------------------------------------------------------------------


def test_score_with_its_weight() -> None:
    config = configuration(("multiPoint",)).replace("name: Mine", "name: Mine\n        weight: 7")
    run = cycle({"score": expression('node.allocatable["cpu"] / 100')}, config=config)
    assert scores(run)["n1"] == {"raw": 40, "normalized": 40, "weighted": 280}


def test_normalize_sees_all_scores() -> None:
    spec = {
        "score": expression('node.allocatable["cpu"]'),
        "normalizeScore": expression("maxScore == minScore ? 0 : (score - minScore) * 100 / (maxScore - minScore)"),
    }
    found = scores(cycle(spec))
    assert [found[node]["normalized"] for node in ("n1", "n2")] == [100, 0]


def test_pre_score_skips_and_remembers() -> None:
    skipped = cycle({"preScore": expression('{"code": "Skip"}'), "score": expression("1")})
    assert "Mine" not in skipped["score"]["n1"]
    kept = cycle({"preScore": expression('{"state": {"n": nodes.size()}}'), "score": expression("state.n")})
    assert scores(kept)["n1"]["raw"] == 2


def test_a_score_out_of_range_is_the_framework_s_error() -> None:
    run = cycle({"score": expression("101")})
    assert run["result"] == {
        "code": "Error",
        "message": 'applying score defaultWeights on Score plugins: plugin "Mine" returns an invalid score 101, '
        "it should in the range of [0, 100] after normalizing",
    }


# -- the queue -----------------------------------------------------------------------------------------------------


def test_queue_sort() -> None:
    spec = {
        "queueSort": expression(
            'a.pod.metadata.labels[?"tier"].orValue("z") < b.pod.metadata.labels[?"tier"].orValue("z")'
        )
    }
    pods = [pod("one", labels={"tier": "c"}), pod("two", labels={"tier": "a"}), pod("three", labels={"tier": "b"})]
    run = record(spec, *pods, config=configuration(("queueSort",)))
    assert [found["pod"] for found in run["cycles"]] == ["default/two", "default/three", "default/one"]


def test_a_failing_queue_sort_is_told_and_the_run_goes_on() -> None:
    spec = {"queueSort": expression("a.pod.metadata.labels.n < b.pod.metadata.labels.n")}
    run = record(spec, pod("one"), pod("two"), config=configuration(("queueSort",)))
    assert len(run["cycles"]) == 2
    message = run["x-problems"][0]["message"]
    assert message["params"] == {"plugin": "Mine", "failure": "queueSort expression: no such key: n"}


def test_pre_enqueue_holds_a_pod() -> None:
    spec = {"preEnqueue": expression("pods.size() > 1", reason="alone", code="UnschedulableAndUnresolvable")}
    run = record(spec)
    assert run["preEnqueue"] == [
        {"pod": "default/p", "plugin": "Mine", "code": "UnschedulableAndUnresolvable", "reasons": ["alone"]}
    ]
    assert run["queue"]["gated"] == ["default/p"]


@pytest.mark.parametrize(
    ("events", "attempts"),
    [
        # Every event, also the update of the pod's own status that tells of the rejection.
        (None, 4),
        ([{"resource": "Node", "actions": ["Add"]}], 2),
        ([{"resource": "Node", "actions": ["Delete"]}], 1),
        ([], 1),
        ([{"resource": "Node", "actions": ["Add"], "hintExpression": 'object.metadata.name == "n3"'}], 2),
        ([{"resource": "Node", "actions": ["Add"], "hintExpression": 'object.metadata.name == "n9"'}], 1),
        # A hint that fails counts as Queue, as upstream has it.
        ([{"resource": "Node", "actions": ["Add"], "hintExpression": "object.metadata.labels.x == args.zone"}], 2),
    ],
)
def test_events_wake_rejected_pods(events: Any, attempts: int) -> None:
    spec: dict[str, Any] = {"args": {"zone": "z"}, "filter": expression("false")}
    if events is not None:
        spec["events"] = events
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n3}\nstatus: {allocatable: {cpu: '1', pods: '5'}}\n"
    run = record(spec, POD, timeline({"apply": node}))
    assert len(run["cycles"]) == attempts


# -- making room ---------------------------------------------------------------------------------------------------


def victims_of(text: str, **more: Any) -> dict[str, Any]:
    spec = {"postFilter": expression(text, **more)}
    config = configuration(("postFilter",), postFilter=["DefaultPreemption"])
    return record(spec, pod("small", cpu="3", nodeName="n1"), pod("big", cpu="3500m"), config=config)


@pytest.mark.parametrize(
    "text",
    ['["default/small"]', '{"node": "n1", "victims": ["default/small"]}', '{"victims": [nodes[0].pods[0].key]}'],
)
def test_post_filter_evicts(text: str) -> None:
    run = victims_of(text)
    assert run["cycles"][0]["result"]["victims"] == ["default/small"]
    assert run["cycles"][0]["result"]["nominatedNode"] == "n1"
    assert run["deleted"] == ["default/small"]
    assert run["pods"]["default/big"]["nodeName"] == "n1"


def test_post_filter_nominates_without_a_victim() -> None:
    assert (
        victims_of('statuses["n1"].code == "Unschedulable" ? "n1" : ""')["cycles"][0]["result"]["nominatedNode"] == "n1"
    )


def test_post_filter_gives_up_with_its_reason() -> None:
    run = victims_of('""', reason="nobody may go")
    assert run["cycles"][0]["result"]["message"].endswith("no new claims to deallocate, nobody may go")


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ('["default/gone"]', "there is no pod default/gone on any node"),
        ('"n9"', "there is no node n9"),
        ('{"node": "n2", "victims": ["default/small"]}', "there is no pod default/small on the node n2"),
    ],
)
def test_post_filter_that_names_what_is_not_there(text: str, failure: str) -> None:
    run = victims_of(text)
    found = next(v for v in run["cycles"][0]["postFilter"] if v["plugin"] == "Mine")
    assert (found["code"], found["reasons"]) == ("Error", [f"postFilter expression: {failure}"])
    assert "deleted" not in run


# -- once a node is chosen -----------------------------------------------------------------------------------------


def test_reserve_rejects_and_everything_is_given_back() -> None:
    run = cycle({"reserve": expression('node.name == "nowhere"', reason="taken")})
    assert run["result"]["message"] == "0/1 nodes are available: 1 taken."
    assert verdicts(run, "unreserve") == [("Success", [])]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("true", ("Success", [])),
        ('"allow"', ("Success", [])),
        ('{"action": "allow"}', ("Success", [])),
        ("false", ("Unschedulable", ["not now"])),
        ('"deny"', ("Unschedulable", ["not now"])),
        ('{"action": "deny", "reason": "never"}', ("Unschedulable", ["never"])),
        ('{"action": "deny", "code": "UnschedulableAndUnresolvable"}', ("UnschedulableAndUnresolvable", ["not now"])),
        ('{"code": "Error", "reason": "broken"}', ("Error", ["broken"])),
        ('"wait"', ("Wait", ["not now"])),
        ('{"action": "wait", "reason": "soon"}', ("Wait", ["soon"])),
    ],
)
def test_permit(text: str, verdict: tuple[str, list[str]]) -> None:
    run = cycle({"permit": expression(text, reason="not now", timeoutSeconds=30)})
    assert verdicts(run, "permit") == [verdict]


@pytest.mark.parametrize(
    ("rule", "seconds"),
    [
        (expression('"wait"'), 900),
        (expression('"wait"', timeoutSeconds=30), 30),
        (expression('{"action": "wait", "timeoutSeconds": 2.5}', timeoutSeconds=30), 2.5),
        (expression('{"action": "wait", "timeoutSeconds": 100000}'), 900),
    ],
)
def test_how_long_permit_waits(rule: dict[str, Any], seconds: float) -> None:
    run = cycle({"permit": rule})
    assert next(v for v in run["permit"] if v["plugin"] == "Mine")["timeoutSeconds"] == seconds


def test_permit_times_out_and_unreserve_rejects_the_others() -> None:
    spec = {
        "permit": expression(
            'pod.metadata.name == "a" ? {"action": "wait", "timeoutSeconds": 10} : {"action": "wait"}'
        ),
        "unreserve": expression('{"reject": waitingPods.map(w, w.pod.key), "reason": "all or none"}'),
        "events": [],
    }
    run = record(spec, pod("a"), pod("b"), timeline({"advanceSeconds": 10}))
    messages = {found["pod"]: found["result"]["message"] for found in run["cycles"]}
    assert messages == {
        "default/a": "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Mine.",
        "default/b": "0/1 nodes are available: 1 all or none.",
    }


def test_permit_lets_waiting_pods_go() -> None:
    text = 'pod.metadata.name == "b" ? {"action": "allow", "allow": waitingPods.map(w, w.pod.key)} : {"action": "wait"}'
    run = record({"permit": expression(text)}, pod("a"), pod("b"))
    assert all(found["nodeName"] for found in run["pods"].values())


def test_pre_bind_and_its_pre_flight() -> None:
    skipped = cycle({"preBindPreFlight": expression("false"), "preBind": expression("false")})
    assert skipped["result"]["node"] and verdicts(skipped, "preBindPreFlight") == [("Skip", [])]
    refused = cycle({"preBind": expression("false", code="Error", reason="not ready")})
    assert refused["result"] == {"code": "Error", "message": 'running PreBind plugin "Mine": not ready'}


def test_post_bind_tells_in_an_event() -> None:
    run = record({"postBind": expression('"bound to " + node.name')})
    event = next(event for event in run["events"] if event["reason"] == "Mine")
    assert event == {"type": "Normal", "reason": "Mine", "regarding": "Pod default/p", "message": "bound to n1"}


def test_two_profiles_have_plugins_of_their_own() -> None:
    config = configuration(args={"pool": "b"}) + (
        "- schedulerName: other\n  plugins: {multiPoint: {enabled: [{name: Mine}]}}\n"
        "  pluginConfig: [{name: Mine, args: {pool: a}}]\n"
    )
    rule = expression("node.metadata.labels.pool == args.pool")
    run = record({"args": {"pool": ""}, "filter": rule}, POD, pod("q", schedulerName="other"), config=config)
    assert {name: found["nodeName"] for name, found in run["pods"].items()} == {"default/p": "n2", "default/q": "n1"}


# -- evidence ------------------------------------------------------------------------------------------------------


def test_evidence_shows_inputs_variables_and_the_result() -> None:
    variables = [{"name": "free", "expression": 'node.allocatable["cpu"]\n  - node.requested["cpu"]'}]
    run = cycle({"args": {"least": 3000}, "variables": variables, "filter": expression("variables.free >= args.least")})
    found = run["x-evidence"]["filter"]["n2"]["Mine"]
    assert found["sentence"]["params"] == {
        "plugin": "Mine", "point": "filter", "result": "false", "pod": "default/p", "node": "n2",
    }  # fmt: skip
    assert found["table"]["rows"] == [
        ["node.allocatable.cpu", "2000"],
        ["node.requested.cpu", "0"],
        ['variables.free = node.allocatable["cpu"] - node.requested["cpu"]', "2000"],
        ["args.least", "3000"],
        ["variables.free >= args.least", "false"],
    ]
    assert [mark["path"] for mark in found["marks"]] == ["spec.filter.expression", "spec.variables[0].expression"]


def test_evidence_of_points_that_run_once() -> None:
    spec = {"preFilter": expression('{"state": {"a": 1}}'), "permit": expression('"allow"'), "score": expression("1")}
    found = cycle(spec)["x-evidence"]
    assert found["preFilter"]["Mine"]["table"]["rows"][-1][1] == '{"state": {"a": 1}}'
    assert found["permit"]["Mine"]["table"]["rows"][-1][1] == '"allow"'
    assert found["score"]["n1"]["Mine"]["table"]["rows"][-1] == ["1", "1"]


def test_evidence_of_a_failure_says_why() -> None:
    found = cycle({"filter": expression("1 / node.pods.size() > 0")})["x-evidence"]["filter"]["n1"]["Mine"]
    assert found["table"]["rows"][-1][1] == "division by zero"
