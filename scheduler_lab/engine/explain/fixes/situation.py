"""Everything known about a pending pod: its last attempt, the verdicts with their numbers, the objects of the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scheduler_lab.engine.explain.edits import Ref
from scheduler_lab.engine.explain.edits.homes import Book
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import Pod

Json = dict[str, Any]
SUCCESS = ("Success", "Skip")


@dataclass(frozen=True, slots=True)
class Rejection:
    """One node's rejection in Filter. `marks` and `table` are those of the evidence."""

    node: str
    plugin: str
    code: str
    reasons: tuple[str, ...]
    passed: int
    evidence: Json

    @property
    def rows(self) -> list[list[str]]:
        """The rows of the evidence's table."""
        rows: list[list[str]] = (self.evidence.get("table") or {}).get("rows", [])
        return rows

    @property
    def failed_rows(self) -> list[list[str]]:
        """The rows that speak against the node."""
        return [self.rows[index] for index in (self.evidence.get("table") or {}).get("highlight", [])]

    def paths(self, kind: str, name: str | None = None) -> list[str]:
        """The fields of objects of that kind that decided."""
        marks: list[Json] = self.evidence.get("marks", [])
        return [m["path"] for m in marks if m["kind"] == kind and name in (None, m["name"])]


class Situation:
    """A run's record seen from one pod of it."""

    def __init__(self, book: Book, record: Json, pod_key: str) -> None:
        self.book = book
        self.record = record
        self.pod_key = pod_key
        self.namespace, _, self.name = pod_key.partition("/")
        self.pod_ref = Ref("Pod", self.namespace, self.name)
        found = book.get(self.pod_ref)
        self.pod: Pod | None = found if isinstance(found, Pod) else None

    @property
    def spec_pod(self) -> Pod:
        """The pod as it is written."""
        assert self.pod is not None
        return self.pod

    @cached_property
    def cycle_index(self) -> int | None:
        """The index of the pod's last attempt."""
        cycles = self.record.get("cycles", [])
        return next((i for i in reversed(range(len(cycles))) if cycles[i]["pod"] == self.pod_key), None)

    @property
    def cycle(self) -> Json:
        """The pod's last attempt; empty without one."""
        cycle: Json = {} if self.cycle_index is None else self.record["cycles"][self.cycle_index]
        return cycle

    @property
    def message(self) -> str:
        """What the scheduler says about the pod."""
        return str((self.cycle.get("result") or {}).get("message", ""))

    @property
    def has_evidence(self) -> bool:
        """Whether the last attempt comes with evidence."""
        return self.cycle_index is None or bool(self.cycle.get("x-evidence"))

    @cached_property
    def rejections(self) -> list[Rejection]:
        """The nodes that Filter rejected; first those that came furthest."""
        evidence = (self.cycle.get("x-evidence") or {}).get("filter", {})
        found = [
            Rejection(
                node,
                verdicts[-1]["plugin"],
                verdicts[-1]["code"],
                tuple(verdicts[-1].get("reasons", ())),
                len(verdicts),
                evidence.get(node, {}).get(verdicts[-1]["plugin"]) or {},
            )
            for node, verdicts in self.cycle.get("filter", {}).items()
            if verdicts and verdicts[-1]["code"] not in SUCCESS
        ]
        return sorted(found, key=lambda rejection: -rejection.passed)

    def by(self, plugin: str, reason: str = "") -> list[Rejection]:
        """The rejections by a plugin, only those with the reason if one is given."""
        return [r for r in self.rejections if r.plugin == plugin and (not reason or reason in r.reasons)]

    def verdicts(self, point: str) -> Iterator[Json]:
        """The rejections of an extension point that judges the cycle as a whole (preFilter, reserve, permit, …)."""
        for verdict in self.cycle.get(point, []):
            if verdict["code"] not in SUCCESS:
                yield verdict

    def evidence(self, point: str, plugin: str) -> Json:
        """The evidence of a plugin for the cycle as a whole."""
        evidence: Json = (self.cycle.get("x-evidence") or {}).get(point, {}).get(plugin) or {}
        return evidence

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """The nodes of the text."""
        return {ref.name: item for ref, item in self.book.objects.items() if isinstance(item, Node)}

    @cached_property
    def pods(self) -> dict[str, Pod]:
        """The pods that are there at the end of the run, by namespace/name, as they are written."""
        found = {key: self.book.get(pod_ref(key)) for key in self.record.get("pods", {})}
        return {key: pod for key, pod in found.items() if isinstance(pod, Pod)}

    @cached_property
    def siblings(self) -> list[str]:
        """The other pods that the pod's workload made, from one template."""
        maker = self.book.maker(self.pod_ref)
        if maker is None:
            return []
        keys: Iterable[str] = self.record.get("pods", {})
        return [key for key in keys if key != self.pod_key and self.book.maker(pod_ref(key)) == maker]

    def node_of(self, pod_key: str) -> str:
        """The node of a pod at the end of the run, or ""."""
        return str(self.record.get("pods", {}).get(pod_key, {}).get("nodeName", ""))

    def pods_on(self, node: str) -> list[str]:
        """The pods that have the node at the end of the run."""
        return [key for key in self.pods if self.node_of(key) == node]


def node_ref(name: str) -> Ref:
    """A node."""
    return Ref("Node", "", name)


def pod_ref(key: str) -> Ref:
    """A pod by namespace/name."""
    namespace, _, name = key.partition("/")
    return Ref("Pod", namespace, name)
