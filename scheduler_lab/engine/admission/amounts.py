"""What a pod asks for in all, as admission counts it: requests or limits of its containers, init steps and overhead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from scheduler_lab.engine.objects.base import ResourceList
from scheduler_lab.engine.objects.containers import Container
from scheduler_lab.engine.objects.pod import PodSpec
from scheduler_lab.engine.objects.quantity import Quantity

Side = Literal["requests", "limits"]


def pod_amounts(spec: PodSpec, side: Side) -> ResourceList:
    """The sum over the containers and sidecars, or the largest init step; pod-level amounts replace it.

    Overhead is added to requests, and to limits where there is one.
    """
    total: ResourceList = {}
    _add(total, (_of(container, side) for container in spec.containers))
    sidecars: ResourceList = {}
    largest: ResourceList = {}
    for container in spec.init_containers:
        amounts = _of(container, side)
        if container.restart_policy == "Always":
            _add(total, [amounts])
            _add(sidecars, [amounts])
            step = sidecars
        else:
            step = dict(amounts)
            _add(step, [sidecars])
        _keep_largest(largest, step)
    _keep_largest(total, largest)
    if spec.resources is not None:
        total.update(spec.resources.requests if side == "requests" else spec.resources.limits)
    overhead = {name: q for name, q in spec.overhead.items() if side == "requests" or name in total}
    _add(total, [overhead])
    return total


def total_of(lists: Iterable[ResourceList]) -> ResourceList:
    """The sum of resource lists."""
    total: ResourceList = {}
    _add(total, lists)
    return total


def _of(container: Container, side: Side) -> ResourceList:
    return container.resources.requests if side == "requests" else container.resources.limits


def _add(total: ResourceList, lists: Iterable[ResourceList]) -> None:
    for amounts in lists:
        for name, quantity in amounts.items():
            total[name] = total[name] + quantity if name in total else quantity


def _keep_largest(best: ResourceList, other: ResourceList) -> None:
    for name, quantity in other.items():
        if name not in best or best[name] < quantity:
            best[name] = quantity


NOTHING = Quantity.parse(0)
