"""lab/v1 Plugin: what is refused before the run, and what fails in it, never as a crash."""
# ruff: noqa: E501

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler_lab.engine import ALL, load, run, run_text
from tests.engine.custom.plugin_texts import NODES, POD, configuration, cycle, plugin, pod, problems, record

# -- refused when the text is loaded ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "message", "suggestion"),
    [
        ({}, "spec: a plugin needs an expression for at least one extension point.", ""),
        ({"filter": {}}, "spec.filter.expression: an expression is needed.", ""),
        ({"filter": {"expression": " \n"}}, "spec.filter.expression: an expression is needed.", ""),
        ({"score": {"expression": "1 +"}}, "Syntax error: mismatched input '<EOF>'", ""),
        ({"score": {"expression": "1.5"}}, "spec.score.expression: this gives double, but an int is wanted.", ""),
        ({"score": {"expression": '"1"'}}, "this gives string, but an int is wanted", ""),
        ({"filter": {"expression": "1"}}, "this gives int, but a bool, a string or a map is wanted", ""),
        ({"queueSort": {"expression": "a.timestamp"}}, "this gives double, but a bool is wanted", ""),
        ({"score": {"expression": "1 + 1.0"}}, "found no matching overload for '_+_' applied to '(int, double)'", ""),
        ({"score": {"expression": "nope(1)"}}, "undeclared reference to 'nope'", ""),
        ({"score": {"expression": "noode.name.size()"}}, "there is no variable noode at score", "node"),
        ({"preEnqueue": {"expression": "node.name == ''"}}, "there is no variable node at preEnqueue", ""),
        ({"filter": {"expression": "pod.spec.nodName == ''"}}, "there is no field nodName here", "nodeName"),
        (
            {"filter": {"expression": "nodes.all(n, n.alocatable.cpu > 1)"}},
            "there is no field alocatable",
            "allocatable",
        ),
        ({"filter": {"expression": "nodes[0].pods[0].foo == 1"}}, "there is no field foo here", ""),
        ({"filter": {"expression": "pod.?spec.?foo.hasValue()"}}, "there is no field foo here", ""),
        ({"filter": {"expression": 'cel.bind(x, pod.spec, x.foo == "")'}}, "there is no field foo here", ""),
        ({"filter": {"expression": "args.nope == 1"}}, "there is no field nope here", ""),
        ({"filter": {"expression": "variables.nope == 1"}}, "there is no field nope here", ""),
        ({"filter": {"expression": "pod.spec.nodeName == 1"}}, "applied to '(string, int)'", ""),
        ({"args": {"text": "x"}, "score": {"expression": "args.text"}}, "this gives string, but an int is wanted", ""),
        ({"filter": {"expression": "nodes.all(pod, pod.name == '')"}}, "pod is already the name of a variable", ""),
        ({"normalizeScore": {"expression": "score"}}, "spec.normalizeScore: this needs spec.score.", ""),
        ({"preBindPreFlight": {"expression": "true"}}, "spec.preBindPreFlight: this needs spec.preBind.", ""),
        ({"filter": {"expression": "true", "reasonExpression": "1"}}, "this gives int, but a string is wanted", ""),
        ({"permit": {"expression": "true", "timeoutSeconds": -1}}, "-1.0 must not be negative", ""),
        ({"score": {"expression": "x" * 11_000}}, "more than 10240 characters is too long", ""),
        ({"score": {"expression": "(" * 200 + "1" + ")" * 200}}, "recursion limit", ""),
        ({"args": {"a-b": 1}, "score": {"expression": "1"}}, "a-b cannot be read in an expression", ""),
        ({"args": {"a": 2**63}, "score": {"expression": "1"}}, "does not fit in 64 bits", ""),
        ({"events": [{"resource": "Nodes"}], "score": {"expression": "1"}}, "Nodes is no resource or action", "Node"),
        (
            {"events": [{"resource": "Node", "actions": ["Ad"]}], "score": {"expression": "1"}},
            "Ad is no resource",
            "Add",
        ),
        (
            {"events": [{"resource": "Node", "hintExpression": "object.foo"}], "score": {"expression": "1"}},
            "spec.events[0].hintExpression: there is no field foo here.",
            "",
        ),
    ],
)
def test_refused(spec: dict[str, Any], message: str, suggestion: str) -> None:
    found = problems(spec)
    assert len(found) == 1, found
    assert found[0].severity == "error" and message in found[0].message
    assert found[0].suggestion == suggestion or not suggestion


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ([{"name": "", "expression": "1"}], "spec.variables[0].name is required"),
        ([{"name": "if", "expression": "1"}], "if cannot be read in an expression"),
        ([{"name": "a", "expression": "1"}, {"name": "a", "expression": "2"}], "there is a variable a already"),
        ([{"name": "a", "expression": ""}], "spec.variables[0].expression: an expression is needed"),
        ([{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "1"}], "there is no field b here"),
        ([{"name": "a", "expression": "variables.a"}], "there is no field a here"),
        ([{"name": "a", "expression": "optional.of(1)"}], "a variable cannot be of the type optional_type(int)"),
        ([{"name": "a", "expression": "statuses.size() + score.size()"}], "applied to '(int)'"),
    ],
)
def test_variables_refused(variables: list[dict[str, str]], message: str) -> None:
    found = problems({"variables": variables, "score": {"expression": "1"}})
    assert len(found) == 1 and message in found[0].message, found


def test_a_variable_is_checked_where_it_is_used() -> None:
    variables = [{"name": "free", "expression": "node.name.size()"}]
    spec = {"variables": variables, "filter": {"expression": "variables.free > 1"}}
    assert problems(spec) == []
    found = problems({**spec, "preFilter": {"expression": "variables.free > 1"}})
    assert [problem.message for problem in found] == [
        "spec.variables[0].expression: there is no variable node at preFilter."
    ]


@pytest.mark.parametrize("name", ["", "NodeName", "Coscheduling", "LabPermit"])
def test_names_refused(name: str) -> None:
    assert [problem.path for problem in problems({"score": {"expression": "1"}}, name)] == ["metadata.name"]


HEAD = "apiVersion: lab/v1\nkind: Plugin\nmetadata: {name: Mine}\nspec:\n"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("  score:\n    expression: 1 + nope\n", 6, 21),
        ("  score:\n    expression: |\n      1 +\n        nope\n", 8, 9),
        ("  score:\n    expression: >-\n      1 +\n      nope\n", 8, 7),
        ("  score:\n    expression:\n      1 +\n      nope\n", 8, 7),
        ("  score: {expression: '''x''.size() + nope'}\n", 5, 39),
        ('  score: {expression: "\\"x\\".size() + nope"}\n', 5, 39),
        ('  score:\n    expression: |  # 주석\n      "가나".size() + nope\n', 7, 21),
        ("  score: {expression: 1 + nope}\n", 5, 27),
    ],
)
def test_the_place_of_a_mistake(text: str, line: int, column: int) -> None:
    found = load(HEAD + text).errors
    assert [(problem.line, problem.column) for problem in found] == [(line, column)]
    source = (HEAD + text).split("\n")[line - 1]
    assert source[column - 1 :].startswith("nope")


def test_the_place_of_a_mistake_in_json() -> None:
    document = json.dumps(
        {
            "apiVersion": "lab/v1",
            "kind": "Plugin",
            "metadata": {"name": "M"},
            "spec": {"score": {"expression": '"a"\n.size() + "\u00e9" + nope'}},
        }
    )
    (problem,) = load(document).errors
    assert document[problem.column - 1 :].startswith("nope")


def test_the_place_of_a_mistake_in_a_step() -> None:
    inner = HEAD + "  score:\n    expression: 1 + nope\n"
    text = "apiVersion: lab/v1\nkind: Timeline\nsteps:\n- apply: |\n" + "".join(
        f"    {line}\n" for line in inner.splitlines()
    )
    refused, problem = load(text).problems
    assert refused.message.startswith("A plugin is compiled into the scheduler")
    assert text.split("\n")[problem.line - 1][problem.column - 1 :].startswith("nope")


# -- configuration errors --------------------------------------------------------------------------------------------

PROFILE = "initializing profiles: creating profile for scheduler name default-scheduler: "


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"nope": 1}, 'strict decoding error: unknown field "nope"'),
        ({"count": "x"}, "json: cannot unmarshal string into Go struct field MineArgs.count of type int64"),
        ({"count": 1.5}, "json: cannot unmarshal number 1.5 into Go struct field MineArgs.count of type int64"),
        ({"count": True}, "json: cannot unmarshal bool into Go struct field MineArgs.count of type int64"),
        ({"names": [1]}, "json: cannot unmarshal number into Go struct field MineArgs.names of type string"),
        ({"names": {}}, "json: cannot unmarshal object into Go struct field MineArgs.names of type []string"),
        ({"ratio": "x"}, "json: cannot unmarshal string into Go struct field MineArgs.ratio of type float64"),
    ],
)
def test_args_refused(args: dict[str, Any], error: str) -> None:
    spec = {"args": {"count": 1, "names": ["a"], "ratio": 0.5}, "score": {"expression": "args.count"}}
    assert record(spec, config=configuration(args=args))["error"] == f'{PROFILE}initializing plugin "Mine": {error}'


def test_args_accepted() -> None:
    spec = {"args": {"count": 1, "ratio": 0.5}, "score": {"expression": "int(args.ratio * 10.0) + args.count"}}
    given_args = {"apiVersion": "example.com/v1", "kind": "MineArgs", "ratio": 3, "count": None}
    run_ = cycle(spec, config=configuration(args=given_args))
    assert run_["score"]["n1"]["Mine"]["raw"] == 31


def test_a_point_that_the_plugin_does_not_serve() -> None:
    error = record({"score": {"expression": "1"}}, config=configuration(("filter",)))["error"]
    assert error == f'{PROFILE}plugin "Mine" does not extend FilterPlugin plugin'


def test_a_plugin_that_is_not_there() -> None:
    text = "---\n".join([configuration(), NODES, POD])
    assert "QueueSortPlugin" not in json.loads(run_text(text).to_json())["error"]
    assert json.loads(run_text(text).to_json())["error"].endswith('"Mine" does not exist')


def test_a_plugin_that_nobody_enables_does_nothing_and_a_warning_says_so() -> None:
    (warning,) = load(plugin({"filter": {"expression": "false"}})).problems
    assert (warning.severity, warning.path) == ("warning", "metadata.name")
    text = "---\n".join([plugin({"filter": {"expression": "false"}}), NODES, POD])
    assert json.loads(run_text(text).to_json())["pods"]["default/p"]["nodeName"]


def test_a_document_with_mistakes_that_runs_all_the_same_is_a_configuration_error() -> None:
    text = "---\n".join([plugin({"score": {"expression": "nope"}}), configuration(), NODES, POD])
    result = json.loads(run(load(text)).to_json())
    assert result == {
        "error": f'{PROFILE}initializing plugin "Mine": spec.score.expression: there is no variable nope at score.'
    }


def test_two_plugins_of_one_name() -> None:
    one = plugin({"score": {"expression": "1"}})
    manifest = load("---\n".join([one, one]))
    assert manifest.has_errors
    assert json.loads(run(manifest).to_json())["error"] == "a plugin named Mine already exists"


# -- failures in the run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("1 / node.pods.size() == 1", "filter expression: division by zero"),
        ("9223372036854775807 + node.pods.size() + 1 > 0", "filter expression: integer overflow"),
        ('node.metadata.labels.nope == ""', "filter expression: no such key: nope"),
        ("node.pods[3].priority == 1", "filter expression: index out of bounds: 3"),
        ('int("x" + node.name) == 1', "filter expression: cannot convert string to int"),
        ('node.name.matches("(")', "filter expression: invalid regular expression: missing ): ("),
        ("dyn(1)", "filter expression: 1 is not a bool, a string or a map"),
        ("dyn(null)", "filter expression: None is not a bool, a string or a map"),
        ('{"cod": "Error"}', "filter expression: there is no member 'cod': code, reason, reasons"),
        ('{"code": "Wait"}', "filter expression: 'Wait' is no code of this extension point: "),
        ('{"reason": dyn(1)}', "filter reason expression: 1 is not a string"),
        ('{"reasons": [dyn(1)]}', "filter reasons expression: [1] is not a list of strings"),
    ],
)
def test_a_failing_filter_is_an_error_that_names_the_plugin(text: str, failure: str) -> None:
    run_ = cycle({"filter": {"expression": text}})
    assert run_["result"]["code"] == "Error"
    assert run_["result"]["message"].startswith(f'running "Mine" filter plugin: {failure}')


@pytest.mark.parametrize(
    ("point", "text", "message"),
    [
        (
            "preFilter",
            "1 / pods.filter(p, false).size() == 1",
            'running PreFilter plugin "Mine": preFilter expression: division',
        ),
        ("preFilter", '{"nodes": dyn("n1")}', 'running PreFilter plugin "Mine": preFilter nodes expression: '),
        (
            "preFilter",
            '{"state": dyn([1])}',
            'running PreFilter plugin "Mine": preFilter state expression: [1] is not a map',
        ),
        (
            "preScore",
            "1 / waitingPods.size() == 1",
            'running PreScore plugin "Mine": preScore expression: division by zero',
        ),
        (
            "score",
            "1 / waitingPods.size()",
            'running Score plugins: plugin "Mine" failed with: score expression: division',
        ),
        ("score", "dyn(1.5)", 'running Score plugins: plugin "Mine" failed with: score expression: 1.5 is not an int'),
        ("score", "-1", 'plugin "Mine" returns an invalid score -1'),
        ("reserve", "dyn(1)", 'running Reserve plugin "Mine": reserve expression: 1 is not a bool, a string or a map'),
        (
            "permit",
            '"later"',
            "running Permit plugin \"Mine\": permit expression: 'later' is no action: allow, deny or wait",
        ),
        (
            "permit",
            '{"action": "wait", "timeoutSeconds": -1}',
            "permit timeoutSeconds expression: -1 is not a number of s",
        ),
        ("permit", "1 / waitingPods.size() == 1", 'running Permit plugin "Mine": permit expression: division by zero'),
        (
            "preBind",
            "1 / waitingPods.size() == 1",
            'running PreBind plugin "Mine": preBind expression: division by zero',
        ),
    ],
)
def test_failures_by_extension_point(point: str, text: str, message: str) -> None:
    run_ = cycle({point: {"expression": text}})
    assert run_["result"]["code"] == "Error" and message in run_["result"]["message"]


def test_a_failing_normalize_score() -> None:
    run_ = cycle({"score": {"expression": "1"}, "normalizeScore": {"expression": "score / (maxScore - minScore)"}})
    assert run_["result"]["message"] == (
        'running Normalize on Score plugins: plugin "Mine" failed with: normalizeScore expression: division by zero'
    )


def test_a_failing_reason_is_the_plugin_s_error() -> None:
    run_ = cycle({"filter": {"expression": "false", "reasonExpression": "node.metadata.labels.nope"}})
    assert run_["result"]["message"] == 'running "Mine" filter plugin: filter reasonExpression: no such key: nope'


def test_failures_without_a_status_are_told() -> None:
    spec = {"postBind": {"expression": "node.metadata.labels.nope"}}
    run_ = record(spec)
    assert run_["pods"]["default/p"]["nodeName"] == "n1"
    assert run_["x-problems"][0]["message"]["params"]["failure"] == "postBind expression: no such key: nope"
    rejected = record({"unreserve": {"expression": "dyn(1)"}, "permit": {"expression": "false"}, "events": []})
    assert "1 is not a list or a map" in rejected["x-problems"][0]["message"]["params"]["failure"]


# -- cost ------------------------------------------------------------------------------------------------------------


def test_too_many_iterations() -> None:
    pods = [pod(f"p{number}", nodeName="n1") for number in range(30)]
    text = "pods.all(p, pods.all(q, pods.all(r, p.key != '' || q.key != '' || r.key != '')))"
    run_ = record({"preFilter": {"expression": text}}, *pods, pod("last"))["cycles"][0]
    failure = "preFilter expression: operation cancelled: actual cost limit exceeded"
    assert run_["result"]["message"] == f'running PreFilter plugin "Mine": {failure}'


@pytest.mark.parametrize(
    "text",
    [
        "".join(
            f"cel.bind(v{n}, {f'v{n - 1}' if n else 'node.name'} + {f'v{n - 1}' if n else 'node.name'}, "
            for n in range(20)
        )
        + "v19.size()"
        + ")" * 20,
        "node.name" + '.replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")' * 8 + ".size()",
        "pods.map(p, pods.map(q, q.key).join(p.key).replace(p.key, pods.map(q, q.key).join(p.key))).size()",
    ],
)
def test_values_that_grow_too_large(text: str) -> None:
    assert "too large" in problems({"score": {"expression": text}})[0].message


# -- anything at all -------------------------------------------------------------------------------------------------

ATOMS = (
    'pod', 'node', 'nodes', 'pods', 'state', 'args', 'args.count', 'variables.v', 'pod.metadata.labels', 'node.allocatable',
    'node.pods', 'pod.requests["cpu"]', 'node.requested["memory"]', '"x"', '""', "0", "1", "-1", "1.5", "true", "null", "[]",
    "{}", '{"code": "Skip"}', '"wait"', '{"state": {"a": 1}}', '{"nodes": ["n1"]}', "score", "a.pod.priority", "b.timestamp",
    'statuses["n1"].code', "claims", "waitingPods", "optional.none()", 'quantity("1Gi")', 'duration("1s")', "b'x'", "1u", "가",
)  # fmt: skip
JOINS = (
    "({0}) + ({1})", "({0}) / ({1})", "({0}) == ({1})", "({0}) < ({1})", "({0}) && ({1})", "({0}) ? ({1}) : ({0})",
    "({0})[{1}]", "({0}).map(x, {1})", "({0}).filter(x, x == {1})", "({0}).exists(y, y in {1})", "({0}).size()", "has({0}.spec)",
    "int({0})", "string({0})", "[{0}, {1}]", '{{"k": {0}}}', "({0}).name", "({0}).orValue({1})", "({0})[?{1}]", "({0}).sum()",
    "math.abs({0})", "({0}).join({1})", "cel.bind(z, {0}, {1})", "!({0})", "-({0})", "type({0})", "dyn({0})", "({0}", "{0} {1}",
)  # fmt: skip


def expressions() -> st.SearchStrategy[str]:
    joined = st.recursive(
        st.sampled_from(ATOMS),
        lambda inner: st.builds(lambda form, one, other: form.format(one, other), st.sampled_from(JOINS), inner, inner),
        max_leaves=5,
    )
    return st.one_of(joined, st.text(max_size=30))


POINTS = (
    "queueSort", "preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "normalizeScore", "reserve",
    "unreserve", "permit", "preBindPreFlight", "preBind", "postBind",
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(POINTS), expressions(), min_size=1, max_size=4), expressions(), st.booleans())
def test_no_expression_makes_a_run_raise(texts: dict[str, str], variable: str, checked: bool) -> None:
    spec: dict[str, Any] = {point: {"expression": text} for point, text in texts.items()}
    spec |= {"args": {"count": 1, "text": "a"}, "variables": [{"name": "v", "expression": variable}]}
    points = ("multiPoint", "queueSort") if "queueSort" in spec else ("multiPoint",)
    text = "---\n".join([plugin(spec), configuration(points), NODES, POD, pod("q", cpu="3")])
    manifest = load(text)
    result = json.loads(run(manifest, ALL).to_json())
    if manifest.has_errors:
        assert all(problem.line > 0 and problem.column > 0 for problem in manifest.problems)
        assert result
    else:
        assert result.get("cycles") or result.get("preEnqueue") or "error" in result


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(POINTS), expressions())
def test_what_is_accepted_at_a_point_runs(point: str, text: str) -> None:
    spec: dict[str, Any] = {point: {"expression": text}}
    needs = {"normalizeScore": "score", "preBindPreFlight": "preBind"}
    if point in needs:
        spec[needs[point]] = {"expression": "1" if point == "normalizeScore" else "true"}
    if problems(spec):
        return
    points = ("queueSort",) if point == "queueSort" else ("multiPoint",)
    result = record(spec, POD, pod("q", cpu="3"), config=configuration(points))
    assert "error" not in result and (result.get("cycles") or result["preEnqueue"])
