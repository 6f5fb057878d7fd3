from typing import Any

import pytest

from scheduler_lab.engine.configuration.types import PodTopologySpreadArgs
from scheduler_lab.engine.evidence.marks import entry
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.status import Code
from scheduler_lab.engine.objects.affinity import TopologySpreadConstraint
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.plugins.pod_topology_spread import PodTopologySpread
from scheduler_lab.engine.plugins.pod_topology_spread.scoring import rounded
from tests.engine.plugins.clusters import HOST, ZONE, World, labelled, zoned

SKEW = "node(s) didn't match pod topology spread constraints"
NO_LABEL = "node(s) didn't match pod topology spread constraints (missing required label)"
ZONES = [zoned("a", "a"), zoned("b", "b"), zoned("c", "c")]
WEB_SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"}}
SYSTEM = PodTopologySpreadArgs(defaulting_type="System")


def constraint(key: str = ZONE, **more: Any) -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
        **more,
    }


def soft(key: str = ZONE, **more: Any) -> dict[str, Any]:
    return constraint(key, whenUnsatisfiable="ScheduleAnyway", **more)


def spread(*constraints: dict[str, Any], labels: str = "app=web", **spec: Any) -> PodInfo:
    return labelled("new", labels, topologySpreadConstraints=list(constraints), **spec)


def webs(**counts: int) -> list[PodInfo]:
    return [labelled(f"{name}-{i}", on=name) for name, count in counts.items() for i in range(count)]


def world(nodes: list[Node], pods: list[PodInfo], args: PodTopologySpreadArgs = SYSTEM, **more: Any) -> World:
    return World(PodTopologySpread, args, nodes, pods, **more)


def passing(verdicts: dict[str, str]) -> str:
    return "".join(name for name, reason in verdicts.items() if not reason)


@pytest.mark.parametrize(
    ("changes", "pods", "expected"),
    [
        ({}, webs(a=2, b=1), "c"),
        ({}, webs(a=1, b=1, c=1), "abc"),
        ({"maxSkew": 2}, webs(a=2, b=1), "bc"),
        ({"minDomains": 4}, webs(a=1, b=1, c=1), ""),
        ({"minDomains": 3}, webs(a=1, b=1, c=1), "abc"),
        ({"labelSelector": {"matchLabels": {"app": "other"}}}, webs(a=5), "abc"),
        ({"labelSelector": {}}, webs(a=5), "abc"),
        ({"labelSelector": None}, webs(a=5), "abc"),
        ({}, [labelled("x", on="a", namespace="other")], "abc"),
        ({}, [labelled("x", on="a", deleting=True)], "abc"),
    ],
)
def test_skew(changes: dict[str, Any], pods: list[PodInfo], expected: str) -> None:
    verdicts = world(ZONES, pods).filter(spread(constraint(**changes)))
    assert passing(verdicts) == expected
    assert {reason for reason in verdicts.values() if reason} <= {SKEW}


def test_a_node_without_the_key_is_unresolvable_and_counts_for_nothing() -> None:
    here = world([zoned("a", "a"), zoned("b", "b"), zoned("x")], webs(a=1, x=1))
    pod = spread(constraint())
    assert here.filter(pod) == {"a": SKEW, "b": "", "x": NO_LABEL}
    status = here.plugin.filter(here.state, pod, here.node("x"))
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE


def test_nodes_that_lack_one_of_two_keys_count_for_neither() -> None:
    here = world([zoned("a", "a"), zoned("b", "b", rack="r")], webs(a=2))
    assert here.filter(spread(constraint(), constraint("rack"))) == {"a": NO_LABEL, "b": ""}


@pytest.mark.parametrize(
    ("changes", "spec", "expected"),
    [
        ({}, {"nodeSelector": {"disk": "ssd"}}, "abc"),
        ({"nodeAffinityPolicy": "Ignore"}, {"nodeSelector": {"disk": "ssd"}}, "c"),
        ({}, {}, "c"),
        ({"nodeTaintsPolicy": "Honor"}, {}, "abc"),
        ({"nodeTaintsPolicy": "Honor"}, {"tolerations": [{"key": "gpu", "operator": "Exists"}]}, "c"),
    ],
)
def test_inclusion_policies(changes: dict[str, Any], spec: dict[str, Any], expected: str) -> None:
    tainted = {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}
    nodes = [zoned("a", "a", disk="ssd"), zoned("b", "b", disk="ssd"), zoned("c", "c", spec=tainted)]
    # A node that isn't eligible has no domain, so it is judged as one without matching pods.
    assert passing(world(nodes, webs(a=1, b=1)).filter(spread(constraint(**changes), **spec))) == expected


def test_a_preferred_taint_is_honoured_by_nobody() -> None:
    soft_taint = {"taints": [{"key": "gpu", "effect": "PreferNoSchedule"}]}
    here = world([zoned("a", "a"), zoned("b", "b", spec=soft_taint)], webs(a=1))
    assert passing(here.filter(spread(constraint(nodeTaintsPolicy="Honor")))) == "b"


def test_match_label_keys_narrow_the_selector() -> None:
    pods = [labelled("o", "app=web,rev=1", "a"), labelled("p", "app=web,rev=1", "a")]
    keyed = constraint(matchLabelKeys=["rev", "absent"])
    pod = spread(keyed, labels="app=web,rev=2")
    assert passing(world(ZONES, pods).filter(pod)) == "abc"
    gates = {"MatchLabelKeysInPodTopologySpread": False, "MatchLabelKeysInPodTopologySpreadSelectorMerge": False}
    assert passing(world(ZONES, pods, gates=gates).filter(pod)) == "bc"
    everything = constraint(labelSelector={}, matchLabelKeys=["rev"])
    assert passing(world(ZONES, pods).filter(spread(everything, labels="rev=1"))) == "bc"


def test_pre_filter_skips_without_hard_constraints() -> None:
    status = world(ZONES, []).pre_filter(spread(soft()))
    assert status is not None
    assert status.code is Code.SKIP


def test_an_unconvertible_selector_is_an_error() -> None:
    bad = constraint(labelSelector={"matchExpressions": [{"key": "app", "operator": "Near"}]})
    status = world(ZONES, []).pre_filter(spread(bad))
    assert status is not None
    assert status.code is Code.ERROR
    assert status.message.startswith("obtaining pod's hard topology spread constraints: ")


def test_filter_without_pre_filter_is_an_error() -> None:
    here = world(ZONES, [])
    status = here.plugin.filter(CycleState(), spread(constraint()), here.node("a"))
    assert status.message == 'reading "PreFilterPodTopologySpread" from cycleState: not found'


def test_add_and_remove_change_a_clone_only() -> None:
    here = world(ZONES, webs(a=1, b=1))
    pod = spread(constraint())
    assert passing(here.filter(pod)) == "c"
    original, here.state = here.state, here.state.clone()
    here.plugin.add_pod(here.state, pod, labelled("n", on="c"), here.node("c"))
    assert passing(here.refilter(pod)) == "abc"
    here.plugin.remove_pod(here.state, pod, labelled("a-0", on="a"), here.node("a"))
    assert passing(here.refilter(pod)) == "a"
    here.plugin.remove_pod(here.state, pod, labelled("o", on="a", namespace="other"), here.node("a"))
    assert passing(here.refilter(pod)) == "a"
    here.state = original
    assert passing(here.refilter(pod)) == "c"


def test_removing_a_terminating_pod_subtracts_what_was_never_counted() -> None:
    leaving = labelled("l", on="a", deleting=True)
    here = world(ZONES[:2], [*webs(a=1, b=0), leaving])
    pod = spread(constraint())
    assert passing(here.filter(pod)) == "b"
    here.plugin.remove_pod(here.state, pod, leaving, here.node("a"))
    assert passing(here.refilter(pod)) == "ab"


def test_score_of_one_zone_constraint() -> None:
    here = world(ZONES, webs(a=2, b=1))
    assert here.score(spread(soft())) == {"a": (3, 0), "b": (2, 33), "c": (0, 100)}


def test_score_of_system_defaults() -> None:
    service = {**WEB_SERVICE, "spec": {"selector": {"app": "web"}}}
    here = world([zoned(name, "z") for name in "abc"], webs(a=1), objects=[service])
    assert here.score(labelled("new")) == {"a": (9, 77), "b": (7, 100), "c": (7, 100)}


def test_score_counts_infeasible_nodes_of_feasible_zones_only() -> None:
    here = world([zoned("a", "a"), zoned("a2", "a"), zoned("b", "b"), zoned("c", "c")], webs(a2=3, c=9))
    # Two zones weigh ln(4): 3 × 1.386 = 4.16.
    assert here.score(spread(soft()), ["a", "b"]) == {"a": (4, 0), "b": (0, 100)}


def test_own_constraints_ignore_nodes_without_the_key_but_system_defaults_do_not() -> None:
    nodes = [zoned("a", "a"), zoned("b", "b"), zoned("x")]
    assert world(nodes, webs(a=1, x=1)).score(spread(soft()))["x"] == (0, 0)
    service = {**WEB_SERVICE, "spec": {"selector": {"app": "web"}}}
    scores = world(nodes, webs(a=1, x=1), objects=[service]).score(labelled("new"))
    assert scores == {"a": (9, 44), "b": (6, 77), "x": (4, 100)}


def test_hostname_counts_the_nodes_own_pods() -> None:
    twins = [zoned("a", "z"), zoned("b", "z", **{HOST: "a"}), zoned("c", "z")]
    scores = world(twins, webs(a=2)).score(spread(soft(HOST)))
    assert {name: raw for name, (raw, _) in scores.items()} == {"a": 3, "b": 0, "c": 0}


def test_equal_zero_scores_all_get_the_most() -> None:
    assert world(ZONES, []).score(spread(soft())) == dict.fromkeys("abc", (0, 100))


@pytest.mark.parametrize(("number", "whole"), [(0.49999999999999994, 0), (0.5, 1), (2.5, 3), (-2.5, -3), (5.99, 6)])
def test_halves_round_away_from_zero(number: float, whole: int) -> None:
    assert rounded(number) == whole


def owner(kind: str, api_version: str = "apps/v1", controller: bool = True) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "name": "web", "controller": controller}


def controller(kind: str, selector: dict[str, Any], api_version: str = "apps/v1") -> dict[str, Any]:
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": {"selector": selector}}


@pytest.mark.parametrize(
    ("objects", "reference", "scored"),
    [
        ([], None, False),
        ([{**WEB_SERVICE, "spec": {}}], None, False),
        ([{**WEB_SERVICE, "spec": {"selector": {"app": "db"}}}], None, False),
        ([{**WEB_SERVICE, "spec": {"selector": {"app": "web"}}}], None, True),
        ([controller("ReplicaSet", {"matchLabels": {"app": "web"}})], owner("ReplicaSet"), True),
        ([controller("ReplicaSet", {"matchLabels": {"app": "web"}})], owner("ReplicaSet", controller=False), False),
        ([controller("ReplicaSet", {"matchLabels": {"app": "web"}})], owner("ReplicaSet", "apps/v1beta1"), False),
        ([], owner("ReplicaSet"), False),
        ([controller("StatefulSet", {"matchLabels": {"app": "web"}})], owner("StatefulSet"), True),
        ([controller("ReplicationController", {"app": "web"}, "v1")], owner("ReplicationController", "v1"), True),
        ([controller("DaemonSet", {"matchLabels": {"app": "web"}})], owner("DaemonSet"), False),
    ],
)
def test_default_constraints_need_a_selector(
    objects: list[dict[str, Any]], reference: dict[str, Any] | None, scored: bool
) -> None:
    here = world(ZONES, webs(a=1), objects=objects)
    pod = labelled("new", owner=reference)
    status = here.plugin.pre_score(here.state, pod, here.cache.nodes)
    assert (status is None) is scored


def test_a_controller_that_contradicts_the_service_selects_nothing() -> None:
    objects = [
        {**WEB_SERVICE, "spec": {"selector": {"app": "web"}}},
        controller("ReplicaSet", {"matchLabels": {"app": "x"}}),
    ]
    scores = world(ZONES, webs(a=3), objects=objects).score(labelled("new", owner=owner("ReplicaSet")))
    assert len(set(scores.values())) == 1


def test_list_defaults_filter_pods_of_a_service_without_own_constraints() -> None:
    default = TopologySpreadConstraint(topology_key=ZONE, max_skew=1, when_unsatisfiable="DoNotSchedule")
    args = PodTopologySpreadArgs(defaulting_type="List", default_constraints=[default])
    service = {**WEB_SERVICE, "spec": {"selector": {"app": "web"}}}
    here = world(ZONES, webs(a=1), args, objects=[service])
    assert passing(here.filter(labelled("new"))) == "bc"
    status = here.pre_filter(spread(soft()))
    assert status is not None
    assert status.code is Code.SKIP


def relabelled(node: str, labels: str) -> PodInfo:
    return labelled("other", labels, node)


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        (None, labelled("o", on="a"), "Queue"),
        (None, labelled("o", "app=db", "a"), "Skip"),
        (None, labelled("o", on="a", namespace="other"), "Skip"),
        (None, labelled("o"), "Skip"),
        (labelled("o", on="a"), None, "Queue"),
        (relabelled("a", "app=web"), relabelled("a", "app=db"), "Queue"),
        (relabelled("a", "app=web"), relabelled("a", "app=web,x=1"), "Skip"),
        (relabelled("a", "app=web"), relabelled("a", "app=web"), "Skip"),
    ],
)
def test_pod_hint(old: PodInfo | None, new: PodInfo | None, answer: str) -> None:
    assert world(ZONES, []).hint(0, spread(constraint()), old, new) == answer


def test_new_tolerations_matter_only_where_taints_are_honoured() -> None:
    for policy, answer in (("Honor", "Queue"), ("Ignore", "Skip")):
        before = spread(constraint(nodeTaintsPolicy=policy))
        after = spread(constraint(nodeTaintsPolicy=policy), tolerations=[{"operator": "Exists"}])
        assert world(ZONES, []).hint(0, after, before, after) == answer


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        (None, zoned("n", "a"), "Queue"),
        (None, zoned("n"), "Skip"),
        (zoned("n", "a"), None, "Queue"),
        (zoned("n"), None, "Skip"),
        (zoned("n"), zoned("n", "a"), "Queue"),
        (zoned("n", "a"), zoned("n"), "Queue"),
        (zoned("n", "a"), zoned("n", "b"), "Queue"),
        (zoned("n", "a"), zoned("n", "a", other="x"), "Skip"),
        (zoned("n", "a"), zoned("n", "a", spec={"taints": [{"key": "k", "effect": "NoSchedule"}]}), "Queue"),
        (zoned("n"), zoned("n", spec={"taints": [{"key": "k", "effect": "NoSchedule"}]}), "Skip"),
    ],
)
def test_node_hint(old: Node | None, new: Node | None, answer: str) -> None:
    assert world(ZONES, []).hint(1, spread(constraint()), old, new) == answer


def test_filter_evidence_spells_out_the_skew() -> None:
    here = world(ZONES, [*webs(a=2, b=1), labelled("gone", on="a", deleting=True)])
    pod = spread(constraint())
    here.filter(pod)
    evidence = here.plugin.explain_filter(here.state, pod, here.node("a"))
    assert str(evidence.sentence) == (
        f"{ZONE}=a would hold 3 matching pods while another domain has 0: skew 3 exceeds maxSkew 1."
    )
    assert [(row.sign, row.value) for row in evidence.rows[:5]] == [
        ("", "2"),
        ("+", "1"),
        ("−", "0"),
        ("=", "3"),
        (">", "1"),
    ]
    assert [row.value for row in evidence.rows[5:]] == ["app=web", "default/a-0, default/a-1", "default/gone"]
    assert evidence.table.rows == [
        [f"{ZONE}=a", "2", "3", "0", "3", "1"],
        [f"{ZONE}=b", "1", "2", "0", "2", "1"],
        [f"{ZONE}=c", "0", "1", "0", "1", "1"],
    ]
    assert evidence.table.highlight == [0]
    marks = {(mark.kind, mark.name, mark.path) for mark in evidence.marks}
    assert ("Pod", "new", "spec.topologySpreadConstraints[0]") in marks
    assert ("Node", "a", entry("metadata.labels", ZONE)) in marks
    assert ("Pod", "a-1", "metadata.labels") in marks


def test_filter_evidence_names_min_domains_and_the_missing_label() -> None:
    here = world([zoned("a", "a"), zoned("x")], webs(a=1))
    pod = spread(constraint(minDomains=2))
    here.filter(pod)
    assert "minDomains 2" in str(here.plugin.explain_filter(here.state, pod, here.node("a")).sentence)
    missing = here.plugin.explain_filter(here.state, pod, here.node("x"))
    assert "Node x has no label" in str(missing.sentence)


def test_evidence_of_a_node_that_passes_shows_every_constraint() -> None:
    here = world(ZONES, webs(a=1))
    pod = spread(constraint(), constraint(HOST, maxSkew=3))
    here.filter(pod)
    evidence = here.plugin.explain_filter(here.state, pod, here.node("b"))
    assert [row.sign for row in evidence.rows if row.sign in ("≤", ">")] == ["≤", "≤"]
    assert len(evidence.table.highlight) == 2
    assert here.plugin.explain_pre_filter(here.state, pod).table.rows


def test_score_evidence_shows_weight_and_normalisation() -> None:
    here = world(ZONES, webs(a=2, b=1))
    pod = spread(soft())
    here.score(pod)
    evidence = here.plugin.explain_score(here.state, pod, here.node("b"))
    shown = [(row.sign, row.value) for row in evidence.rows]
    assert shown[:5] == [("", "1"), ("×", "1.6094"), ("+", "0"), ("=", "1.6094"), ("=", "2")]
    assert shown[5:10] == [("", "3"), ("+", "0"), ("−", "2"), ("×", "100/3"), ("=", "33")]
    assert evidence.table.highlight == [1]


def test_evidence_of_default_constraints_points_at_the_service() -> None:
    service = {**WEB_SERVICE, "spec": {"selector": {"app": "web"}}}
    here = world([zoned("a", "a"), zoned("b")], webs(a=1), objects=[service])
    pod = labelled("new")
    here.score(pod)
    evidence = here.plugin.explain_score(here.state, pod, here.node("b"))
    assert ("Service", "spec.selector") in {(mark.kind, mark.path) for mark in evidence.marks}
    assert any("adds nothing" in str(row.label) for row in evidence.rows)
