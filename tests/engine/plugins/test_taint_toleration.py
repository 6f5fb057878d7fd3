from typing import Any

import pytest

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.plugins.taint_toleration import TaintToleration
from tests.engine.plugins.builders import FakeHandle, hint, info, make, node, pod, run_filter, run_score

GPU = {"key": "gpu", "value": "a100", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("taint", "toleration", "passes"),
    [
        (GPU, None, False),
        (GPU, {"key": "gpu", "operator": "Equal", "value": "a100", "effect": "NoSchedule"}, True),
        (GPU, {"key": "gpu", "value": "h100"}, False),
        (GPU, {"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "gpu", "effect": "NoExecute"}, {"operator": "Exists"}, True),
        ({"key": "gpu", "effect": "PreferNoSchedule"}, None, True),
    ],
)
def test_filter(taint: dict[str, Any], toleration: dict[str, Any] | None, passes: bool) -> None:
    incoming = pod(tolerations=[toleration] if toleration else [])
    status = run_filter(make(TaintToleration), incoming, info(node(taints=[taint])))
    assert (status is None) is passes
    assert passes or status is None or status.reasons == ("node(s) had untolerated taint(s)",)


def test_comparison_operators_need_their_gate() -> None:
    incoming = pod(tolerations=[{"key": "failures", "operator": "Lt", "value": "8"}])
    on = info(node(taints=[{"key": "failures", "value": "7", "effect": "NoSchedule"}]))
    assert run_filter(make(TaintToleration), incoming, on) is not None
    handle = FakeHandle(gates={"TaintTolerationComparisonOperators": True})
    assert run_filter(make(TaintToleration, handle=handle), incoming, on) is None


def test_score_counts_untolerated_prefer_no_schedule_taints() -> None:
    nodes = [
        info(node(f"n{count}", taints=[{"key": f"k{i}", "effect": "PreferNoSchedule"} for i in range(count)]))
        for count in (0, 1, 3)
    ]
    assert run_score(make(TaintToleration), pod(), nodes) == {"n0": 100, "n1": 67, "n3": 0}
    tolerant = pod(tolerations=[{"operator": "Exists"}])
    assert run_score(make(TaintToleration), tolerant, nodes) == {"n0": 100, "n1": 100, "n3": 100}


def test_score_without_pre_score_fails() -> None:
    status = make(TaintToleration).score(CycleState(), pod(), info())
    assert status.message == 'failed to read "PreScoreTaintToleration" from cycleState: not found'


def test_hints() -> None:
    plugin = make(TaintToleration)
    tainted, free = node(taints=[GPU]), node()
    assert hint(plugin, 0, pod(), tainted, free) == "Queue"
    assert hint(plugin, 0, pod(), free, free) == "Skip"
    assert hint(plugin, 0, pod(), None, free) == "Queue"
    assert hint(plugin, 0, pod(), None, tainted) == "Skip"
    assert hint(plugin, 1, pod(), pod(), pod()) == "Queue"
    assert hint(plugin, 1, pod(), pod("other"), pod("other")) == "Skip"


def test_it_names_the_taint() -> None:
    incoming = pod(tolerations=[{"key": "a", "operator": "Exists"}])
    on = info(node(taints=[{"key": "a", "effect": "NoSchedule"}, GPU]))
    evidence = make(TaintToleration).explain_filter(CycleState(), incoming, on)
    assert "gpu=a100:NoSchedule" in str(evidence.sentence)
    assert evidence.table.rows == [["a:NoSchedule", "a Exists"], ["gpu=a100:NoSchedule", "—"]]
    assert evidence.table.highlight == [1]
    assert [mark.path for mark in evidence.marks] == ["spec.taints[1]"]
