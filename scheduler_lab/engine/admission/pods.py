"""Defaults of pods: what the API server fills in and merges when a pod is created."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from scheduler_lab.engine.admission.priority import with_priority
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.objects.affinity import (
    Affinity,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
    Toleration,
    TopologySpreadConstraint,
)
from scheduler_lab.engine.objects.base import ResourceList
from scheduler_lab.engine.objects.containers import Container, ResourceRequirements
from scheduler_lab.engine.objects.meta import LabelSelector, LabelSelectorRequirement
from scheduler_lab.engine.objects.pod import Pod, PodCondition, PodSpec
from scheduler_lab.engine.objects.quantity import Quantity

GATED_MESSAGE = "Scheduling is blocked due to non-empty scheduling gates"
_NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_POD_LEVEL = ("cpu", "memory")

Terms = TypeVar("Terms", PodAffinity, PodAntiAffinity)


def admit_pod(pod: Pod, store: Store, gates: FeatureGates, *, created: bool) -> Pod:
    """The pod as the API server would store it; AdmissionError for an unknown priority class."""
    spec = with_priority(pod.spec, store)
    host_network = spec.host_network
    spec = replace(
        spec,
        scheduler_name=spec.scheduler_name or "default-scheduler",
        restart_policy=spec.restart_policy or "Always",
        containers=[_container(c, host_network) for c in spec.containers],
        init_containers=[_container(c, host_network) for c in spec.init_containers],
        overhead={name: _rounded(quantity) for name, quantity in spec.overhead.items()},
        tolerations=_with_default_tolerations(spec.tolerations),
    )
    if gates.enabled("PodLevelResources") and spec.resources is not None:
        spec = replace(spec, resources=_pod_level(spec))
    if not gates.enabled("GenericWorkload"):
        spec = replace(spec, workload_ref=None)
    pod = replace(pod, spec=spec)
    if created:
        pod = _merge_label_keys(pod, gates)
    return _with_status(pod, created)


def _with_status(pod: Pod, created: bool) -> Pod:
    status = pod.status
    if pod.spec.node_name:
        phase = status.phase or "Running"
        start = status.start_time or pod.metadata.creation_timestamp
        return replace(pod, status=replace(status, phase=phase, start_time=start))
    if created and pod.spec.scheduling_gates and not any(c.type == "PodScheduled" for c in status.conditions):
        condition = PodCondition(type="PodScheduled", status="False", reason="SchedulingGated", message=GATED_MESSAGE)
        status = replace(status, conditions=[*status.conditions, condition])
    return replace(pod, status=replace(status, phase=status.phase or "Pending"))


def _rounded(quantity: Quantity) -> Quantity:
    """Finer than a thousandth rounds up."""
    milli = 10**6
    if quantity.nanos % milli == 0:
        return quantity
    return Quantity.from_nanos(-(-quantity.nanos // milli) * milli)


def _container(container: Container, host_network: bool) -> Container:
    limits = {name: _rounded(quantity) for name, quantity in container.resources.limits.items()}
    requests = {name: _rounded(quantity) for name, quantity in container.resources.requests.items()}
    for name, quantity in limits.items():
        requests.setdefault(name, quantity)
    ports = [
        replace(
            port,
            protocol=port.protocol or "TCP",
            host_port=port.container_port if host_network and not port.host_port else port.host_port,
        )
        for port in container.ports
    ]
    return replace(container, ports=ports, resources=replace(container.resources, limits=limits, requests=requests))


def _pod_level(spec: PodSpec) -> ResourceRequirements | None:
    """Pod-level requests from the containers' sum, then from the pod-level limits; only where there are such limits."""
    resources = spec.resources
    assert resources is not None
    if not resources.limits:
        return resources
    requests: ResourceList = dict(resources.requests)
    for name in _POD_LEVEL:
        if name in requests or name not in resources.limits:
            continue
        amounts = [c.resources.requests[name] for c in spec.containers if name in c.resources.requests]
        requests[name] = _aggregate(spec, name) if amounts else resources.limits[name]
    for name, quantity in resources.limits.items():
        if name.startswith("hugepages-"):
            requests.setdefault(name, quantity)
    return replace(resources, requests=requests)


def _aggregate(spec: PodSpec, name: str) -> Quantity:
    """The containers' request for one resource: the sum, or a larger init step."""
    zero = Quantity.parse(0)
    total = restartable = largest = zero
    for container in spec.containers:
        total += container.resources.requests.get(name, zero)
    for container in spec.init_containers:
        request = container.resources.requests.get(name, zero)
        if container.restart_policy == "Always":
            total += request
            restartable += request
            request = restartable
        else:
            request += restartable
        largest = max(largest, request)
    return max(total, largest)


def _with_default_tolerations(tolerations: list[Toleration]) -> list[Toleration]:
    """Five minutes on a node that became not ready or unreachable, unless the pod says how long."""
    result = list(tolerations)
    for key in _NOT_READY:
        if not any(t.key in ("", key) and t.effect in ("", "NoExecute") for t in tolerations):
            result.append(Toleration(key=key, operator="Exists", effect="NoExecute", toleration_seconds=300))
    return result


# -- matchLabelKeys and mismatchLabelKeys ------------------------------------------------------------------------


def _merge_label_keys(pod: Pod, gates: FeatureGates) -> Pod:
    labels = pod.metadata.labels
    spec = pod.spec
    if spec.affinity is not None:
        spec = replace(spec, affinity=_merged_affinity(spec.affinity, labels))
    if gates.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge"):
        constraints = [_merged_constraint(c, labels) for c in spec.topology_spread_constraints]
        spec = replace(spec, topology_spread_constraints=constraints)
    return replace(pod, spec=spec)


def _merged_affinity(affinity: Affinity, labels: dict[str, str]) -> Affinity:
    near, far = affinity.pod_affinity, affinity.pod_anti_affinity
    return replace(
        affinity,
        pod_affinity=near and _merged_terms(near, labels),
        pod_anti_affinity=far and _merged_terms(far, labels),
    )


def _merged_terms(terms: Terms, labels: dict[str, str]) -> Terms:
    required = terms.required_during_scheduling_ignored_during_execution
    preferred = terms.preferred_during_scheduling_ignored_during_execution
    return replace(
        terms,
        required_during_scheduling_ignored_during_execution=[_merged_term(term, labels) for term in required],
        preferred_during_scheduling_ignored_during_execution=[
            replace(term, pod_affinity_term=_merged_term(term.pod_affinity_term, labels)) for term in preferred
        ],
    )


def _merged_term(term: PodAffinityTerm, labels: dict[str, str]) -> PodAffinityTerm:
    if term.label_selector is None or not (term.match_label_keys or term.mismatch_label_keys):
        return term
    added = [_requirement(key, "In", labels) for key in term.match_label_keys if key in labels]
    added += [_requirement(key, "NotIn", labels) for key in term.mismatch_label_keys if key in labels]
    return replace(term, label_selector=_extended(term.label_selector, added))


def _merged_constraint(constraint: TopologySpreadConstraint, labels: dict[str, str]) -> TopologySpreadConstraint:
    if constraint.label_selector is None or not constraint.match_label_keys:
        return constraint
    added = [_requirement(key, "In", labels) for key in constraint.match_label_keys if key in labels]
    return replace(constraint, label_selector=_extended(constraint.label_selector, added))


def _requirement(key: str, operator: str, labels: dict[str, str]) -> LabelSelectorRequirement:
    return LabelSelectorRequirement(key=key, operator=operator, values=[labels[key]])


def _extended(selector: LabelSelector, added: list[LabelSelectorRequirement]) -> LabelSelector:
    return replace(selector, match_expressions=[*selector.match_expressions, *added])
