"""LimitRange: defaults for containers, and bounds on containers, pods and claims (Kubernetes v1.35, LimitRanger)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from scheduler_lab.engine.admission.amounts import pod_amounts
from scheduler_lab.engine.admission.errors import Refusal
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.base import ResourceList
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.config import LimitRange, LimitRangeItem
from scheduler_lab.engine.objects.containers import Container
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.selectors import aggregate

ANNOTATION = "kubernetes.io/limit-ranger"
CONTAINER = "Container"
POD = "Pod"
CLAIM = "PersistentVolumeClaim"
Check = Callable[[str, str, Quantity, Quantity | None, Quantity | None], str]
"""(type, resource, bound, request, limit) → what is wrong, or "" """


def admit_limit_range(item: LimitRange) -> LimitRange:
    """For containers: the default limit from the maximum, the default request from that, then from the minimum."""
    limits = [_with_defaults(limit) if limit.type == CONTAINER else limit for limit in item.spec.limits]
    return replace(item, spec=replace(item.spec, limits=limits))


def _with_defaults(limit: LimitRangeItem) -> LimitRangeItem:
    default = {**limit.max, **limit.default}
    return replace(limit, default=default, default_request={**limit.min, **default, **limit.default_request})


def with_limit_defaults(pod: Pod, store: Store) -> Pod:
    """The pod with requests and limits filled in from the LimitRanges of its namespace, and an annotation about it."""
    said: list[str] = []
    for item in _ranges(pod.metadata.namespace, store):
        requests: ResourceList = {}
        limits: ResourceList = {}
        for limit in item.spec.limits:
            if limit.type == CONTAINER:
                requests.update(limit.default_request)
                limits.update(limit.default)
        if not requests and not limits:
            continue
        spec = pod.spec
        spec = replace(
            spec,
            containers=[_filled(c, requests, limits, "container", said) for c in spec.containers],
            init_containers=[_filled(c, requests, limits, "init container", said) for c in spec.init_containers],
        )
        pod = replace(pod, spec=spec)
    if not said:
        return pod
    annotations = {**pod.metadata.annotations, ANNOTATION: f"LimitRanger plugin set: {'; '.join(said)}"}
    return replace(pod, metadata=replace(pod.metadata, annotations=annotations))


def _filled(
    container: Container, requests: ResourceList, limits: ResourceList, what: str, said: list[str]
) -> Container:
    resources = container.resources
    for side, defaults, given in (("request", requests, resources.requests), ("limit", limits, resources.limits)):
        missing = sorted(defaults.keys() - given.keys())
        if missing:
            said.append(f"{', '.join(missing)} {side} for {what} {container.name}")
    return replace(
        container,
        resources=replace(
            resources, requests={**requests, **resources.requests}, limits={**limits, **resources.limits}
        ),
    )


def check_pod_limits(pod: Pod, store: Store) -> None:
    """Raises Refusal with everything that the first LimitRange the pod violates has against it."""
    for item in _ranges(pod.metadata.namespace, store):
        errors: list[str] = []
        for limit in item.spec.limits:
            if limit.type == CONTAINER:
                for container in (*pod.spec.containers, *pod.spec.init_containers):
                    errors += _violations(limit, container.resources.requests, container.resources.limits)
            elif limit.type == POD:
                errors += _violations(limit, pod_amounts(pod.spec, "requests"), pod_amounts(pod.spec, "limits"))
        if errors:
            raise Refusal(aggregate(errors))


def check_claim_limits(claim: PersistentVolumeClaim, store: Store) -> None:
    """Raises Refusal for a claim whose size is out of bounds."""
    requests = claim.spec.resources.requests
    for item in _ranges(claim.metadata.namespace, store):
        errors: list[str] = []
        for limit in item.spec.limits:
            if limit.type == CLAIM:
                errors += _checked(limit.min, _too_little, CLAIM, requests, {})
                errors += _checked(limit.max, _too_large_a_request, CLAIM, requests, {})
        if errors:
            raise Refusal(aggregate(errors))


def _ranges(namespace: str, store: Store) -> list[LimitRange]:
    found = [item for item in store.list("LimitRange") if item.metadata.namespace == namespace]
    return sorted(found, key=lambda item: str(item.metadata.name))


def _violations(limit: LimitRangeItem, requests: ResourceList, limits: ResourceList) -> list[str]:
    return [
        *_checked(limit.min, _too_little, limit.type, requests, limits),
        *_checked(limit.max, _too_much, limit.type, requests, limits),
        *_checked(limit.max_limit_request_ratio, _too_far_apart, limit.type, requests, limits),
    ]


def _checked(
    bounds: ResourceList, check: Check, kind: str, requests: ResourceList, limits: ResourceList
) -> Iterator[str]:
    for name in sorted(bounds):
        if error := check(kind, name, bounds[name], requests.get(name), limits.get(name)):
            yield error


def _too_little(kind: str, name: str, bound: Quantity, request: Quantity | None, limit: Quantity | None) -> str:
    rule = f"minimum {name} usage per {kind} is {bound}"
    if request is None:
        return f"{rule}.  No request is specified"
    if request < bound:
        return f"{rule}, but request is {request}"
    if limit is not None and limit < bound:
        return f"{rule}, but limit is {limit}"
    return ""


def _too_much(kind: str, name: str, bound: Quantity, request: Quantity | None, limit: Quantity | None) -> str:
    rule = f"maximum {name} usage per {kind} is {bound}"
    if limit is None:
        return f"{rule}.  No limit is specified"
    if bound < limit:
        return f"{rule}, but limit is {limit}"
    if request is not None and bound < request:
        return f"{rule}, but request is {request}"
    return ""


def _too_large_a_request(kind: str, name: str, bound: Quantity, request: Quantity | None, _: Quantity | None) -> str:
    rule = f"maximum {name} usage per {kind} is {bound}"
    if request is None:
        return f"{rule}.  No request is specified"
    return f"{rule}, but request is {request}" if bound < request else ""


def _too_far_apart(kind: str, name: str, bound: Quantity, request: Quantity | None, limit: Quantity | None) -> str:
    rule = f"{name} max limit to request ratio per {kind} is {bound}"
    if not request:
        return f"{rule}, but no request is specified or request is 0"
    if not limit:
        return f"{rule}, but no limit is specified or limit is 0"
    if limit.nanos * 10**9 > bound.nanos * request.nanos:
        return f"{rule}, but provided ratio is {limit.nanos / request.nanos:f}"
    return ""
