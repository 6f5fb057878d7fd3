"""Priority admission: a pod's class decides its priority and its preemption policy."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.admission.errors import AdmissionError
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.pod import PodSpec
from scheduler_lab.engine.objects.scheduling import PriorityClass

SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
PREEMPT = "PreemptLowerPriority"


def with_priority(spec: PodSpec, store: Store) -> PodSpec:
    """The spec with priority, class name and preemption policy filled in; AdmissionError for an unknown class.

    A written priority is kept where its class is not named or not in the text, so that a running pod's dump can be
    pasted as it is.
    """
    name, value, policy = spec.priority_class_name, spec.priority, spec.preemption_policy
    if name in SYSTEM_CLASSES and store.get("PriorityClass", "", name) is None:
        value = SYSTEM_CLASSES[name]
    elif name:
        found: PriorityClass | None = store.get("PriorityClass", "", name)
        if found is not None:
            value, policy = found.value, policy or found.preemption_policy
        elif value is None:
            raise AdmissionError(f"no PriorityClass with name {name} was found")
    elif value is None:
        default = global_default(store)
        if default is not None:
            name, value, policy = default.metadata.name, default.value, policy or default.preemption_policy
    return replace(spec, priority_class_name=name, priority=value or 0, preemption_policy=policy or PREEMPT)


def global_default(store: Store) -> PriorityClass | None:
    """The class for pods without one; of several the one with the lowest value."""
    defaults = [c for c in store.list("PriorityClass") if c.global_default]
    return min(defaults, key=lambda c: c.value) if defaults else None
