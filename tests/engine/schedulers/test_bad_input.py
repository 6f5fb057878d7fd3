"""Mistakes in Scheduler documents are told at their lines, with the scheduler's name, and nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lab.engine import load, run
from tests.engine.schedulers.texts import node, pod

BEFORE = (node("n1") + pod("p")).lstrip()
HEAD = "\napiVersion: lab/v1\nkind: Scheduler\nmetadata: {name: batch}\n"
FIRST = (BEFORE + HEAD).count("\n") + 1
"""The line on which the spec begins."""


def problems(spec: str, severity: str = "error") -> list[tuple[int, str]]:
    """(line counted from that of the spec, message)."""
    manifest = load(BEFORE + HEAD + spec)
    return [(p.line - FIRST, p.message) for p in manifest.problems if p.severity == severity]


def of_configuration(lines: str) -> tuple[int, str]:
    inner = "\n".join(f"    {line}" for line in lines.splitlines())
    ((line, message),) = problems(f"spec:\n  configuration:\n{inner}\n")
    return line - 2, message


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("spec: {replicas: 9}", "spec.replicas: 9 must be from 1 to 8."),
        ("spec: {replicas: 0}", "spec.replicas: 0 must be from 1 to 8."),
        ("spec: {viewLag: -1}", "spec.viewLag: -1 must be from 0 to 100."),
        ("spec: {replicas: two}", "spec.replicas: expected a whole number, got the text 'two'."),
        ("spec: {lag: 1}", 'unknown field "spec.lag"'),
        ("spec: {configuration: []}", "spec.configuration: expected a map, got a list."),
    ],
)
def test_fields(spec: str, message: str) -> None:
    assert problems(spec) == [(0, message)]


@pytest.mark.parametrize(
    ("configuration", "line", "message"),
    [
        ("parallelism: 0", 0, "parallelism: Invalid value: 0: should be an integer value greater than zero"),
        ("profiles:\n- schedulerNam: x", 1, 'strict decoding error: unknown field "profiles[0].schedulerNam"'),
        (
            "profiles:\n- schedulerName: x\n- schedulerName: z\n  percentageOfNodesToScore: 101",
            3,
            "profiles[1].percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
        ),
        (
            "profiles:\n- schedulerName: x\n  pluginConfig:\n  - name: NodeAffinity\n    args:\n      added: {}",
            5,
            "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for "
            'plugin NodeAffinity: strict decoding error: unknown field "added"',
        ),
        (
            "profiles:\n- schedulerName: x\n  plugins:\n    filter:\n      enabled:\n      - name: NodeSelector",
            5,
            'initializing profiles: creating profile for scheduler name x: FilterPlugin "NodeSelector" does not exist',
        ),
        (
            "profiles:\n- schedulerName: x\n- schedulerName: y",
            2,
            "json: cannot unmarshal bool into Go struct field KubeSchedulerProfile.profiles.schedulerName of "
            "type string",
        ),
        (
            "leaderElection:\n  leaderElect: true\n  leaseDuration: 5s",
            2,
            'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
        ),
        (
            "leaderElection:\n  renewDeadline: 2s",
            1,
            "couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor",
        ),
        (
            "leaderElection:\n  resourceLock: endpoints",
            1,
            'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
        ),
    ],
)
def test_configurations(configuration: str, line: int, message: str) -> None:
    told = f"Scheduler batch: {message}. The scheduler would not start with this configuration."
    assert of_configuration(configuration) == (line, told)


def test_too_many_processes_are_refused_where_they_become_too_many() -> None:
    text = (
        BEFORE + HEAD + "spec: {replicas: 5}\n---\n" + HEAD.replace("batch", "more").lstrip() + "spec: {replicas: 3}\n"
    )
    (problem,) = load(text).errors
    assert (problem.line, problem.params["count"]) == (text.count("\n"), "9")


def test_a_name_is_needed_and_used_once() -> None:
    nameless = load(BEFORE + "\napiVersion: lab/v1\nkind: Scheduler\n")
    assert [problem.message for problem in nameless.errors] == ["metadata.name is required."]
    twice = load(BEFORE + HEAD + "---" + HEAD)
    assert [problem.message for problem in twice.errors] == [f"Scheduler batch is already defined at line {FIRST - 3}."]


def test_the_main_schedulers_configuration_is_the_texts_own() -> None:
    manifest = load(BEFORE + HEAD.replace("batch", "kube-scheduler") + "spec: {configuration: {}}")
    assert "runs with the text's own KubeSchedulerConfiguration" in manifest.errors[0].message


def test_a_shared_lease_and_a_shared_name_are_warned_of() -> None:
    shared = problems("spec: {configuration: {profiles: [{schedulerName: b}]}}", "warning")
    assert "for one lease, kube-system/kube-scheduler" in shared[0][1]
    same = problems("spec: {configuration: {leaderElection: {leaderElect: false}}}", "warning")
    assert "both serve the schedulerName default-scheduler" in same[0][1]
    assert problems("spec: {}", "warning") == []


def test_a_scheduler_does_not_come_with_a_step() -> None:
    step = "\napiVersion: lab/v1\nkind: Timeline\nsteps:\n- apply: |\n    apiVersion: lab/v1\n    kind: Scheduler\n"
    manifest = load(BEFORE + step)
    assert any("cannot come with a step" in problem.message for problem in manifest.errors)


def test_plugins_of_a_further_scheduler_are_enabled() -> None:
    plugin = "\napiVersion: lab/v1\nkind: Plugin\nmetadata: {name: Mine}\nspec: {filter: {expression: 'true'}}\n---"
    spec = "spec: {configuration: {profiles: [{schedulerName: b, plugins: {filter: {enabled: [{name: Mine}]}}}]}}"
    manifest = load(BEFORE + plugin + HEAD + spec)
    assert not manifest.errors
    assert not [problem for problem in manifest.warnings if "No profile enables" in problem.message]


def test_arguments_a_plugin_does_not_know_name_the_scheduler() -> None:
    plugin = (
        "\napiVersion: lab/v1\nkind: Plugin\nmetadata: {name: Mine}\n"
        "spec: {args: {a: 1}, filter: {expression: args.a == 1}}\n---"
    )
    profile = (
        "{schedulerName: b, plugins: {filter: {enabled: [{name: Mine}]}}, pluginConfig: [{name: Mine, args: {b: 2}}]}"
    )
    found = run(load(BEFORE + plugin + HEAD + f"spec: {{configuration: {{profiles: [{profile}]}}}}"))
    assert found.error.startswith("Scheduler batch: initializing profiles: creating profile for scheduler name b:")


_SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False)
_KEYS = st.sampled_from(["profiles", "schedulerName", "leaderElection", "leaderElect", "plugins", "apiVersion", "x"])
_DATA = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8
)


@given(_DATA, st.integers(-2, 12) | st.none(), st.integers(-2, 200) | st.none())
@settings(max_examples=150, deadline=None)
def test_nothing_raises(configuration: object, replicas: int | None, lag: int | None) -> None:
    import json

    spec = {"configuration": configuration, "replicas": replicas, "viewLag": lag}
    manifest = load(BEFORE + HEAD + f"spec: {json.dumps(spec)}\n")
    if not manifest.has_errors:
        run(manifest)
