"""Kubernetes objects and what the scheduler knows, as the plain data that expressions see.

Fields read as a Go plugin reads them: what is not set is "", 0, false or empty, and only what is a pointer upstream is
absent. Members that no expression names are left out, which is most of the work of a large object.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import Resource
from scheduler_lab.engine.framework.status import Status
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.quantity import Quantity

Members = frozenset[str] | None
Plain = dict[str, Any]


class Values:
    """Makes the data of one plugin's expressions; `members` are the fields they name, None for all."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._pods: dict[tuple[str, str], tuple[Pod, Plain]] = {}
        self._nodes: dict[str, tuple[Node, Plain]] = {}

    def object(self, value: Any) -> Any:
        """An object as its data."""
        return _plain(value, self._members)

    def pod(self, pod: PodInfo) -> Plain:
        """A pod with its key, priority and requests."""
        key = (pod.uid, pod.pod.spec.node_name)
        known = self._pods.get(key)
        if known is not None and known[0] is pod.pod:
            return known[1]
        value: Plain = self.object(pod.pod)
        value |= {"key": pod.key, "priority": pod.priority}
        if self._named("requests"):
            value["requests"] = _amounts(pod.requests)
        self._pods[key] = (pod.pod, value)
        return value

    def pods(self, pods: Iterable[PodInfo]) -> list[Plain]:
        """Pods in their order."""
        return [self.pod(pod) for pod in pods]

    def node(self, info: NodeInfo) -> Plain:
        """A node with what is allocatable and requested, and its pods."""
        value = dict(self._node_object(info))
        value["name"] = info.name
        if self._named("allocatable"):
            value["allocatable"] = _amounts(info.allocatable, pods=info.allocatable.allowed_pods)
        if self._named("requested"):
            value["requested"] = _amounts(info.requested, pods=len(info.pods))
        if self._named("nonZeroRequested"):
            value["nonZeroRequested"] = {"cpu": info.non_zero_milli_cpu, "memory": info.non_zero_memory}
        if self._named("pods"):
            value["pods"] = self.pods(info.pods)
        return value

    def _node_object(self, info: NodeInfo) -> Plain:
        if info.node is None:
            return {}
        known = self._nodes.get(info.name)
        if known is None or known[0] is not info.node:
            known = self._nodes[info.name] = (info.node, self.object(info.node))
        return known[1]

    def _named(self, member: str) -> bool:
        return self._members is None or member in self._members


def status_value(status: Status) -> Plain:
    """Why a node was rejected."""
    return {"code": status.code.value, "reasons": list(status.reasons)}


def _amounts(resource: Resource, *, pods: int | None = None) -> dict[str, int]:
    """Milli-CPU, bytes and units by resource name."""
    amounts = {
        "cpu": resource.milli_cpu,
        "memory": resource.memory,
        "ephemeral-storage": resource.ephemeral_storage,
        **resource.scalars,
    }
    return amounts if pods is None else {**amounts, "pods": pods}


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    return tuple((info.encode_name, info.name) for info in msgspec.structs.fields(kind))


def _plain(value: Any, members: Members) -> Any:
    if isinstance(value, msgspec.Struct):
        found: Plain = {}
        for name, attribute in _fields(type(value)):
            if members is not None and name not in members:
                continue
            item = getattr(value, attribute)
            if item is not None:
                found[name] = _plain(item, members)
        return found
    if isinstance(value, dict):
        return {key: _plain(item, members) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, members) for item in value]
    return str(value.text) if isinstance(value, Quantity) else value
