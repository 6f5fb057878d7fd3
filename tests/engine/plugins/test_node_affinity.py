from typing import Any

import pytest

from scheduler_lab.engine.configuration.types import NodeAffinityArgs
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.affinity import NodeAffinity as NodeAffinitySpec
from scheduler_lab.engine.objects.affinity import PreferredSchedulingTerm
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.plugins.node_affinity import NodeAffinity
from tests.engine.plugins.builders import hint, info, make, node, pod, run_filter, run_score

NOT_MATCHED = "node(s) didn't match Pod's node affinity/selector"
SSD = {"key": "disk", "operator": "In", "values": ["ssd"]}


def requiring(*terms: dict[str, Any], **spec: Any) -> PodInfo:
    required = {"nodeSelectorTerms": list(terms)}
    return pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}, **spec)


def preferring(*terms: tuple[int, dict[str, Any]]) -> PodInfo:
    preferred = [{"weight": weight, "preference": term} for weight, term in terms]
    return pod(affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}})


def added(*, required: bool = False, preferred: int = 0) -> NodeAffinityArgs:
    term = NodeSelectorTerm(match_expressions=[NodeSelectorRequirement(key="disk", operator="In", values=["ssd"])])
    return NodeAffinityArgs(
        added_affinity=NodeAffinitySpec(
            required_during_scheduling_ignored_during_execution=(
                NodeSelector(node_selector_terms=[term]) if required else None
            ),
            preferred_during_scheduling_ignored_during_execution=(
                [PreferredSchedulingTerm(weight=preferred, preference=term)] if preferred else None
            ),
        )
    )


def plugin(args: NodeAffinityArgs | None = None) -> Any:
    return make(NodeAffinity, args or NodeAffinityArgs())


@pytest.mark.parametrize(
    ("incoming", "labels", "passes"),
    [
        (pod(nodeSelector={"disk": "ssd"}), {"disk": "ssd"}, True),
        (pod(nodeSelector={"disk": "ssd"}), {"disk": "hdd"}, False),
        (requiring({"matchExpressions": [SSD]}), {"disk": "ssd"}, True),
        (requiring({"matchExpressions": [SSD]}), {}, False),
        (requiring({"matchExpressions": [{"key": "disk", "operator": "NotIn", "values": ["hdd"]}]}), {}, True),
        (requiring({}, {"matchExpressions": [SSD]}), {"disk": "ssd"}, True),
        (requiring({}), {"disk": "ssd"}, False),
        (requiring(), {"disk": "ssd"}, False),
        (requiring({"matchExpressions": [SSD]}, nodeSelector={"zone": "a"}), {"disk": "ssd"}, False),
        (requiring({"matchExpressions": [{"key": "n", "operator": "Gt", "values": ["6"]}]}), {"n": "007"}, True),
        (requiring({"matchExpressions": [{"key": "n", "operator": "Gt", "values": ["-1"]}]}), {"n": "0"}, False),
    ],
)
def test_filter(incoming: PodInfo, labels: dict[str, str], passes: bool) -> None:
    status = run_filter(plugin(), incoming, info(node(labels=labels)))
    assert (status is None) is passes
    assert passes or status is None or status.reasons == (NOT_MATCHED,)


def test_added_affinity_rejects_with_its_own_text() -> None:
    status = run_filter(plugin(added(required=True)), pod(), info())
    assert status is not None
    assert status.reasons == ("node(s) didn't match scheduler-enforced node affinity",)


def names(operator: str, *values: str) -> dict[str, Any]:
    return {"key": "metadata.name", "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("incoming", "expected", "code"),
    [
        (pod(), None, "Skip"),
        (pod(nodeSelector={"a": "b"}), None, None),
        (requiring({"matchFields": [names("In", "n1")]}), {"n1"}, None),
        (requiring({"matchFields": [names("In", "n1")]}, {"matchFields": [names("In", "n2")]}), {"n1", "n2"}, None),
        (requiring({"matchFields": [names("In", "n1")]}, {"matchExpressions": [SSD]}), None, None),
        (requiring({"matchFields": [names("NotIn", "n1")]}), None, None),
        (requiring({"matchFields": [names("In", "n1", "n2")]}), {"n1", "n2"}, None),
        (requiring({"matchFields": [names("In", "n1"), names("In", "n2")]}), None, "UnschedulableAndUnresolvable"),
        (requiring(), None, None),
    ],
)
def test_pre_filter(incoming: PodInfo, expected: set[str] | None, code: str | None) -> None:
    result, status = plugin().pre_filter(CycleState(), incoming, [])
    assert result == expected
    assert (status.code.value if status else None) == code


def test_conflicting_names_have_their_text() -> None:
    incoming = requiring({"matchFields": [names("In", "n1"), names("In", "n2")]})
    _, status = plugin().pre_filter(CycleState(), incoming, [])
    assert status.reasons == ("pod affinity terms conflict",)
    assert plugin().explain_pre_filter(CycleState(), incoming).marks


def test_score_adds_weights_and_normalizes() -> None:
    nodes = [info(node("n1", {"disk": "ssd", "zone": "a"})), info(node("n2", {"disk": "ssd"})), info(node("n3"))]
    incoming = preferring(
        (30, {"matchExpressions": [SSD]}), (10, {"matchExpressions": [{"key": "zone", "operator": "Exists"}]})
    )
    assert run_score(plugin(), incoming, nodes) == {"n1": 100, "n2": 75, "n3": 0}
    evidence = plugin().explain_score(CycleState(), incoming, nodes[1])
    assert [row.value for row in evidence.rows] == ["30", "0", "30"]


def test_added_preferences_count_for_pods_without_any() -> None:
    nodes = [info(node("n1", {"disk": "ssd"})), info(node("n2"))]
    assert run_score(plugin(added(preferred=5)), pod(), nodes) == {"n1": 100, "n2": 0}


def test_pre_score_skips_or_fails() -> None:
    assert plugin().pre_score(CycleState(), pod(), []).code.value == "Skip"
    broken = {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["eight"]}]}
    status = plugin().pre_score(CycleState(), preferring((1, broken)), [])
    assert status.code.value == "Error"
    assert status.message == (
        '[0].matchExpressions[0].values[0]: Invalid value: "eight": '
        "for 'Gt', 'Lt' operators, the value must be an integer"
    )
    assert plugin().pre_score(CycleState(), preferring((0, broken)), []) is None


def test_hints() -> None:
    waiting = requiring({"matchExpressions": [SSD]})
    bare, ssd = node(), node(labels={"disk": "ssd"})
    assert hint(plugin(), 0, waiting, None, ssd) == "Queue"
    assert hint(plugin(), 0, waiting, None, bare) == "Skip"
    assert hint(plugin(), 0, waiting, bare, ssd) == "Queue"
    assert hint(plugin(), 0, waiting, ssd, ssd) == "Skip"
    assert hint(plugin(added(required=True)), 0, pod(), None, bare) == "Skip"
    assert hint(plugin(added(required=True)), 0, pod(), bare, ssd) == "Skip"


def test_it_compares_requirements_with_labels() -> None:
    incoming = requiring({"matchExpressions": [SSD]}, nodeSelector={"example.com/pool": "a"})
    evidence = plugin().explain_filter(CycleState(), incoming, info(node(labels={"disk": "ssd"})))
    assert evidence.table.rows == [
        ["nodeSelector", "example.com/pool=a", "—", "✗"],
        ["1", "disk In (ssd)", "ssd", "✓"],
    ]
    assert [mark.path for mark in evidence.marks] == ["spec.nodeSelector[example.com/pool]"]
    passing = plugin().explain_filter(
        CycleState(), requiring({"matchExpressions": [SSD]}), info(node(labels={"disk": "ssd"}))
    )
    assert passing.marks[-1].path == "metadata.labels.disk"
