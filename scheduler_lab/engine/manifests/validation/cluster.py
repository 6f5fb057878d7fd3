"""Nodes, priority classes, disruption budgets, services and storage."""

from typing import Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.validation.checker import PROTOCOLS, Checker
from scheduler_lab.engine.manifests.validation.metadata import check_labels
from scheduler_lab.engine.manifests.validation.resources import check_amounts
from scheduler_lab.engine.manifests.validation.selection import check_label_selector, check_node_term
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.names import label_key_problem, label_value_problem
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.policy import PodDisruptionBudget
from scheduler_lab.engine.objects.scheduling import PriorityClass
from scheduler_lab.engine.objects.services import Service
from scheduler_lab.engine.objects.storage import StorageClass

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_HIGHEST: Final = 1_000_000_000
_SYSTEM: Final = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
_ACCESS: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_MODES: Final = ("Filesystem", "Block")


def check_node(node: Node, checker: Checker) -> None:
    """Taints and amounts of a node."""
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(node.spec.taints):
        at = ("spec", "taints", index)
        if checker.required(taint.key, (*at, "key")) and (problem := label_key_problem(taint.key)):
            checker.error(messages.INVALID_LABEL_KEY, (*at, "key"), detail=problem)
        if problem := label_value_problem(taint.value):
            checker.error(messages.INVALID_LABEL_VALUE, (*at, "value"), detail=problem)
        if checker.required(taint.effect, (*at, "effect")):
            checker.one_of(taint.effect, _EFFECTS, (*at, "effect"))
        if (taint.key, taint.effect) in seen:
            checker.warning(messages.DUPLICATE_TAINT, at)
        seen.add((taint.key, taint.effect))
    check_amounts(node.status.capacity, ("status", "capacity"), checker)
    check_amounts(node.status.allocatable, ("status", "allocatable"), checker)


def check_priority_class(item: PriorityClass, checker: Checker) -> None:
    """The value and name of a priority class."""
    name = item.metadata.name
    if name.startswith("system-"):
        if _SYSTEM.get(name) != item.value:
            checker.error(messages.CLASS_RESERVED, ("metadata", "name"))
    elif item.value > _HIGHEST:
        checker.error(messages.CLASS_VALUE, ("value",), value=str(item.value))
    checker.one_of(item.preemption_policy, ("PreemptLowerPriority", "Never"), ("preemptionPolicy",))


def check_disruption_budget(item: PodDisruptionBudget, checker: Checker) -> None:
    """The selector of a budget, and that it has one bound only."""
    if item.spec.min_available is not None and item.spec.max_unavailable is not None:
        checker.error(messages.ONE_OF, ("spec",), choices="minAvailable, maxUnavailable")
    check_label_selector(item.spec.selector, ("spec", "selector"), checker)


def check_service(item: Service, checker: Checker) -> None:
    """The selector and ports of a service."""
    check_labels(item.spec.selector, ("spec", "selector"), checker)
    for index, port in enumerate(item.spec.ports):
        checker.within(port.port, 1, 65535, ("spec", "ports", index, "port"))
        checker.one_of(port.protocol, PROTOCOLS, ("spec", "ports", index, "protocol"))


def check_storage_class(item: StorageClass, checker: Checker) -> None:
    """Provisioner, binding mode and reclaim policy of a storage class."""
    checker.required(item.provisioner, ("provisioner",))
    checker.one_of(item.volume_binding_mode, ("Immediate", "WaitForFirstConsumer"), ("volumeBindingMode",))
    checker.one_of(item.reclaim_policy, ("Delete", "Retain"), ("reclaimPolicy",))


def check_claim(item: PersistentVolumeClaim, checker: Checker) -> None:
    """Access modes, size and selector of a claim."""
    for index, mode in enumerate(item.spec.access_modes):
        checker.one_of(mode, _ACCESS, ("spec", "accessModes", index))
    check_amounts(item.spec.resources.requests, ("spec", "resources", "requests"), checker)
    checker.one_of(item.spec.volume_mode, _MODES, ("spec", "volumeMode"))
    check_label_selector(item.spec.selector, ("spec", "selector"), checker)


def check_volume(item: PersistentVolume, checker: Checker) -> None:
    """Capacity, access modes and node affinity of a volume."""
    check_amounts(item.spec.capacity, ("spec", "capacity"), checker)
    for index, mode in enumerate(item.spec.access_modes):
        checker.one_of(mode, _ACCESS, ("spec", "accessModes", index))
    checker.one_of(item.spec.volume_mode, _MODES, ("spec", "volumeMode"))
    affinity = item.spec.node_affinity
    if affinity is not None and affinity.required is not None:
        for index, term in enumerate(affinity.required.node_selector_terms):
            check_node_term(term, ("spec", "nodeAffinity", "required", "nodeSelectorTerms", index), checker)
