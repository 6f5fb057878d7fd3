"""Small clusters for tests of the plugins that look at other pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_lab.engine.cluster.cache import Cache
from scheduler_lab.engine.configuration.feature_gates import resolve
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import RequestFeatures
from scheduler_lab.engine.framework.status import Status
from scheduler_lab.engine.objects.codec import convert, decode
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import Pod
from tests.engine.plugins.builders import FakeHandle

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"


def labelled(
    name: str = "web",
    labels: str = "app=web",
    on: str = "",
    *,
    namespace: str = "default",
    deleting: bool = False,
    owner: Mapping[str, Any] | None = None,
    **spec: Any,
) -> PodInfo:
    """A pod with the labels `a=1,b=2`, on a node if one is given."""
    metadata: dict[str, Any] = {"name": name, "namespace": namespace, "uid": f"{namespace}/{name}"}
    metadata["labels"] = dict(pair.split("=") for pair in labels.split(",") if pair)
    if deleting:
        metadata["deletionTimestamp"] = "2030-01-01T00:00:00Z"
    if owner:
        metadata["ownerReferences"] = [owner]
    spec = {"containers": [{"name": "c", "image": "x"}], **spec}
    if on:
        spec["nodeName"] = on
    built = convert({"metadata": metadata, "spec": spec}, Pod)
    assert isinstance(built, Pod)
    return PodInfo(built, RequestFeatures())


def zoned(name: str, zone: str = "", **more: Any) -> Node:
    """A node with its hostname label, a zone label if a zone is given, and further labels by keyword."""
    spec = more.pop("spec", {})
    labels = {HOST: name, **({ZONE: zone} if zone else {}), **more}
    built = convert({"metadata": {"name": name, "labels": labels}, "spec": spec}, Node)
    assert isinstance(built, Node)
    return built


class World:
    """Nodes, pods on them and other objects, and one plugin that sees them."""

    def __init__(
        self,
        plugin: Any,
        args: Any,
        nodes: Sequence[Node],
        pods: Sequence[PodInfo] = (),
        *,
        objects: Sequence[Mapping[str, Any]] = (),
        gates: Mapping[str, bool] | None = None,
    ) -> None:
        self.handle = FakeHandle()
        self.handle.gates = resolve(gates)
        self.cache = Cache()
        self.handle.snapshot = self.cache  # type: ignore[assignment]
        for node in nodes:
            self.cache.set_node(node)
        for pod in pods:
            self.cache.add_pod(pod)
        for entry in objects:
            built = decode(dict(entry))
            assert isinstance(built, KubeObject)
            self.handle.store.put(built)
        self.plugin = plugin(args, self.handle)
        self.state = CycleState()

    def node(self, name: str) -> NodeInfo:
        """The node of that name."""
        found = self.cache.get(name)
        assert found is not None
        return found

    def pre_filter(self, pod: PodInfo) -> Status | None:
        """PreFilter's status."""
        status: Status | None = self.plugin.pre_filter(self.state, pod, self.cache.nodes)[1]
        return status

    def filter(self, pod: PodInfo) -> dict[str, str]:
        """PreFilter, then Filter on every node: its reason, or "" where the node passes."""
        status = self.pre_filter(pod)
        assert status is None, status
        return self.refilter(pod)

    def refilter(self, pod: PodInfo) -> dict[str, str]:
        """Filter on every node with the state as it is."""
        verdicts = {info.name: self.plugin.filter(self.state, pod, info) for info in self.cache.nodes}
        return {name: status.message if status is not None else "" for name, status in verdicts.items()}

    def score(self, pod: PodInfo, feasible: Sequence[str] = ()) -> dict[str, tuple[int, int]]:
        """PreScore, Score and Normalize over the feasible nodes (all by default): (raw, normalized)."""
        nodes = [self.node(name) for name in feasible] or self.cache.nodes
        status = self.plugin.pre_score(self.state, pod, nodes)
        assert status is None, status
        raw = {info.name: self.plugin.score(self.state, pod, info) for info in nodes}
        normalized = dict(raw)
        assert self.plugin.normalize_score(self.state, pod, normalized) is None
        return {name: (raw[name], normalized[name]) for name in raw}

    def hint(self, resource: int, waiting: PodInfo, old: Any, new: Any) -> str:
        """What the pod hint (0) or the node hint (1) answers."""
        registration = self.plugin.events_to_register()[resource]
        return str(registration.hint(waiting, old, new).value)
