"""Who is nominated to which node."""

from __future__ import annotations

from scheduler_lab.engine.queue.nominator import Nominator
from tests.engine.plugins.builders import pod


def everybody(_: object) -> bool:
    return True


def keys(nominator: Nominator, node: str) -> list[str]:
    return [each.pod.metadata.name for each in nominator.pods(node)]


def test_in_order_of_nomination() -> None:
    nominator = Nominator(everybody)
    assert not nominator
    for name in ("b", "a"):
        nominator.add(pod(name), "n1")
    assert nominator and keys(nominator, "n1") == ["b", "a"]
    nominator.add(pod("b"), "n1")
    assert keys(nominator, "n1") == ["a", "b"]
    nominator.add(pod("a"), "n2")
    assert (keys(nominator, "n1"), keys(nominator, "n2")) == (["b"], ["a"])
    nominator.remove("default/b")
    nominator.remove("default/b")
    assert nominator.node_of("default/a") == "n2"
    assert not nominator.pods("n1") and nominator.node_of("default/b") == ""


def test_the_status_counts_unless_a_node_is_given() -> None:
    nominated = pod("web", status={"nominatedNodeName": "n1"})
    nominator = Nominator(everybody)
    nominator.add(nominated)
    assert keys(nominator, "n1") == ["web"]
    nominator.add(nominated, "n2")
    assert keys(nominator, "n2") == ["web"]
    nominator.add(nominated, "")
    assert not nominator


def test_gone_and_assigned_pods_are_refused() -> None:
    nominator = Nominator(lambda info: info.key != "default/gone")
    nominator.add(pod("gone"), "n1")
    assert not nominator
    nominator.add(pod("here"), "n1")
    assert nominator


def test_an_update_keeps_a_nomination_that_only_the_scheduler_knows() -> None:
    nominator = Nominator(everybody)
    plain, written = pod("web"), pod("web", status={"nominatedNodeName": "n2"})
    nominator.add(plain, "n1")
    nominator.update(plain, pod("web"))
    assert nominator.node_of(plain.uid) == "n1"
    nominator.update(plain, written)
    assert nominator.node_of(plain.uid) == "n2"
    nominator.update(written, plain)
    assert nominator.node_of(plain.uid) == ""
