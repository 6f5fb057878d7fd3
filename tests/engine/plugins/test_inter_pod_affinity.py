from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_lab.engine.configuration.types import InterPodAffinityArgs
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.status import Code
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.plugins.inter_pod_affinity import InterPodAffinity
from tests.engine.plugins.clusters import HOST, ZONE, World, labelled, zoned

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
NODES = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b")]
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def term(app: str, key: str = ZONE, **more: Any) -> dict[str, Any]:
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}, **more}


def preferring(weight: int, app: str, key: str = ZONE) -> dict[str, Any]:
    return {"weight": weight, "podAffinityTerm": term(app, key)}


def near(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"podAffinity": {REQUIRED: list(terms)}}


def away(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"podAntiAffinity": {REQUIRED: list(terms)}}


def prefer(towards: list[dict[str, Any]] | None = None, against: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"podAffinity": {PREFERRED: towards or []}, "podAntiAffinity": {PREFERRED: against or []}}


def world(
    *pods: PodInfo,
    nodes: list[Node] | None = None,
    weight: int = 1,
    ignore: bool = False,
    namespaces: Mapping[str, Mapping[str, str]] | None = None,
) -> World:
    args = InterPodAffinityArgs(hard_pod_affinity_weight=weight, ignore_preferred_terms_of_existing_pods=ignore)
    objects = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels)}}
        for name, labels in (namespaces or {}).items()
    ]
    return World(InterPodAffinity, args, nodes or NODES, pods, objects=objects)


def cache(on: str = "a1", **more: Any) -> PodInfo:
    return labelled("cache", "app=cache", on, **more)


def test_pre_filter_skips_when_no_rule_concerns_the_pod() -> None:
    hermit = labelled("hermit", "app=h", "a1", affinity=away(term("db")))
    status = world(hermit).pre_filter(labelled())
    assert status is not None
    assert status.code is Code.SKIP


@pytest.mark.parametrize(
    ("affinity", "expected"),
    [
        (near(term("cache")), {"a1": "", "a2": "", "b1": AFFINITY}),
        (near(term("cache", HOST)), {"a1": "", "a2": AFFINITY, "b1": AFFINITY}),
        (near(term("cache"), term("cache", HOST)), {"a1": "", "a2": AFFINITY, "b1": AFFINITY}),
        (near(term("cache"), term("db")), dict.fromkeys(("a1", "a2", "b1"), AFFINITY)),
        (near(term("cache", "rack")), dict.fromkeys(("a1", "a2", "b1"), AFFINITY)),
        (away(term("cache")), {"a1": ANTI, "a2": ANTI, "b1": ""}),
        (away(term("cache", HOST)), {"a1": ANTI, "a2": "", "b1": ""}),
        (away(term("cache", "rack")), {"a1": "", "a2": "", "b1": ""}),
        (near(term("cache")) | away(term("cache", HOST)), {"a1": ANTI, "a2": "", "b1": AFFINITY}),
    ],
)
def test_own_rules(affinity: dict[str, Any], expected: dict[str, str]) -> None:
    assert world(cache()).filter(labelled(affinity=affinity)) == expected


def test_terminating_pods_count() -> None:
    verdicts = world(cache(deleting=True)).filter(labelled(affinity=away(term("cache"))))
    assert verdicts == {"a1": ANTI, "a2": ANTI, "b1": ""}


def test_affinity_is_unresolvable_anti_affinity_is_not() -> None:
    here = world(cache())
    for affinity, code in (
        (near(term("cache", HOST)), Code.UNSCHEDULABLE_AND_UNRESOLVABLE),
        (away(term("cache")), Code.UNSCHEDULABLE),
    ):
        pod = labelled(affinity=affinity)
        here.filter(pod)
        assert here.plugin.filter(here.state, pod, here.node("a2")).code is code


def test_existing_pods_keep_a_plain_pod_out() -> None:
    hermit = labelled("hermit", "app=h", "a1", affinity=away(term("web")))
    assert world(hermit).filter(labelled()) == {"a1": EXISTING, "a2": EXISTING, "b1": ""}


def test_existing_pods_terms_cover_their_own_namespace() -> None:
    hermit = labelled("hermit", "app=h", "a1", affinity=away(term("web")), namespace="other")
    status = world(hermit).pre_filter(labelled())
    assert status is not None
    assert status.code is Code.SKIP


@pytest.mark.parametrize(
    ("labels", "siblings", "passes"),
    [
        ("app=web", [], True),
        ("app=web", [labelled("s", on="a1")], False),
        ("app=other", [], False),
        # A sibling on a node without the topology key is in no domain, so the series counts as not begun.
        ("app=web", [labelled("s", on="x")], True),
    ],
)
def test_first_of_a_series(labels: str, siblings: list[PodInfo], passes: bool) -> None:
    here = world(*siblings, nodes=[*NODES, zoned("x")])
    assert (here.filter(labelled("new", labels, affinity=near(term("web"))))["b1"] == "") is passes


def test_the_first_of_a_series_matches_all_its_terms() -> None:
    pod = labelled(affinity=near(term("web"), term("db")))
    assert set(world().filter(pod).values()) == {AFFINITY}


@pytest.mark.parametrize(
    ("more", "matches"),
    [
        ({}, False),
        ({"namespaces": ["data"]}, True),
        ({"namespaces": ["other"]}, False),
        ({"namespaceSelector": {}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "data"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "web"}}}, False),
        ({"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "Exists"}]}}, True),
        # Made of NotIn only it matches no labels at all, hence every namespace (kubernetes/kubernetes#141526).
        ({"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["data"]}]}}, True),
    ],
)
def test_namespaces_of_the_incoming_pods_terms(more: dict[str, Any], matches: bool) -> None:
    here = world(cache(namespace="data"), namespaces={"data": {"team": "data"}, "default": {}})
    verdicts = here.filter(labelled(affinity=away(term("cache", **more))))
    assert (verdicts["a1"] == ANTI) is matches


@pytest.mark.parametrize(
    ("selector", "kept_out"),
    [
        ({}, True),
        ({"matchLabels": {"team": "web"}}, True),
        ({"matchLabels": {"team": "data"}}, False),
        ({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["data"]}]}, True),
    ],
)
def test_existing_pods_namespace_selectors_are_evaluated_correctly(selector: dict[str, Any], kept_out: bool) -> None:
    rules = away(term("web", namespaceSelector=selector))
    hermit = labelled("hermit", "app=h", "a1", affinity=rules, namespace="data")
    status = world(hermit, namespaces={"default": {"team": "web"}}).pre_filter(labelled())
    assert (status is None) is kept_out


def test_an_unconvertible_selector_is_unresolvable() -> None:
    bad = {"topologyKey": HOST, "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Near"}]}}
    here = world()
    pod = labelled(affinity=away(bad))
    status = here.pre_filter(pod)
    assert status is not None
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert status.message.startswith("parsing pod: requiredAntiAffinityTerms: ")
    assert "cannot be parsed" in str(here.plugin.explain_pre_filter(here.state, pod).sentence)


def test_states_that_nobody_wrote_are_errors() -> None:
    here = world()
    filtered = here.plugin.filter(CycleState(), labelled(), here.node("a1"))
    scored = here.plugin.score(CycleState(), labelled(), here.node("a1"))
    assert filtered.message == 'error reading "PreFilterInterPodAffinity" from cycleState: not found'
    assert scored.message == 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'


def test_add_and_remove_change_a_clone_only() -> None:
    noisy = cache()
    here = world(noisy)
    pod = labelled(affinity=away(term("cache")))
    before = here.filter(pod)
    original, here.state = here.state, here.state.clone()
    here.plugin.remove_pod(here.state, pod, noisy, here.node("a1"))
    assert set(here.refilter(pod).values()) == {""}
    hermit = labelled("hermit", "app=h", affinity=away(term("web")))
    here.plugin.add_pod(here.state, pod, hermit, here.node("b1"))
    assert here.refilter(pod) == {"a1": "", "a2": "", "b1": EXISTING}
    here.state = original
    assert here.refilter(pod) == before


def test_evicting_the_last_sibling_makes_the_pod_the_first_again() -> None:
    sibling = labelled("s", on="a1")
    here = world(sibling)
    pod = labelled("new", affinity=near(term("web")))
    assert here.filter(pod)["b1"] == AFFINITY
    here.plugin.remove_pod(here.state, pod, sibling, here.node("a1"))
    assert here.refilter(pod)["b1"] == ""


SCORED = [zoned("n1"), zoned("n2"), zoned("n3"), zoned("n4")]


def test_score_stretches_from_the_lowest_to_the_highest() -> None:
    pods = [
        labelled("p1", "app=good", "n1"),
        labelled("p2", "app=bad", "n3"),
        labelled("p3", "app=fair", "n4"),
    ]
    rules = prefer([preferring(100, "good", HOST), preferring(50, "fair", HOST)], [preferring(50, "bad", HOST)])
    assert world(*pods, nodes=SCORED).score(labelled(affinity=rules)) == {
        "n1": (100, 100), "n2": (0, 33), "n3": (-50, 0), "n4": (50, 66),
    }  # fmt: skip


def test_normalising_is_done_in_floating_point() -> None:
    pods = [labelled("p1", "app=x", "n1"), labelled("p2", "app=y", "n2")]
    rules = prefer([preferring(100, "x", HOST), preferring(29, "y", HOST)])
    assert world(*pods, nodes=SCORED).score(labelled(affinity=rules))["n2"] == (29, 28)


def test_existing_pods_wishes_score_for_a_plain_pod() -> None:
    pods = [
        labelled("p1", "", "n1", affinity=prefer([preferring(30, "web", HOST)])),
        labelled("p2", "", "n2", affinity=prefer(None, [preferring(20, "web", HOST)])),
        labelled("p3", "", "n3", affinity=near(term("web", HOST))),
    ]
    raw = {name: score for name, (score, _) in world(*pods, nodes=SCORED, weight=5).score(labelled()).items()}
    assert raw == {"n1": 30, "n2": -20, "n3": 5, "n4": 0}


def test_pre_score_skips_when_nothing_is_added() -> None:
    required = labelled("p", "", "n3", affinity=near(term("web", HOST)))
    wishes = labelled("p", "", "n1", affinity=prefer([preferring(30, "web", HOST)]))
    keyless = labelled("p", "app=x", "n1")
    for here, pod in (
        (world(nodes=SCORED), labelled()),
        (world(required, nodes=SCORED, weight=0), labelled()),
        (world(wishes, nodes=SCORED, ignore=True), labelled()),
        (world(keyless, nodes=SCORED), labelled(affinity=prefer([preferring(1, "x", "rack")]))),
    ):
        assert here.plugin.pre_score(here.state, pod, here.cache.nodes).code is Code.SKIP


def test_ignoring_existing_preferences_ends_with_own_ones() -> None:
    wishes = labelled("p", "app=x", "n1", affinity=prefer([preferring(30, "web", HOST)]))
    here = world(wishes, nodes=SCORED, ignore=True)
    assert here.score(labelled(affinity=prefer([preferring(1, "x", HOST)])))["n1"] == (31, 100)


@pytest.mark.parametrize(
    ("affinity", "old", "new", "answer"),
    [
        (near(term("cache")), None, cache(), "Queue"),
        (near(term("cache")), None, labelled("c", "app=cache"), "Skip"),
        (near(term("cache")), None, labelled("c", "app=db", "a1"), "Skip"),
        (near(term("cache")), cache(), None, "Skip"),
        (near(term("cache"), term("db")), None, cache(), "Skip"),
        (near(term("cache", namespaceSelector={"matchLabels": {"a": "b"}})), None, cache(), "Skip"),
        (away(term("cache")), cache(), None, "Queue"),
        (away(term("cache")), None, cache(), "Skip"),
        (away(term("cache"), term("db")), cache(), None, "Skip"),
        ({}, cache(), None, "Skip"),
        (near(term("cache")), labelled("c", "app=db", "a1"), labelled("c", "app=cache", "a1"), "Queue"),
        (away(term("cache")), labelled("c", "app=cache", "a1"), labelled("c", "app=db", "a1"), "Queue"),
        (away(term("cache")), labelled("c", "app=db", "a1"), labelled("c", "app=cache", "a1"), "Skip"),
    ],
)
def test_pod_hint(affinity: dict[str, Any], old: PodInfo | None, new: PodInfo | None, answer: str) -> None:
    assert world().hint(0, labelled(affinity=affinity), old, new) == answer


@pytest.mark.parametrize(
    ("affinity", "old", "new", "answer"),
    [
        (near(term("cache")), None, zoned("n", "a"), "Queue"),
        (near(term("cache")), None, zoned("n"), "Skip"),
        (near(term("cache")), zoned("n"), zoned("n", "a"), "Queue"),
        (near(term("cache")), zoned("n", "a"), zoned("n", "b"), "Queue"),
        (near(term("cache")), zoned("n", "a"), zoned("n"), "Skip"),
        (away(term("cache")), None, zoned("n"), "Queue"),
        (away(term("cache")), zoned("n", "a"), zoned("n"), "Queue"),
        (away(term("cache")), zoned("n", "a"), zoned("n", "b"), "Queue"),
        (away(term("cache")), zoned("n"), zoned("n", "a"), "Skip"),
        ({}, None, zoned("n", "a"), "Skip"),
    ],
)
def test_node_hint(affinity: dict[str, Any], old: Node | None, new: Node, answer: str) -> None:
    assert world().hint(1, labelled(affinity=affinity), old, new) == answer


def explained(here: World, pod: PodInfo, node: str) -> Any:
    here.filter(pod)
    return here.plugin.explain_filter(here.state, pod, here.node(node))


def test_evidence_of_the_pods_own_anti_affinity() -> None:
    evidence = explained(world(cache()), labelled(affinity=away(term("cache"))), "a2")
    assert str(evidence.sentence) == (f"The pod's own podAntiAffinity[0] keeps it away from default/cache in {ZONE}=a.")
    assert evidence.table.rows == [
        ["podAntiAffinity[0]", f"{ZONE}=a", "default/cache", "✗"],
    ]
    marks = {(mark.kind, mark.name, mark.path) for mark in evidence.marks}
    assert ("Pod", "web", f"spec.affinity.podAntiAffinity.{REQUIRED}[0]") in marks
    assert ("Pod", "cache", "metadata.labels") in marks


def test_evidence_of_an_existing_pods_anti_affinity() -> None:
    hermit = labelled("hermit", "app=h", "a1", affinity=away(term("web")))
    evidence = explained(world(hermit), labelled(), "a2")
    assert str(evidence.sentence) == (
        f"default/hermit, already in {ZONE}=a, keeps the pod out by its own podAntiAffinity[0]."
    )
    assert ("hermit", f"spec.affinity.podAntiAffinity.{REQUIRED}[0]") in {(m.name, m.path) for m in evidence.marks}


def test_evidence_of_affinity() -> None:
    pod = labelled(affinity=near(term("cache")))
    here = world(cache(), nodes=[*NODES, zoned("x")])
    assert str(explained(here, pod, "b1").sentence) == (
        f"No pod in {ZONE}=b matches all of the pod's podAffinity terms; there are such pods elsewhere."
    )
    assert explained(here, pod, "b1").table.rows == [
        ["podAffinity[0]", f"{ZONE}=b", "–", "✗"],
        ["podAffinity[0]", f"{ZONE}=a", "default/cache", "✓"],
    ]
    assert "has no label" in str(explained(here, pod, "x").sentence)
    assert "are here" in str(explained(here, pod, "a1").sentence)
    assert "cannot be the first" in str(explained(world(), pod, "a1").sentence)
    assert "first of its series" in str(explained(world(), labelled(affinity=near(term("web"))), "a1").sentence)


def test_evidence_of_the_namespace_selector_trap() -> None:
    selector = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["data"]}]}
    evidence = explained(world(cache()), labelled(affinity=away(term("cache", namespaceSelector=selector))), "b1")
    assert any("held" in str(row.label) or "no labels" in str(row.label) for row in evidence.rows)


def test_pre_filter_evidence() -> None:
    here = world(cache())
    pod = labelled(affinity=away(term("cache")))
    here.pre_filter(pod)
    assert here.plugin.explain_pre_filter(here.state, pod).table.rows == [["podAntiAffinity", f"{ZONE}=a", "1"]]
    assert "no required" in str(here.plugin.explain_pre_filter(CycleState(), labelled()).sentence)


def test_score_evidence_adds_up() -> None:
    pods = [labelled(f"p{i}", "app=x", "n1") for i in range(3)]
    wishes = labelled("w", "", "n1", affinity=prefer(None, [preferring(20, "web", HOST)]))
    here = world(*pods, wishes, nodes=SCORED)
    pod = labelled(affinity=prefer([preferring(10, "x", HOST)]))
    assert here.score(pod)["n1"] == (10, 100)
    evidence = here.plugin.explain_score(here.state, pod, here.node("n1"))
    shown = [(row.sign, row.value) for row in evidence.rows]
    assert shown[:7] == [("+", "30"), ("−", "20"), ("=", "10"), ("−", "0"), ("÷", "10"), ("×", "100"), ("=", "100")]
    assert evidence.table.rows == [[f"{HOST}=n1", "10"]]
