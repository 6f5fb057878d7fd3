"""References to the fields of objects that decided a verdict."""

from __future__ import annotations

from scheduler_lab.engine.evidence import Mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import CPU, MEMORY
from scheduler_lab.engine.objects.pod import Pod


def pod_mark(pod: PodInfo, path: str) -> Mark:
    """A field of a pod."""
    return Mark("Pod", pod.pod.metadata.name, path, pod.namespace)


def node_mark(node: NodeInfo, path: str) -> Mark:
    """A field of a node."""
    return Mark("Node", node.name, path)


def entry(path: str, key: str) -> str:
    """The path of a map's entry; a key with dots or slashes in brackets: `metadata.labels[example.com/disk]`."""
    return f"{path}[{key}]" if "." in key or "/" in key else f"{path}.{key}"


def request_paths(pod: Pod, resource: str) -> list[str]:
    """Where a pod asks for a resource: pod level, else each container, then the overhead."""
    spec = pod.spec
    paths: list[str] = []
    pod_level = spec.resources is not None and resource in spec.resources.requests
    if pod_level and (resource in (CPU, MEMORY) or resource.startswith("hugepages-")):
        paths.append(entry("spec.resources.requests", resource))
    else:
        for field, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
            paths += [
                entry(f"spec.{field}[{index}].resources.requests", resource)
                for index, container in enumerate(containers)
                if resource in container.resources.requests
            ]
    if resource in spec.overhead:
        paths.append(entry("spec.overhead", resource))
    return paths


def request_marks(pod: PodInfo, resource: str) -> list[Mark]:
    """The fields with which a pod asks for a resource."""
    return [pod_mark(pod, path) for path in request_paths(pod.pod, resource)]
