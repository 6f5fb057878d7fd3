"""/metrics/resources of kube-scheduler v1.35: what each pod requests and may use, as the scheduler reckons it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from scheduler_lab.engine.framework.resources import Nanos, RequestFeatures, pod_requests
from scheduler_lab.engine.metrics.families import Family, Sample, labels
from scheduler_lab.engine.objects.containers import Container
from scheduler_lab.engine.objects.pod import Pod

_BYTES = ("memory", "storage", "ephemeral-storage")
_TEXT = (
    "{} by workloads on the cluster, broken down by pod. This shows the resource usage the scheduler and kubelet "
    "expect per pod for resources along with the unit for the resource if any."
)


def pod_resources(pods: Iterable[Pod]) -> list[Family]:
    """The two families, for pods that have not finished; amounts in cores, bytes or whole units."""
    limit = Family(
        "kube_pod_resource_limit", "gauge", "STABLE", _TEXT.format("Resources limit").replace(" by", " for", 1)
    )
    request = Family("kube_pod_resource_request", "gauge", "STABLE", _TEXT.format("Resources requested"))
    for pod in pods:
        limit.samples += _samples(pod, pod_limits(pod))
        request.samples += _samples(pod, pod_requests(pod, RequestFeatures()))
    for family in (limit, request):
        family.samples.sort(key=lambda sample: [value for _, value in sample.labels])
    return [limit, request]


def pod_limits(pod: Pod) -> Nanos:
    """A pod's limits: reckoned as its requests are, with the overhead added to those that are not zero."""
    spec = pod.spec
    resources = spec.resources and replace(spec.resources, requests=spec.resources.limits)
    of_limits = replace(
        spec,
        containers=[_limited(container) for container in spec.containers],
        init_containers=[_limited(container) for container in spec.init_containers],
        resources=resources,
        overhead={},
    )
    found = pod_requests(replace(pod, spec=of_limits), RequestFeatures())
    for name, quantity in spec.overhead.items():
        if found.get(name):
            found[name] += quantity.nanos
    return found


def _limited(container: Container) -> Container:
    return replace(container, resources=replace(container.resources, requests=container.resources.limits))


def _samples(pod: Pod, amounts: Nanos) -> list[Sample]:
    priority = pod.spec.priority
    about = {
        "namespace": pod.metadata.namespace,
        "node": pod.spec.node_name,
        "pod": pod.metadata.name,
        "priority": "" if priority is None else str(priority),
        "scheduler": pod.spec.scheduler_name,
    }
    return [
        Sample(labels({**about, "resource": name, "unit": _unit(name)}), nanos / 10**9)
        for name, nanos in amounts.items()
        if nanos
    ]


def _unit(resource: str) -> str:
    if resource == "cpu":
        return "cores"
    if resource in _BYTES or resource.startswith("hugepages-"):
        return "bytes"
    return "integer" if resource.startswith("attachable-volumes-") else ""
