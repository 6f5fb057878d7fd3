from typing import Any

import pytest

from scheduler_lab.engine.plugins.node_unschedulable import NodeUnschedulable
from tests.engine.plugins.builders import hint, info, make, node, pod, run_filter

KEY = "node.kubernetes.io/unschedulable"


@pytest.mark.parametrize(
    ("toleration", "passes"),
    [
        (None, False),
        ({"key": KEY, "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": KEY, "operator": "Equal", "value": ""}, True),
        ({"operator": "Exists"}, True),
        ({"key": KEY, "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": KEY, "operator": "Equal", "value": "true"}, False),
    ],
)
def test_cordoned_node(toleration: dict[str, Any] | None, passes: bool) -> None:
    incoming = pod(tolerations=[toleration] if toleration else [])
    status = run_filter(make(NodeUnschedulable), incoming, info(node(unschedulable=True)))
    assert (status is None) is passes
    assert passes or status is None or status.reasons == ("node(s) were unschedulable",)


def test_a_node_that_is_not_cordoned_passes() -> None:
    assert run_filter(make(NodeUnschedulable), pod(), info()) is None


def test_hints() -> None:
    plugin = make(NodeUnschedulable)
    cordoned, free = node(unschedulable=True), node()
    tolerant = pod(tolerations=[{"operator": "Exists"}])
    assert hint(plugin, 0, pod(), cordoned, free) == "Queue"
    assert hint(plugin, 0, pod(), free, free) == "Skip"
    assert hint(plugin, 0, pod(), None, free) == "Queue"
    assert hint(plugin, 0, pod(), None, cordoned) == "Skip"
    assert hint(plugin, 1, pod(), pod(), tolerant) == "Queue"
    assert hint(plugin, 1, pod(), pod(), pod()) == "Skip"
    assert hint(plugin, 1, pod("other"), pod(), tolerant) == "Skip"


def test_it_marks_the_cordon_and_the_toleration() -> None:
    plugin = make(NodeUnschedulable)
    incoming = pod(tolerations=[{"key": "a", "operator": "Exists"}, {"operator": "Exists"}])
    evidence = plugin.explain_filter(None, incoming, info(node(unschedulable=True)))
    assert [(mark.kind, mark.path) for mark in evidence.marks] == [
        ("Node", "spec.unschedulable"),
        ("Pod", "spec.tolerations[1]"),
    ]
