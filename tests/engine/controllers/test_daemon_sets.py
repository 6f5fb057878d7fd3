"""DaemonSet: which nodes, and what its pods carry."""

from __future__ import annotations

from typing import Any

from tests.engine.controllers.texts import Run, apply, delete, node, pod, pod_spec, timeline, workload

CORDONED = {"unschedulable": True, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}
TAINTED = {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}


def daemon(**spec: Any) -> dict[str, Any]:
    return workload("DaemonSet", "agent", **spec)


def test_one_pod_for_every_node_that_it_may_run_on() -> None:
    run = Run(daemon(), node("n1"), node("n2", **CORDONED), node("n3", **TAINTED))
    assert sorted(run.nodes().values()) == ["n1", "n2"]
    assert all(cycle["preFilter"][0]["nodeNames"] for cycle in run.record["cycles"])


def test_selectors_narrow_the_nodes() -> None:
    labelled = node("n2")
    labelled["metadata"]["labels"] = {"disk": "ssd"}
    run = Run(node("n1"), labelled, daemon(pod=pod_spec(nodeSelector={"disk": "ssd"})))
    assert list(run.nodes().values()) == ["n2"]
    terms = [{"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    run = Run(node("n1"), labelled, daemon(pod=pod_spec(affinity=affinity)))
    assert list(run.nodes().values()) == ["n1"]


def test_a_pod_that_does_not_fit_its_node_goes_nowhere_else() -> None:
    run = Run(node("n1", cpu="1"), node("n2"), daemon(pod=pod_spec(cpu="2")))
    assert sorted(run.nodes().values()) == ["", "n2"]


def test_network_unavailable_is_tolerated_with_the_hosts_network_only() -> None:
    taint = {"taints": [{"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}]}
    assert Run(node("n1", **taint), daemon()).tried == []
    assert len(Run(node("n1", **taint), daemon(pod=pod_spec(hostNetwork=True))).tried) == 1


def test_new_nodes_get_a_pod_and_unfit_ones_lose_theirs() -> None:
    leaving = node("n1", taints=[{"key": "drain", "effect": "NoExecute"}])
    run = Run(node("n1"), daemon(), timeline(apply(node("n2")), apply(leaving)))
    assert list(run.nodes().values()) == ["n2"]
    staying = node("n1", taints=[{"key": "drain", "effect": "NoSchedule"}])
    assert list(Run(node("n1"), daemon(), timeline(apply(staying))).nodes().values()) == ["n1"]


def test_a_waiting_pod_goes_with_its_node() -> None:
    run = Run(node("n1", cpu="1"), daemon(pod=pod_spec(cpu="2")), timeline(delete("Node", "n1")))
    assert run.pods == []


def test_an_update_replaces_one_pod_at_a_time() -> None:
    run = Run(node("n1"), node("n2"), daemon(), timeline(apply(daemon(pod=pod_spec(cpu="1")))))
    assert len(run.tried) == 4
    assert len(run.pods) == 2
    stuck = Run(node("n1"), node("n2"), daemon(), timeline(apply(daemon(pod=pod_spec(cpu="50")))))
    assert len(stuck.pods) == 2
    assert list(stuck.nodes().values()).count("") == 1


def test_an_owner_with_pods_in_the_text_is_left_alone() -> None:
    written = pod("agent-x", {"app": "agent"}, {"kind": "DaemonSet", "name": "agent"}, nodeName="n1")
    assert Run(node("n1"), daemon(), written).tried == []
    assert Run(node("n1"), node("n2"), daemon(), written).tried == []
