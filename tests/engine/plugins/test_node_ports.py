from typing import Any

import pytest

from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.plugins.node_ports import NodePorts
from tests.engine.plugins.builders import FakeHandle, hint, info, make, pod, run_filter


def with_port(name: str, number: int, ip: str = "", protocol: str = "", **spec: Any) -> PodInfo:
    port = {"containerPort": 80, "hostPort": number, "hostIP": ip, "protocol": protocol}
    return pod(name, containers=[{"name": "c", "image": "x", "ports": [port]}], **spec)


@pytest.mark.parametrize(
    ("wanted", "used", "conflict"),
    [
        (("", "TCP", 80), ("127.0.0.1", "", 80), True),
        (("127.0.0.1", "", 80), ("", "TCP", 80), True),
        (("127.0.0.1", "", 80), ("127.0.0.2", "", 80), False),
        (("::", "", 80), ("127.0.0.1", "", 80), False),
        (("", "UDP", 80), ("", "TCP", 80), False),
        (("", "", 81), ("", "", 80), False),
    ],
)
def test_conflicts(wanted: tuple[str, str, int], used: tuple[str, str, int], conflict: bool) -> None:
    incoming = with_port("web", wanted[2], wanted[0], wanted[1])
    status = run_filter(make(NodePorts), incoming, info(None, with_port("old", used[2], used[0], used[1])))
    assert (status is not None) is conflict
    if status is not None:
        assert status.code.value == "Unschedulable"
        assert status.reasons == ("node(s) didn't have free ports for the requested pod ports",)


def test_it_skips_a_pod_without_host_ports() -> None:
    _, status = make(NodePorts).pre_filter(CycleState(), pod(), [])
    assert status.code.value == "Skip"


def test_hints() -> None:
    plugin = make(NodePorts)
    waiting = with_port("web", 80)
    assert hint(plugin, 0, waiting, with_port("old", 80, nodeName="n1"), None) == "Queue"
    assert hint(plugin, 0, waiting, with_port("old", 80), None) == "Skip"
    assert hint(plugin, 0, waiting, with_port("old", 80, status={"nominatedNodeName": "n1"}), None) == "Queue"
    assert hint(plugin, 0, waiting, with_port("old", 81, nodeName="n1"), None) == "Skip"


def test_it_says_who_holds_the_port() -> None:
    plugin = make(NodePorts)
    evidence = plugin.explain_filter(CycleState(), with_port("web", 80), info(None, with_port("old", 80)))
    assert evidence.table.rows == [["80/TCP", "default/old"]]
    assert [(mark.name, mark.path) for mark in evidence.marks] == [
        ("web", "spec.containers[0].ports[0].hostPort"),
        ("old", "spec.containers[0].ports[0].hostPort"),
    ]
    handle = FakeHandle(nominated={"n1": [with_port("first", 80, priority=1)]})
    evidence = make(NodePorts, handle=handle).explain_filter(CycleState(), with_port("web", 80), info())
    assert "kept for default/first" in str(evidence.sentence)
