"""The plugin Coscheduling of kubernetes-sigs/scheduler-plugins."""

from __future__ import annotations

import pytest

from scheduler_lab.engine import ALL, run_text
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.plugins.coscheduling.min_resources import Amount
from tests.engine.custom.gangs import (
    applied,
    configuration,
    cycles_of,
    documents,
    member,
    node,
    nodes,
    pod,
    pod_group,
    record,
    timeline,
)


def test_a_gang_that_fits_starts_together() -> None:
    names = ["a-0", "a-1", "a-2"]
    found = record(
        documents(configuration(), pod_group("a", "minMember: 3"), node("n1", "4"), *(member(n, "a") for n in names))
    )
    assert nodes(found) == dict.fromkeys(names, "n1")
    codes = [[verdict["code"] for verdict in cycles_of(found, name)[0]["permit"]] for name in names]
    assert codes == [["Wait"], ["Wait"], ["Success"]]
    assert found["x-podGroups"] == {
        "default/a": {"phase": "Running", "minMember": 3, "running": 3, "succeeded": 0, "failed": 0}
    }


def test_too_few_siblings_are_rejected_before_any_node_is_looked_at() -> None:
    found = record(
        documents(
            configuration(), pod_group("a", "minMember: 3"), node("n1", "4"), member("a-0", "a"), member("a-1", "a")
        )
    )
    first = cycles_of(found, "a-0")[0]
    reason = "pre-filter pod a-0 cannot find enough sibling pods, current pods number: 2, minMember of group: 3"
    assert first["preFilter"][-1] == {
        "plugin": "Coscheduling",
        "code": "UnschedulableAndUnresolvable",
        "reasons": [reason],
    }
    assert "filter" not in first
    assert first["result"]["message"] == (
        f"0/1 nodes are available: {reason}. no new claims to deallocate, preemption: 0/1 nodes are available: "
        "1 Preemption is not helpful for scheduling., "
        "PodGroup default/a gets rejected due to Pod a-0 is unschedulable even after PostFilter"
    )
    assert found["x-podGroups"]["default/a"]["phase"] == "Pending"


def test_the_last_sibling_activates_the_others() -> None:
    text = documents(
        configuration(),
        pod_group("a", "minMember: 3"),
        node("n1", "4"),
        member("a-0", "a"),
        member("a-1", "a"),
        timeline(applied(member("a-2", "a"))),
    )
    found = record(text)
    assert set(nodes(found)) == {"a-0", "a-1", "a-2"}
    assert cycles_of(found, "a-2")[0]["permit"][0]["code"] == "Wait"


def test_gated_siblings_do_not_count() -> None:
    gated = member("a-2", "a", spec="schedulingGates: [{name: example.com/g}]")
    found = record(
        documents(
            configuration(),
            pod_group("a", "minMember: 3"),
            node("n1", "4"),
            member("a-0", "a"),
            member("a-1", "a"),
            gated,
        )
    )
    assert "current pods number: 2, minMember of group: 3" in cycles_of(found, "a-0")[0]["result"]["message"]


def test_a_pod_without_a_group_is_scheduled_as_ever() -> None:
    found = record(documents(configuration(), node("n1", "1"), pod("web"), pod("late")))
    assert nodes(found) == {"web": "n1"}
    assert cycles_of(found, "late")[0]["result"]["message"].endswith("incoming pod., can not find pod group")


def test_a_label_that_names_no_group_is_refused_in_permit() -> None:
    found = record(documents(configuration(), node("n1", "1"), member("a-0", "a")))
    assert cycles_of(found, "a-0")[0]["result"]["message"] == "0/1 nodes are available: 1 PodGroup not found."


def test_the_group_turning_up_wakes_its_pods() -> None:
    steps = timeline(applied(pod_group("a", "minMember: 1")))
    found = record(documents(configuration(), node("n1", "1"), member("a-0", "a"), steps))
    assert nodes(found) == {"a-0": "n1"}
    assert any("scheduling.x-k8s.io" in wake["event"] for wake in cycles_of(found, "a-0")[1]["x-requeue"])


def test_a_missing_share_above_the_threshold_rejects_those_that_wait() -> None:
    names = ["a-0", "a-1", "a-2"]
    found = record(
        documents(configuration(), pod_group("a", "minMember: 3"), node("n1", "2"), *(member(n, "a") for n in names))
    )
    messages = [cycles_of(found, name)[0]["result"]["message"] for name in names]
    assert messages[:2] == ["0/1 nodes are available: 1 optimistic rejection in PostFilter."] * 2
    assert messages[2].endswith(
        "PodGroup default/a gets rejected due to Pod a-2 is unschedulable even after PostFilter"
    )
    assert nodes(found) == {}


def test_a_group_that_has_failed_backs_off() -> None:
    names = ["a-0", "a-1", "a-2"]
    text = documents(
        configuration(podGroupBackoffSeconds=20),
        pod_group("a", "minMember: 3"),
        node("n1", "2"),
        *(member(n, "a") for n in names),
    )
    second = cycles_of(record(text), "a-2")[1]
    assert second["result"]["message"].startswith("0/1 nodes are available: podGroup default/a failed recently. ")
    bigger = applied(node("n2", "2"))
    touched = applied(pod_group("a", "minMember: 3", ", labels: {seen: x}"))
    assert nodes(record(documents(text, timeline(bigger, touched)))) == {}
    late = record(documents(text, timeline(bigger, "advanceSeconds: 20", touched)))
    assert set(nodes(late)) == set(names)


def test_min_resources_are_compared_with_the_cluster() -> None:
    text = documents(
        configuration(),
        pod_group("a", 'minMember: 2, minResources: {cpu: "5", memory: 1Gi}'),
        node("n1", "2"),
        node("n2", "2500m"),
        pod("other", "500m", spec="nodeName: n1"),
        member("a-0", "a"),
        member("a-1", "a"),
    )
    reason = cycles_of(record(text), "a-0")[0]["preFilter"][-1]["reasons"][0]
    assert reason == "resource gap: map[cpu:{{1000 -3} {<nil>}  DecimalSI}]"
    enough = text.replace('cpu: "5"', 'cpu: "4"')
    assert set(nodes(record(enough))) == {"a-0", "a-1", "other"}


def test_what_the_group_itself_uses_counts_as_free() -> None:
    text = documents(
        configuration(),
        pod_group("a", 'minMember: 2, minResources: {cpu: "2"}'),
        node("n1", "2"),
        member("a-0", "a", spec="nodeName: n1"),
        member("a-1", "a"),
    )
    assert set(nodes(record(text))) == {"a-0", "a-1"}


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("4", "{{4 0} {<nil>}  DecimalSI}"),
        ("500m", "{{500 -3} {<nil>}  DecimalSI}"),
        ("1.5", "{{15 -1} {<nil>}  DecimalSI}"),
        ("2k", "{{2 3} {<nil>}  DecimalSI}"),
        ("1e3", "{{1 3} {<nil>}  DecimalExponent}"),
        ("2Gi", "{{2147483648 0} {<nil>}  BinarySI}"),
    ],
)
def test_amounts_are_printed_as_go_prints_the_struct(text: str, printed: str) -> None:
    assert str(Amount.of(Quantity.parse(text))) == printed


def order(found: dict[str, object]) -> list[str]:
    cycles = found["cycles"]
    assert isinstance(cycles, list)
    return [str(cycle["pod"]).removeprefix("default/") for cycle in cycles]


def test_the_queue_keeps_groups_together_by_their_creation() -> None:
    text = documents(
        configuration(),
        pod_group("b", "minMember: 2", ', creationTimestamp: "2025-01-02T00:00:00Z"'),
        pod_group("a", "minMember: 2", ', creationTimestamp: "2025-01-03T00:00:00Z"'),
        node("n1", "9"),
        pod("plain"),
        member("a-1", "a"),
        member("b-1", "b"),
        member("a-0", "a"),
        member("b-0", "b"),
        pod("urgent", spec="priority: 10"),
    )
    assert order(record(text)) == ["urgent", "b-0", "b-1", "a-0", "a-1", "plain"]


def test_a_group_that_failed_goes_behind_what_was_created_before_that() -> None:
    text = documents(
        configuration(podGroupBackoffSeconds=1),
        pod_group("big", "minMember: 3"),
        node("n1", "2"),
        *(member(f"big-{index}", "big") for index in range(3)),
        pod("plain", "3"),
        timeline("advanceSeconds: 301"),
    )
    cycles = record(text)["cycles"]
    assert [cycle["pod"] for cycle in cycles][:4] == [
        f"default/{name}" for name in ("big-0", "big-1", "big-2", "plain")
    ]
    assert next(cycle["pod"] for cycle in cycles if cycle.get("step") == 1) == "default/plain"


def test_two_groups_of_different_schedulers_may_share_a_name() -> None:
    volcano = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: a}\nspec: {minMember: 9}"
    found = record(
        documents(configuration(), pod_group("a", "minMember: 1"), volcano, node("n1", "1"), member("a-0", "a"))
    )
    assert nodes(found) == {"a-0": "n1"}


def test_what_it_says_about_itself() -> None:
    text = documents(
        configuration(podGroupRejectPercentage=50),
        pod_group("a", "minMember: 3"),
        node("n1", "2"),
        *(member(f"a-{index}", "a") for index in range(3)),
    )
    cycles = run_text(text, ALL).cycles
    assert str(cycles[0].x_evidence["preFilter"]["Coscheduling"].sentence).startswith("3 pods of default/a may be")
    assert str(cycles[0].x_evidence["permit"]["Coscheduling"].sentence).startswith("1 pods of default/a hold a node")
    shares = [row.value for row in cycles[2].x_evidence["postFilter"]["Coscheduling"].rows]
    assert shares == ["3", "2", "33.3333 %", "50 %"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("permitWaitingTimeSeconds: -1", "permitWaitingTimeSeconds: Invalid value: -1: must be greater than 0"),
        ("podGroupBackoffSeconds: -1", "podGroupBackoffSeconds: Invalid value: -1: must be greater than 0"),
        ("podGroupRejectPercentage: 101", "podGroupRejectPercentage: Invalid value: 101: must be between 0 and 100"),
        ("unknown: 1", 'unknown field "unknown"'),
    ],
)
def test_wrong_args_keep_the_scheduler_from_starting(args: str, message: str) -> None:
    refused = run_text(configuration().replace("args: {}", f"args: {{{args}}}")).error
    assert message in refused


def test_priority_sort_has_to_make_room() -> None:
    text = configuration().replace(", disabled: [{name: PrioritySort}]", "")
    assert "only one queue sort plugin required" in run_text(text).error
