"""Pods, nodes and a handle for tests that call plugins directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.configuration.feature_gates import FeatureGates, resolve
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Registration
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import RequestFeatures
from scheduler_lab.engine.framework.status import Status
from scheduler_lab.engine.objects.codec import convert
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import Pod


def pod(name: str = "web", requests: Mapping[str, Any] | None = None, **spec: Any) -> PodInfo:
    """A pod default/<name> with one container; `spec` members (JSON names) replace the rest."""
    status = spec.pop("status", {})
    container = {"name": "c", "image": "x", "resources": {"requests": dict(requests or {})}}
    data = {
        "metadata": {"name": name, "namespace": "default", "uid": f"default/{name}"},
        "spec": {"containers": [container], **spec},
        "status": status,
    }
    built = convert(data, Pod)
    assert isinstance(built, Pod)
    return PodInfo(built, RequestFeatures())


def node(
    name: str = "n1", labels: Mapping[str, str] | None = None, status: Mapping[str, Any] | None = None, **spec: Any
) -> Node:
    """A node of 4 CPUs, 8Gi and 110 pods."""
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    data = {
        "metadata": {"name": name, "labels": dict(labels or {})},
        "spec": spec,
        "status": {"allocatable": allocatable, **(status or {})},
    }
    built = convert(data, Node)
    assert isinstance(built, Node)
    return built


def info(on: Node | None = None, *pods: PodInfo) -> NodeInfo:
    """A node's info with pods on it."""
    result = NodeInfo(on or node())
    for each in pods:
        result.add_pod(each)
    return result


class FakeSnapshot:
    """Nodes as given."""

    def __init__(self, nodes: Sequence[NodeInfo]) -> None:
        self.nodes = list(nodes)


class FakeHandle:
    """As much of the framework's handle as these plugins use."""

    def __init__(
        self,
        *,
        gates: Mapping[str, bool] | None = None,
        nodes: Sequence[NodeInfo] = (),
        nominated: Mapping[str, Sequence[PodInfo]] | None = None,
    ) -> None:
        self.gates: FeatureGates = resolve(gates)
        self.request_features = RequestFeatures()
        self.shared: dict[str, Any] = {}
        self.store = Store()
        self.snapshot = FakeSnapshot(nodes)
        self.bound: list[tuple[str, str]] = []
        self._nominated = nominated or {}

    def nominated_pods(self, name: str) -> Sequence[PodInfo]:
        return self._nominated.get(name, ())

    def bind(self, bound: PodInfo, name: str) -> Status | None:
        self.bound.append((bound.key, name))
        return None


def make(plugin: Any, args: Any = None, handle: FakeHandle | None = None) -> Any:
    """The plugin with a fake handle."""
    return plugin(args, handle or FakeHandle())


def run_filter(plugin: Any, incoming: PodInfo, on: NodeInfo) -> Status | None:
    """PreFilter (if there is one), then Filter."""
    state = CycleState()
    if hasattr(plugin, "pre_filter"):
        plugin.pre_filter(state, incoming, [on])
    status: Status | None = plugin.filter(state, incoming, on)
    return status


def run_score(plugin: Any, incoming: PodInfo, nodes: Sequence[NodeInfo]) -> dict[str, int]:
    """PreScore (if there is one), Score on each node, NormalizeScore (if there is one)."""
    state = CycleState()
    if hasattr(plugin, "pre_score"):
        assert plugin.pre_score(state, incoming, nodes) is None
    scores = {each.name: plugin.score(state, incoming, each) for each in nodes}
    if hasattr(plugin, "normalize_score"):
        plugin.normalize_score(state, incoming, scores)
    return scores


def hint(plugin: Any, index: int, waiting: PodInfo, old: Any, new: Any) -> str:
    """What the plugin's registration number `index` answers."""
    registration: Registration = plugin.events_to_register()[index]
    assert registration.hint is not None
    return str(registration.hint(waiting, old, new).value)
