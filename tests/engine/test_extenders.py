"""Scripted HTTP extenders at each of their verbs."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_lab.engine.configuration.types import Extender as Configuration
from scheduler_lab.engine.custom.extenders import Extenders
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.codec import convert
from scheduler_lab.engine.objects.lab import Extender as Script
from scheduler_lab.engine.record import Cycle
from scheduler_lab.engine.scheduler.preemption import Candidate
from tests.engine.plugins.builders import info, node, pod

NODES = ("n1", "n2", "n3")
GPU = "example.com/gpu"


def extenders(*each: dict[str, Any], scripts: list[dict[str, Any]] | None = None, refusal: str = "") -> Extenders:
    """Extenders with these configurations; without scripts, the host x is scripted to agree with everything."""
    verbs = {"filterVerb": "filter", "prioritizeVerb": "prioritize", "preemptVerb": "preempt", "bindVerb": "bind"}
    configured = [
        msgspec.convert({"urlPrefix": "http://lab-extender-x/", "weight": 1, **verbs, **configuration}, Configuration)
        for configuration in each
    ]
    scripted: list[Any] = [convert(script, Script) for script in (scripts if scripts is not None else [{"name": "x"}])]
    return Extenders(configured, scripted, lambda pod, node: refusal)


def cycle() -> Cycle:
    return Cycle(pod="default/web", attempt=1, profile="default-scheduler")


def asked(found: Extenders) -> tuple[list[str], dict[str, str], str]:
    """(nodes left, reasons, failure) of a filter call over three nodes."""
    statuses = NodeStatuses()
    left, failure = found.filter(pod(), [info(node(name)) for name in NODES], cycle(), statuses)
    reasons = {name: f"{status.code.value}: {status.message}" for name, status in statuses.items()}
    return [each.name for each in left], reasons, failure.message if failure is not None else ""


def test_filter_reasons_and_the_harder_one_wins() -> None:
    script = {
        "name": "x",
        "filter": {"failed": {"n1": "busy", "n2": "busy", "n9": "?"}, "failedAndUnresolvable": {"n2": "broken"}},
    }
    left, reasons, failure = asked(extenders({}, scripts=[script]))
    assert (left, failure) == (["n3"], "")
    assert reasons == {"n1": "Unschedulable: busy", "n2": "UnschedulableAndUnresolvable: broken"}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ({"filter": {"error": "out of order"}}, "out of order"),
        ({"filter": {"httpStatus": 503}}, "failed filter with extender at URL http://lab-extender-x/filter, code 503"),
    ],
)
def test_filter_failures_unless_ignorable(script: dict[str, Any], message: str) -> None:
    scripts = [{"name": "x", **script}]
    assert asked(extenders({}, scripts=scripts)) == ([], {}, message)
    assert asked(extenders({"ignorable": True}, scripts=scripts)) == (list(NODES), {}, "")


@pytest.mark.parametrize("host", ["lab-extender-nobody", "extender.example.com"])
def test_hosts_without_a_script_are_unreachable(host: str) -> None:
    found = extenders({"urlPrefix": f"http://{host}/v1"})
    message = f'Post "http://{host}/v1/filter": dial tcp: lookup {host}: no such host'
    assert asked(found) == ([], {}, message)
    assert found.prioritize(pod(), [info()], cycle()) == {}
    handled, failure = found.bind(pod(), "n1", cycle())
    assert handled and failure is not None and failure.message == message.replace("/filter", "/bind")


def test_nodes_come_back_bare_unless_the_extender_caches_them() -> None:
    for capable in (False, True):
        busy = info(node("n1"), pod("other", {"cpu": "1"}))
        left, _ = extenders({"nodeCacheCapable": capable}).filter(pod(), [busy], cycle(), NodeStatuses())
        assert [len(each.pods) for each in left] == [1 if capable else 0]
        assert len(busy.pods) == 1


def test_managed_resources_decide_who_is_asked() -> None:
    found = extenders({"managedResources": [{"name": GPU}]}, scripts=[{"name": "x", "prioritize": {"n1": 3}}])
    assert found.prioritize(pod(), [info()], cycle()) == {}
    assert found.prioritize(pod("web", {GPU: 1}), [info()], cycle()) == {"http://lab-extender-x/": {"n1": 30}}
    assert found.bind(pod(), "n1", cycle()) == (False, None)


def test_prioritize_is_ten_times_the_weight_and_unbounded() -> None:
    script = {"name": "x", "prioritize": {"n1": 7, "n9": 1}}
    found = extenders({"weight": 5}, scripts=[script])
    assert found.prioritize(pod(), [info(node("n1")), info(node("n2"))], cycle()) == {
        "http://lab-extender-x/": {"n1": 350}
    }
    silent = extenders({"prioritizeVerb": ""}, scripts=[script])
    assert silent.prioritize(pod(), [info(node("n1"))], cycle()) == {"http://lab-extender-x/": {"n1": 0}}


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ({}, ["n1", "n2"]),
        ({"preempt": {"keep": ["n2"]}}, ["n2"]),
        ({"preempt": {"drop": ["n2"]}}, ["n1"]),
        ({"preempt": {"keep": []}}, []),
    ],
)
def test_preempt_prunes_candidates(script: dict[str, Any], left: list[str]) -> None:
    candidates = [Candidate(name, [pod("victim")]) for name in ("n1", "n2")]
    kept, failure = extenders({}, scripts=[{"name": "x", **script}]).preempt(pod(), candidates)
    assert [each.node for each in kept] == left and failure is None


def test_preempt_failures_unless_ignorable() -> None:
    candidates, scripts = [Candidate("n1", [pod("victim")])], [{"name": "x", "preempt": {"error": "no"}}]
    kept, failure = extenders({}, scripts=scripts).preempt(pod(), candidates)
    assert not kept and failure is not None
    assert failure.message == "failed preempt with extender at URL http://lab-extender-x/preempt, code 500"
    assert extenders({"ignorable": True}, scripts=scripts).preempt(pod(), candidates) == (candidates, None)


def test_bind() -> None:
    assert extenders({}).bind(pod(), "n1", cycle()) == (True, None)
    handled, failure = extenders({}, refusal="already bound").bind(pod(), "n1", cycle())
    assert handled and failure is not None and failure.message == "already bound"
    scripts = [{"name": "x", "bind": {"error": "no"}}]
    handled, failure = extenders({}, scripts=scripts).bind(pod(), "n1", cycle())
    assert handled and failure is not None and failure.message == "no"
    assert extenders({"ignorable": True}, scripts=scripts).bind(pod(), "n1", cycle()) == (False, None)
    assert extenders({"bindVerb": ""}).bind(pod(), "n1", cycle()) == (False, None)


def test_each_extender_sees_what_the_ones_before_left() -> None:
    scripts = [
        {"name": "x", "filter": {"failed": {"n1": "a"}}},
        {"name": "y", "filter": {"failed": {"n1": "b", "n2": "b", "n3": "b"}}},
        {"name": "z", "filter": {"error": "never asked"}},
    ]
    prefixes = ({}, {"urlPrefix": "http://lab-extender-y"}, {"urlPrefix": "http://lab-extender-z"})
    left, reasons, failure = asked(extenders(*prefixes, scripts=scripts))
    assert (left, failure) == ([], "")
    assert reasons == {"n1": "Unschedulable: a", "n2": "Unschedulable: b", "n3": "Unschedulable: b"}


def test_whether_any_filters_or_prioritizes() -> None:
    silent = {"filterVerb": "", "prioritizeVerb": ""}
    assert not extenders() and not extenders(silent).score_or_filter
    assert extenders(silent) and extenders(silent, {}).score_or_filter
