"""What a placement must respect, reckoned from the texts alone, without the engine's arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.engine.clusters_strategy import GPU, HOST, PRIORITIES, Document

Picture = dict[str, Any]
"""One node of the record's `x-cluster`."""

UNITS = {"m": 1, "Mi": 2**20, "Gi": 2**30}


def _amount(value: Any, name: str) -> int:
    """Milli-CPU, bytes or units."""
    text = str(value)
    for unit, factor in UNITS.items():
        if text.endswith(unit):
            return int(text.removesuffix(unit)) * factor
    return int(text) * (1000 if name == "cpu" else 1)


def requests(pod: Document) -> dict[str, int]:
    """The larger of app containers and each init container."""
    totals = dict.fromkeys(("cpu", "memory", GPU), 0)
    spec = pod["spec"]
    for name in totals:
        amounts = [
            _amount(container["resources"]["requests"].get(name, 0), name)
            for container in (*spec["containers"], *spec.get("initContainers", ()))
        ]
        totals[name] = max(amounts)
    return totals


def priority(pod: Document) -> int:
    """The value of the pod's class; 0 without one."""
    return PRIORITIES.get(pod["spec"].get("priorityClassName", ""), 0)


def host_ports(pod: Document) -> set[int]:
    """The ports the pod takes on its node."""
    return {p["hostPort"] for c in pod["spec"]["containers"] for p in c.get("ports", ())}


def _required(pod: Document, kind: str) -> list[Document]:
    terms = pod["spec"].get("affinity", {}).get(kind, {}).get("requiredDuringSchedulingIgnoredDuringExecution", [])
    return list(terms)


def _selects(term: Document, pod: Document) -> bool:
    return bool(term["labelSelector"]["matchLabels"]["app"] == pod["metadata"]["labels"]["app"])


def domain(node: Picture, key: str) -> str:
    """The node's value of a topology key; "" when it lacks the label."""
    return str(node["name"] if key == HOST else node["zone"])


class Placement:
    """A pod about to be put on a node of a cluster as the record draws it."""

    def __init__(
        self,
        pod: Document,
        node: str,
        cluster: list[Picture],
        pods: Mapping[str, Document],
        nodes: Mapping[str, Document],
    ) -> None:
        self.pod = pod
        self.cluster = cluster
        self.node = next(entry for entry in cluster if entry["name"] == node)
        self._pods = pods
        self._nodes = nodes

    def _on(self, node: Picture) -> Iterator[Document]:
        return (self._pods[pod["key"]] for pod in node["pods"])

    def problems(self) -> list[str]:
        """Everything about the placement that a scheduler must not do."""
        checks = {
            "resources": self._fits(),
            "taints": self._tolerated(),
            "cordon": not self.node["unschedulable"],
            "host ports": not any(host_ports(self.pod) & host_ports(other) for other in self._on(self.node)),
            "node affinity": self._wanted(self.node),
            "anti-affinity": self._nobody_minds(),
            "affinity": self._in_company(),
            "spread": self._spread(),
        }
        return [name for name, fine in checks.items() if not fine]

    def _fits(self) -> bool:
        allocatable = self.node["allocatable"]
        here = [requests(other) for other in self._on(self.node)]
        if len(here) + 1 > allocatable["pods"]:
            return False
        return all(
            not amount or amount + sum(other[name] for other in here) <= allocatable.get(name, 0)
            for name, amount in requests(self.pod).items()
        )

    def _tolerated(self) -> bool:
        for taint in self.node["taints"]:
            head, _, effect = taint.rpartition(":")
            key, _, value = head.partition("=")
            if effect == "PreferNoSchedule":
                continue
            if not any(
                (t["key"], t["effect"]) == (key, effect) and t.get("value", value if t.get("operator") else "") == value
                for t in self.pod["spec"].get("tolerations", ())
            ):
                return False
        return True

    def _wanted(self, node: Picture) -> bool:
        """Node selector and required node affinity."""
        disk = self._nodes[node["name"]]["metadata"]["labels"]["disk"]
        if self.pod["spec"].get("nodeSelector", {}).get("disk", disk) != disk:
            return False
        required = self.pod["spec"].get("affinity", {}).get("nodeAffinity", {})
        selector = required.get("requiredDuringSchedulingIgnoredDuringExecution", {"nodeSelectorTerms": []})
        for term in selector["nodeSelectorTerms"]:
            [requirement] = term.get("matchFields") or term["matchExpressions"]
            return (node["name"] if "matchFields" in term else disk) in requirement["values"]
        return True

    def _neighbours(self, key: str) -> Iterator[Document]:
        here = domain(self.node, key)
        if here:
            for node in self.cluster:
                if domain(node, key) == here:
                    yield from self._on(node)

    def _nobody_minds(self) -> bool:
        for term in _required(self.pod, "podAntiAffinity"):
            if any(_selects(term, other) for other in self._neighbours(term["topologyKey"])):
                return False
        for node in self.cluster:
            for other in self._on(node):
                for term in _required(other, "podAntiAffinity"):
                    there = domain(node, term["topologyKey"])
                    if there and there == domain(self.node, term["topologyKey"]) and _selects(term, self.pod):
                        return False
        return True

    def _in_company(self) -> bool:
        for term in _required(self.pod, "podAffinity"):
            key = term["topologyKey"]
            if any(_selects(term, other) for other in self._neighbours(key)):
                continue
            elsewhere = any(
                domain(node, key) and _selects(term, other) for node in self.cluster for other in self._on(node)
            )
            if elsewhere or not _selects(term, self.pod) or not domain(self.node, key):
                return False
        return True

    def _spread(self) -> bool:
        for constraint in self.pod["spec"].get("topologySpreadConstraints", ()):
            if constraint["whenUnsatisfiable"] != "DoNotSchedule":
                continue
            key = constraint["topologyKey"]
            counts: dict[str, int] = {}
            for node in self.cluster:
                if domain(node, key) and self._wanted(node):
                    matching = sum(_selects(constraint, other) for other in self._on(node))
                    counts[domain(node, key)] = counts.get(domain(node, key), 0) + matching
            here = counts.get(domain(self.node, key))
            if here is None or here + 1 - min(counts.values()) > constraint["maxSkew"]:
                return False
        return True
