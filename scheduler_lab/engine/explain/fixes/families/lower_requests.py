"""The largest requests with which a pod fits into what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from scheduler_lab.engine.evidence.format import amount, is_bytes
from scheduler_lab.engine.explain.edits import Change, Ref, Remove, Set
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.framework.resources import CPU, RequestFeatures, is_scalar, pod_resource
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.objects.containers import Container, ResourceRequirements
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.quantity import Quantity

MEBI = 2**20
_FEATURES = RequestFeatures()


@dataclass(frozen=True, slots=True)
class Lowered:
    """The changes, and each in short: `app cpu 500m`."""

    changes: tuple[Change, ...]
    said: list[str]


@dataclass(frozen=True, slots=True)
class _Asker:
    """A part of the pod that asks for the resource: a container, or the pod as a whole ("")."""

    name: str
    path: Path
    resources: ResourceRequirements


def lowered(situation: Situation, resource: str, room: int) -> Lowered | None:
    """Requests that sum up to at most `room` (milli-CPU, bytes, units); None when none would be left.

    The part that asks for most gives way first; when that is not enough, all that ask for more than a common bound.
    """
    pod = situation.spec_pod
    askers = sorted(_askers(pod, resource), key=lambda asker: -_request(asker, resource))
    for asker in askers:
        largest = _largest(pod, [asker], resource, room, _request(asker, resource))
        if largest:
            return _edit(situation.pod_ref, [asker], resource, largest)
    if not askers:
        return None
    bound = _largest(pod, askers, resource, room, _request(askers[0], resource))
    above = [asker for asker in askers if _request(asker, resource) > bound]
    return _edit(situation.pod_ref, above, resource, bound) if bound else None


def without(situation: Situation, resource: str) -> Lowered | None:
    """The pod without any request or limit of the resource; None when it has none."""
    changes: list[Change] = []
    for asker in _askers(situation.spec_pod, resource):
        for member in ("requests", "limits"):
            if resource in getattr(asker.resources, member):
                changes.append(Remove(situation.pod_ref, (*asker.path, member, resource)))
    return Lowered(tuple(changes), [resource]) if changes else None


def _askers(pod: Pod, resource: str) -> Iterator[_Asker]:
    spec = pod.spec
    if spec.resources is not None and _asks(spec.resources, resource):
        yield _Asker("", ("spec", "resources"), spec.resources)
        return
    for field, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for index, container in enumerate(containers):
            if _asks(container.resources, resource):
                yield _Asker(container.name, ("spec", field, index, "resources"), container.resources)


def _asks(resources: ResourceRequirements, resource: str) -> bool:
    return resource in resources.requests or resource in resources.limits


def _request(asker: _Asker, resource: str) -> int:
    quantity = {**asker.resources.limits, **asker.resources.requests}[resource]
    return quantity.milli() if resource == CPU else quantity.value()


def _largest(pod: Pod, askers: list[_Asker], resource: str, room: int, highest: int) -> int:
    """The largest request for each of the parts with which the whole pod fits; 0 when even 1 is too much."""
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if pod_resource(_with(pod, askers, resource, middle), _FEATURES).get(resource) <= room:
            low = middle
        else:
            high = middle - 1
    if low < highest and is_bytes(resource) and low >= MEBI:
        low -= low % MEBI
    return low if low < highest else 0


def _with(pod: Pod, askers: list[_Asker], resource: str, value: int) -> Pod:
    """The pod in which those parts ask for at most the value; limits without requests count as requests."""
    quantity = Quantity.parse(amount(resource, value))
    paths = {asker.path for asker in askers if _request(asker, resource) > value}
    spec = pod.spec
    if spec.resources is not None:
        spec = replace(spec, resources=_capped(spec.resources, resource, quantity, ("spec", "resources") in paths))
    return replace(
        pod,
        spec=replace(
            spec,
            containers=_containers(spec.containers, "containers", paths, resource, quantity),
            init_containers=_containers(spec.init_containers, "initContainers", paths, resource, quantity),
        ),
    )


def _containers(
    containers: list[Container], field: str, paths: set[Path], resource: str, quantity: Quantity
) -> list[Container]:
    return [
        replace(c, resources=_capped(c.resources, resource, quantity, ("spec", field, i, "resources") in paths))
        for i, c in enumerate(containers)
    ]


def _capped(resources: ResourceRequirements, resource: str, quantity: Quantity, cap: bool) -> ResourceRequirements:
    requests = {**resources.limits, **resources.requests}
    if cap:
        requests[resource] = quantity
    return replace(resources, requests=requests)


def _edit(pod: Ref, askers: list[_Asker], resource: str, value: int) -> Lowered:
    written = amount(resource, value)
    changes: list[Change] = []
    for asker in askers:
        if resource in asker.resources.requests or not is_scalar(resource):
            changes.append(Set(pod, (*asker.path, "requests", resource), written))
        if is_scalar(resource) and resource in asker.resources.limits:
            changes.append(Set(pod, (*asker.path, "limits", resource), written))
    said = [" ".join(part for part in (asker.name, resource, written) if part) for asker in askers]
    return Lowered(tuple(changes), said)
