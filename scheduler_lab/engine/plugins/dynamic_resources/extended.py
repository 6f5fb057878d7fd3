"""Extended resources that a DeviceClass serves (DRAExtendedResource).

A pod that asks for `lab.io/gpu: 2` gets devices of the class with that extendedResourceName on nodes that have no
such resource themselves. Its claim exists in memory only until PreBind writes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scheduler_lab.engine.cluster.device_claims import is_for_pod
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import RequestFeatures, is_extended, pod_resource
from scheduler_lab.engine.objects.containers import Container
from scheduler_lab.engine.objects.meta import ObjectMeta, OwnerReference
from scheduler_lab.engine.objects.pod import ContainerExtendedResourceRequest, Pod
from scheduler_lab.engine.objects.resource import (
    DeviceClaim,
    DeviceClass,
    DeviceRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
)
from scheduler_lab.engine.plugins.dynamic_resources.errors import NodeUnsuitable
from scheduler_lab.engine.plugins.dynamic_resources.requests import EXACT_COUNT

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store

IN_MEMORY = "<extended-resources>"
ANNOTATION = "resource.kubernetes.io/extended-resource-claim"
IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"


@dataclass(slots=True)
class Mapped:
    """The requests for one node, and which container gets which of them."""

    requests: list[DeviceRequest] = field(default_factory=list)
    mappings: list[ContainerExtendedResourceRequest] = field(default_factory=list)


def device_class_of(resource: str, store: Store) -> DeviceClass | None:
    """The class that serves a resource: by its own name behind the prefix, else the newest, then the first by name."""
    if resource.startswith(IMPLICIT_PREFIX):
        named: DeviceClass | None = store.get("DeviceClass", "", resource.removeprefix(IMPLICIT_PREFIX))
        return named
    if not is_extended(resource):
        return None
    classes: list[DeviceClass] = [c for c in store.list("DeviceClass") if c.spec.extended_resource_name == resource]
    classes.sort(key=lambda c: c.metadata.name)
    classes.sort(key=lambda c: c.metadata.creation_timestamp or "", reverse=True)
    return classes[0] if classes else None


def served_resources(pod: PodInfo, store: Store, features: RequestFeatures) -> dict[str, int]:
    """The scalar resources the pod asks for, if a class serves at least one of them; else nothing."""
    wanted = {name: n for name, n in pod_resource(pod.pod, features).scalars.items() if n}
    return wanted if any(device_class_of(name, store) is not None for name in wanted) else {}


def extended_claim(pod: Pod, store: Store) -> ResourceClaim:
    """The claim left over from an earlier attempt, else a new one in memory without requests."""
    for claim in store.list("ResourceClaim"):
        if claim.metadata.annotations.get(ANNOTATION) == "true" and is_for_pod(claim, pod):
            left_over: ResourceClaim = claim
            return left_over
    meta = pod.metadata
    owner = OwnerReference(api_version="v1", kind="Pod", name=meta.name, uid=meta.uid, controller=True)
    return ResourceClaim(
        metadata=ObjectMeta(
            namespace=meta.namespace,
            name=IN_MEMORY,
            generate_name=f"{meta.name}-extended-resources-",
            uid=f"{meta.uid}/{IN_MEMORY}",
            owner_references=[owner],
            annotations={ANNOTATION: "true"},
        )
    )


def is_in_memory(claim: ResourceClaim) -> bool:
    """Whether the claim has not been written yet."""
    return claim.metadata.name == IN_MEMORY


def needed_on(node: NodeInfo, wanted: dict[str, int], store: Store) -> dict[str, DeviceClass]:
    """Which of the resources the node has to serve with devices; NodeUnsuitable if it can serve one in no way."""
    needed: dict[str, DeviceClass] = {}
    for name in wanted:
        device_class = device_class_of(name, store)
        if device_class is not None and not node.allocatable.scalars.get(name, 0):
            needed[name] = device_class
        elif is_extended(name) and name not in node.allocatable.scalars:
            raise NodeUnsuitable("cannot fit resource")
    return needed


def with_requests(claim: ResourceClaim, mapped: Mapped) -> ResourceClaim:
    """The claim as it is allocated on a node."""
    spec = ResourceClaimSpec(devices=DeviceClaim(requests=mapped.requests))
    return ResourceClaim(metadata=claim.metadata, spec=spec, status=claim.status)


def map_requests(pod: Pod, needed: dict[str, DeviceClass]) -> Mapped:
    """A request for each container and resource: `container-0-request-1`.

    The number of the request is the resource's place among the container's requests by name. An init container that
    ends reuses the devices of the containers after it; of what such containers need beyond, only the largest request
    is made.
    """
    containers = [*pod.spec.init_containers, *pod.spec.containers]
    ending = {i for i, c in enumerate(pod.spec.init_containers) if c.restart_policy != "Always"}
    result = Mapped()
    for resource in sorted(needed):
        class_name = needed[resource].metadata.name
        lasting: dict[int, DeviceRequest] = {}
        for index, container in enumerate(containers):
            if index in ending:
                continue
            request, mappings = _request(index, container, resource, class_name, [])
            result.mappings += mappings
            if request is not None:
                lasting[index] = request
        passing: list[DeviceRequest] = []
        passing_mappings: list[ContainerExtendedResourceRequest] = []
        for index in sorted(ending):
            reusable = [request for at, request in sorted(lasting.items()) if at >= index]
            request, mappings = _request(index, containers[index], resource, class_name, reusable)
            passing += [request] if request is not None else []
            passing_mappings += mappings
        if passing:
            largest = max(passing, key=_count)
            replaced = {request.name for request in passing}
            for mapping in passing_mappings:
                mapping.request_name = largest.name if mapping.request_name in replaced else mapping.request_name
            result.requests.append(largest)
        result.mappings += passing_mappings
        result.requests += lasting.values()
    result.requests.sort(key=lambda request: request.name)
    return result


def _count(request: DeviceRequest) -> int:
    return request.exactly.count if request.exactly is not None else 0


def _request(
    index: int, container: Container, resource: str, class_name: str, reusable: list[DeviceRequest]
) -> tuple[DeviceRequest | None, list[ContainerExtendedResourceRequest]]:
    quantity = container.resources.requests.get(resource)
    missing = quantity.value() if quantity is not None else 0
    mappings: list[ContainerExtendedResourceRequest] = []

    def map_to(request: str) -> None:
        mapping = ContainerExtendedResourceRequest(container_name=container.name, resource_name=resource)
        mapping.request_name = request
        mappings.append(mapping)

    for other in reusable:
        if missing <= 0:
            break
        missing -= _count(other)
        map_to(other.name)
    if missing <= 0:
        return None, mappings
    place = sorted(container.resources.requests).index(resource)
    name = f"container-{index}-request-{place}"
    map_to(name)
    exactly = ExactDeviceRequest(device_class_name=class_name, allocation_mode=EXACT_COUNT, count=missing)
    return DeviceRequest(name=name, exactly=exactly), mappings
