"""What InterPodAffinity costs as the cluster grows: the engine's time for a scheduling cycle, with and without it.

Absolute times are those of this engine in Python, not kube-scheduler's. They grow for the same reason: for a pod with
affinity terms, PreFilter and PreScore go through the pods of all nodes, and such pods are not batched.

`python -m scheduler_lab.systems.cost` measures and prints the costs as JSON.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import msgspec

from scheduler_lab.engine import load, run
from scheduler_lab.engine.manifests import FILES
from scheduler_lab.engine.simulation import Simulation

SIZES = (10, 100, 1000)
PODS_A_NODE = 5
PENDING = 10
_ZONES = 3


class Cost(msgspec.Struct, frozen=True):
    """Milliseconds of a scheduling cycle on a cluster of that many nodes."""

    nodes: int
    without: float
    affinity: float

    @property
    def running(self) -> int:
        """Pods that run already."""
        return self.nodes * PODS_A_NODE

    @property
    def ratio(self) -> float:
        """How many times as long a cycle takes with affinity."""
        return self.affinity / self.without


KEPT = (
    Cost(10, without=0.40, affinity=0.62),
    Cost(100, without=0.66, affinity=3.9),
    Cost(1000, without=3.6, affinity=59),
)
"""Measured on two cores of a cloud machine, with Python 3.11."""


def measure(sizes: tuple[int, ...] = SIZES) -> list[Cost]:
    """Run the same pods on clusters of these sizes, once without and once with affinity rules."""
    return [Cost(nodes, without=_best(nodes, False), affinity=_best(nodes, True)) for nodes in sizes]


def _best(nodes: int, affinity: bool) -> float:
    """The least of a few measurements, more of them where they are short."""
    return min(_cycle(nodes, affinity) for _ in range(max(2, 500 // nodes)))


def _cycle(nodes: int, affinity: bool) -> float:
    """Milliseconds of processor time a cycle, the mean over the pending pods."""
    manifest = load(cluster(nodes, affinity), FILES)
    spent: list[float] = []

    def watch(simulation: Simulation) -> None:
        scheduler = simulation.process.scheduler
        scheduler.schedule_one = _timed(scheduler.schedule_one, spent)  # type: ignore[method-assign]

    run(manifest, watch=watch)
    return sum(sorted(spent, reverse=True)[:PENDING]) * 1000 / PENDING


def _timed(step: Callable[[], bool], spent: list[float]) -> Callable[[], bool]:
    def timed() -> bool:
        began = time.thread_time()
        worked = step()
        spent.append(time.thread_time() - began)
        return worked

    return timed


def cluster(nodes: int, affinity: bool) -> str:
    """A cluster of that many nodes in three zones with running pods, and pods to schedule, as JSON for the lab.

    With `affinity` every pod is to stay off the nodes of its app (required) and near the other app (preferred).
    """
    items = [_node(number) for number in range(nodes)]
    running = [_pod(f"run-{node}-{i}", f"app-{i}", affinity, f"node-{node}") for node in range(nodes) for i in _apps()]
    pending = [_pod(f"new-{number}", "new", affinity) for number in range(PENDING)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [*items, *running, *pending]})


def _apps() -> range:
    return range(PODS_A_NODE)


def _node(number: int) -> dict[str, Any]:
    labels = {"topology.kubernetes.io/zone": f"zone-{number % _ZONES}", "kubernetes.io/hostname": f"node-{number}"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"node-{number}", "labels": labels},
        "status": {"allocatable": {"cpu": "16", "memory": "64Gi"}},
    }


def _pod(name: str, app: str, affinity: bool, node: str = "") -> dict[str, Any]:
    container = {
        "name": "app",
        "image": "example/app:1",
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}},
    }
    spec: dict[str, Any] = {"containers": [container]}
    if node:
        spec["nodeName"] = node
    if affinity:
        spec["affinity"] = _rules(app)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": app}}, "spec": spec}


def _rules(app: str) -> dict[str, Any]:
    own = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    other = {"labelSelector": {"matchLabels": {"app": "app-0"}}, "topologyKey": "topology.kubernetes.io/zone"}
    return {
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [own]},
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "podAffinityTerm": other}]},
    }


if __name__ == "__main__":
    print(msgspec.json.encode(measure()).decode())
