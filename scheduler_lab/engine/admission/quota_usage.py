"""What an object counts for in a ResourceQuota, and which scopes a pod is in (Kubernetes v1.35, quota evaluators)."""

from __future__ import annotations

from typing import Any, Final

from scheduler_lab.engine.admission.amounts import pod_amounts
from scheduler_lab.engine.admission.resource_names import resource_of
from scheduler_lab.engine.cluster.claims import claim_class, requested
from scheduler_lab.engine.framework.resources import is_extended
from scheduler_lab.engine.objects.base import ResourceList
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.config import ResourceQuota, ScopedResourceSelectorRequirement
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.services import Service

ONE: Final = Quantity.parse(1)
# Quotas of cpu and memory require every container to say how much of them it wants.
REQUIRED: Final = ("cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory")
_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")
_PLAIN: Final = frozenset({
    "ConfigMap", "PersistentVolumeClaim", "ReplicationController", "ResourceQuota", "Secret", "Service",
})  # fmt: skip


def usage(obj: Any) -> ResourceList:
    """Everything the object counts for, by the names that quotas use."""
    resource = resource_of(obj.kind)
    used: ResourceList = {f"count/{resource}": ONE}
    if obj.kind in _PLAIN:
        used[resource] = ONE
    if isinstance(obj, Pod):
        if obj.status.phase not in FINISHED_PHASES:
            used |= compute(pod_amounts(obj.spec, "requests"), pod_amounts(obj.spec, "limits"))
    elif isinstance(obj, PersistentVolumeClaim):
        used |= _claim(obj)
    elif isinstance(obj, Service):
        used |= _service(obj)
    return used


def compute(requests: ResourceList, limits: ResourceList) -> ResourceList:
    """Requests and limits by the names that quotas use; a pod counts as one of `pods`."""
    used: ResourceList = {"pods": ONE}
    for name in _COMPUTE:
        if name in requests:
            used[name] = used[f"requests.{name}"] = requests[name]
        if name in limits:
            used[f"limits.{name}"] = limits[name]
    for name, quantity in requests.items():
        if name.startswith("hugepages-"):
            used[name] = used[f"requests.{name}"] = quantity
        elif is_extended(name):
            used[f"requests.{name}"] = quantity
    return used


def _claim(claim: PersistentVolumeClaim) -> ResourceList:
    used = {"requests.storage": requested(claim)}
    if name := claim_class(claim):
        prefix = f"{name}.storageclass.storage.k8s.io"
        used |= {f"{prefix}/persistentvolumeclaims": ONE, f"{prefix}/requests.storage": requested(claim)}
    return used


def _service(service: Service) -> ResourceList:
    kind = service.spec.type
    ports = Quantity.parse(len(service.spec.ports))
    if kind == "LoadBalancer":
        return {"services.loadbalancers": ONE, "services.nodeports": ports}
    return {"services.nodeports": ports} if kind == "NodePort" else {}


def missing(pod: Pod, names: set[str]) -> str:
    """`limits.cpu for: a,b; …`: the containers that do not say what such a quota requires; "" when all do."""
    lacking: dict[str, set[str]] = {}
    for container in (*pod.spec.containers, *pod.spec.init_containers):
        given = compute(container.resources.requests, container.resources.limits)
        for name in names:
            if name in REQUIRED and name not in given:
                lacking.setdefault(name, set()).add(container.name)
    return "; ".join(f"{name} for: {','.join(sorted(lacking[name]))}" for name in sorted(lacking))


def covers(quota: ResourceQuota, obj: Any) -> bool:
    """Whether the object is in all scopes of the quota; only pods are in any."""
    scopes = [ScopedResourceSelectorRequirement(scope_name=name, operator="Exists") for name in quota.spec.scopes]
    if quota.spec.scope_selector is not None:
        scopes += quota.spec.scope_selector.match_expressions
    return all(isinstance(obj, Pod) and _in_scope(obj, scope) for scope in scopes)


def _in_scope(pod: Pod, scope: ScopedResourceSelectorRequirement) -> bool:
    match scope.scope_name:
        case "Terminating":
            return pod.spec.active_deadline_seconds is not None
        case "NotTerminating":
            return pod.spec.active_deadline_seconds is None
        case "BestEffort":
            return _best_effort(pod)
        case "NotBestEffort":
            return not _best_effort(pod)
        case "PriorityClass":
            return _class_matches(pod.spec.priority_class_name, scope)
        case "CrossNamespacePodAffinity":
            return _crosses_namespaces(pod)
    return False


def _best_effort(pod: Pod) -> bool:
    """Whether no container asks for any cpu or memory."""
    if pod.spec.resources is not None and (pod.spec.resources.requests or pod.spec.resources.limits):
        return False
    return not any(
        quantity
        for container in (*pod.spec.containers, *pod.spec.init_containers)
        for amounts in (container.resources.requests, container.resources.limits)
        for name, quantity in amounts.items()
        if name in ("cpu", "memory")
    )


def _class_matches(name: str, scope: ScopedResourceSelectorRequirement) -> bool:
    match scope.operator:
        case "In":
            return name != "" and name in scope.values
        case "NotIn":
            return name not in scope.values
        case "Exists":
            return name != ""
        case "DoesNotExist":
            return name == ""
    return False


def _crosses_namespaces(pod: Pod) -> bool:
    affinity = pod.spec.affinity
    for part in (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity is not None else ():
        if part is None:
            continue
        preferred = part.preferred_during_scheduling_ignored_during_execution
        terms = [*part.required_during_scheduling_ignored_during_execution, *(t.pod_affinity_term for t in preferred)]
        if any(term.namespaces or term.namespace_selector is not None for term in terms):
            return True
    return False
