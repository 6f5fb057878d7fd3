"""View models built from recorded runs of the real scheduler: nothing here runs the engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present import attempts, message, pending, result, score, shut_domains
from scheduler_lab.present.facts import CycleFacts
from scheduler_lab.present.links import Links, Selection, parse_selection
from scheduler_lab.present.phases import phases
from scheduler_lab.present.vocabulary import PHASES

Recorded = Callable[[str], dict[str, Any]]
DIGEST = "a" * 22
DATA = Path(__file__).resolve().parent.parent / "data"
TOLERATION = "cases/76-toleration-does-not-attract"
POOLS = "cases/16-many-pools-one-line"
VICTIMS = "cases/37b-both-are-victims"


def view(record: dict[str, Any], **selection: Any) -> result.ResultView:
    return result.build(RunOutcome(record=record), "", DIGEST, Selection(**selection))


def states(facts: CycleFacts, record: dict[str, Any]) -> dict[str, str]:
    return {stop.name: stop.verdict for stop in phases(facts, record)}


def test_a_placed_pod_says_by_how_much_it_won(recorded: Recorded) -> None:
    record = recorded(TOLERATION)
    row = attempts.describe(attempts.all_facts(record)[0])
    assert (row.verdict, row.label, row.why) == ("chosen", "web-1", "486 points, 12 ahead of ml-1")


def test_the_difference_is_told_by_plugin_biggest_first(recorded: Recorded) -> None:
    won, because = score.why(attempts.all_facts(recorded(TOLERATION))[0])
    assert won == "web-1 won by 12 points over ml-1."
    assert because == ["NodeResourcesFit +9", "NodeResourcesBalancedAllocation +3"]


def test_a_tie_names_the_rule(recorded: Recorded) -> None:
    won, _because = score.why(attempts.all_facts(recorded("conformance/core/tie-by-node-name"))[0])
    assert won == "worker-10 and worker-9 have the same total; the lab takes the smaller name."


def test_the_score_table_shows_every_step_and_folds_zeros(recorded: Recorded) -> None:
    table = view(recorded(TOLERATION)).cycle.score
    assert [(column.plugin, column.weight) for column in table.columns] == [
        ("TaintToleration", 3),
        ("NodeResourcesFit", 1),
        ("NodeResourcesBalancedAllocation", 1),
    ]
    assert table.quiet == ["DynamicResources", "ImageLocality"]
    assert [(row.node, row.chosen, row.total) for row in table.rows] == [("web-1", True, 486), ("ml-1", False, 474)]
    assert (table.rows[0].points[0].raw, table.rows[0].points[0].normalized) == ("0", "100")


def test_a_rejected_pod_stops_at_filter(recorded: Recorded) -> None:
    record = recorded(POOLS)
    found = states(attempts.all_facts(record)[0], record)
    assert (found["Filter"], found["PostFilter"]) == ("reject", "reject")
    assert {found[name] for name in PHASES[5:]} == {"none"}


def test_one_feasible_node_skips_scoring(recorded: Recorded) -> None:
    record = recorded("conformance/core/one-feasible-node-is-not-scored")
    found = states(attempts.all_facts(record)[0], record)
    assert (found["PreScore"], found["Score"], found["Bind"]) == ("skip", "skip", "pass")


def test_preemption_names_node_and_victims(recorded: Recorded) -> None:
    record = recorded(VICTIMS)
    first, second = attempts.all_facts(record)
    assert attempts.describe(first).why == "1 node: Insufficient cpu · nominated to worker-1, 2 victims"
    assert states(first, record)["PostFilter"] == "pass"
    assert second.attempt == 2
    panel = view(record, cycle=1, phase="PostFilter").cycle.panel
    assert (panel.nominated, panel.victims) == ("worker-1", ["victim", "keeper"])


def test_waiting_at_permit(recorded: Recorded) -> None:
    record = recorded("conformance/permit/wait-then-allow")
    waiting, allowed = attempts.all_facts(record)
    assert states(waiting, record)["Permit"] == "wait"
    assert states(waiting, record)["Bind"] == "none"
    assert states(allowed, record)["Permit"] == "wait"
    assert states(allowed, record)["Bind"] == "pass"
    assert view(record).headline == "2 pods: 1 running, 1 waiting"
    assert [pod.node for pod in view(record).not_running.waiting] == ["worker-1"]


def test_a_rejection_after_waiting_belongs_to_permit(recorded: Recorded) -> None:
    record = recorded("cases/43c-native-gang-timeout")
    found = states(attempts.all_facts(record)[0], record)
    assert (found["Permit"], found["PreBind"]) == ("reject", "none")


def test_a_gated_pod_is_listed_without_a_cycle(recorded: Recorded) -> None:
    shown = view(recorded("cases/36-scheduling-gate"))
    assert shown.cycle is None
    assert [pod.plugin for pod in shown.held] == ["SchedulingGates"]
    assert shown.headline == "1 pod: 1 gated"
    assert shown.untouched


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("conformance/basics/17-no-nodes", "PreFilter"),
        ("conformance/config/prescore-disabled-score-kept", "Score"),
        ("conformance/extender/bind-error", "Bind"),
        ("conformance/volumes/no-default-class", "PreFilter"),
    ],
)
def test_the_point_that_failed_is_blamed(recorded: Recorded, name: str, point: str) -> None:
    record = recorded(name)
    found = states(attempts.all_facts(record)[0], record)
    failed = [stop for stop, verdict in found.items() if verdict in ("reject", "unresolvable") and stop != "PostFilter"]
    assert failed == [point]


def test_message_parts_name_the_nodes_they_count(recorded: Recorded) -> None:
    facts = attempts.all_facts(recorded(POOLS))[0]
    found = message.build(facts, Links(DIGEST))
    assert [(part.count, part.label, len(part.nodes)) for part in found.parts] == [
        (1, "Insufficient cpu", 1),
        (5, "untolerated taint", 5),
        (1, "no victims found", 1),
        (5, "preemption cannot help", 5),
    ]
    assert [segment.text for segment in found.segments if segment.url] == [
        "1 Insufficient cpu",
        "5 node(s) had untolerated taint(s)",
        "no new claims to deallocate",
        "1 No preemption victims found for incoming pod",
        "5 Preemption is not helpful for scheduling",
    ]


def test_hidden_reasons_are_told(recorded: Recorded) -> None:
    record = recorded(POOLS)
    said = pending.hidden(attempts.all_facts(record)[0], record)
    assert any("which taint" in sentence for sentence in said)
    assert any("first plugin that rejects" in sentence for sentence in said)


def test_a_shut_zone_that_sets_the_limit_is_told() -> None:
    table = {
        "columns": [{"template": name} for name in ("Domain", "Matching pods", "With this pod", "Minimum")],
        "rows": [[f"{shut_domains.ZONE}a", "1", "2", "0"], [f"{shut_domains.ZONE}b", "0", "1", "0"]],
    }
    spread = {"plugin": "PodTopologySpread", "code": "Unschedulable", "reasons": ["spread"]}
    cordon = {"plugin": "NodeUnschedulable", "code": "Unschedulable", "reasons": ["node(s) were unschedulable"]}
    cycle = {
        "pod": "default/web",
        "filter": {"n1": [spread], "n2": [cordon]},
        "x-cluster": [{"name": "n1", "zone": "a"}, {"name": "n2", "zone": "b"}],
        "x-evidence": {"filter": {"n1": {"PodTopologySpread": {"table": table}}}},
    }
    said = shut_domains.shut_domains(CycleFacts(cycle))
    assert len(said) == 1
    assert "b has the fewest" in said[0]
    assert "n2 (cordoned)" in said[0]


def test_an_extender_is_a_column_of_the_matrix(recorded: Recorded) -> None:
    table = view(recorded("conformance/basics/10-extender"), cycle=2).cycle.matrix
    assert table.columns[-1] == "gpu"
    assert table.left == 2
    last = {row.node: row.cells[-1].reason for row in table.rows}
    assert (last["n1"], last["n2"], last["n3"]) == ("no gpu left", "no driver", "")


def test_a_cell_after_the_rejection_is_off(recorded: Recorded) -> None:
    table = view(recorded(POOLS)).cycle.matrix
    row = next(row for row in table.rows if row.node == "gpu-1")
    assert [cell.state for cell in row.cells] == ["ran", "ran", "off"]
    assert table.quiet == ["NodeName"]


def test_many_nodes_are_grouped_and_paged() -> None:
    nodes = {f"n{number}": [{"plugin": "NodeResourcesFit", "code": "Success"}] for number in range(300)}
    for number in range(130):
        nodes[f"n{number}"] = [{"plugin": "NodeResourcesFit", "code": "Unschedulable", "reasons": ["Insufficient cpu"]}]
    cycle = {"pod": "default/p", "attempt": 1, "filter": nodes, "result": {"node": "n200"}}
    table = view({"cycles": [cycle]}, cycle=1, group=1, page=2).cycle.matrix
    assert [(group.verdict, group.count) for group in table.groups] == [("pass", 170), ("reject", 130)]
    assert (table.rows, table.groups[0].nodes) == ([], [])
    assert [node for node, _url in table.groups[1].nodes][:2] == ["n120", "n121"]
    assert table.groups[1].shown == "121–130 / 130"


def test_walking_goes_on_into_the_next_cycle(recorded: Recorded) -> None:
    record = recorded(VICTIMS)
    assert "phase=PreScore" in view(record, cycle=1, phase="PostFilter").cycle.next_url
    assert "cycle=2&phase=PreEnqueue" in view(record, cycle=1, phase="PostBind").cycle.next_url
    assert view(record, cycle=1, phase="PreEnqueue").cycle.previous_url == ""
    assert view(record, cycle=2, phase="PostBind").cycle.next_url == ""


@pytest.mark.parametrize(
    "query", [{"cycle": "9" * 50}, {"cycle": "-1"}, {"cycle": "٣"}, {"phase": "<x>"}, {"page": "x"}]
)
def test_a_senseless_query_falls_back(query: dict[str, str]) -> None:
    assert parse_selection(query) == Selection()


def test_every_recorded_run_can_be_shown_whole() -> None:
    """Every record of the real scheduler: the message is kept word for word, and no list grows beyond its bound."""
    checked = 0
    for path in sorted(DATA.rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record, dict) or "cycles" not in record:
            continue
        facts = attempts.all_facts(record)
        for number in sorted({1, len(facts)}):
            shown = view(record, cycle=number)
            assert len(shown.rows) <= attempts.WINDOW, path
            assert [stop.name for stop in shown.cycle.phases] == list(PHASES), path
        for one in facts:
            parts = message.build(one, Links(DIGEST)).segments
            assert "".join(part.text for part in parts) == one.message, path
            found = states(one, record)
            placed = not one.code
            assert (found["Bind"] == "pass") == placed, path
            assert placed or one.code == "Wait" or {"reject", "unresolvable"} & set(found.values()), path
            checked += 1
    assert checked > 200


@pytest.mark.parametrize(
    ("why", "around"),
    [
        ("node-1 노드의 cpu 리소스는 4 중 3만큼 차 있습니다.", ("", " 노드의 cpu 리소스는 4 중 3만큼 차 있습니다.")),
        ("web does not fit on node-1.", ("web does not fit on ", ".")),
        ("node-10 is full.", ("", ": node-10 is full.")),
        ("the pod is too large.", ("", ": the pod is too large.")),
    ],
)
def test_a_sentence_that_names_the_node_does_not_get_the_name_twice(why: str, around: tuple[str, str]) -> None:
    assert message.Counted("node-1", "#", why).around == around
