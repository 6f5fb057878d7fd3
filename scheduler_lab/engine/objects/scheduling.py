"""PriorityClass (scheduling.k8s.io/v1) and Workload (v1alpha1)."""

from typing import Any

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, KubeStruct
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.references import TypedLocalObjectReference


class PriorityClass(KubeObject):
    api_version: str = "scheduling.k8s.io/v1"
    kind: str = "PriorityClass"
    description: str = ""
    global_default: bool = False
    preemption_policy: str | None = None
    value: Int32 = 0


class GangSchedulingPolicy(KubeStruct):
    min_count: Int32 = 0


class PodGroupPolicy(KubeStruct):
    basic: Any = None
    gang: GangSchedulingPolicy | None = None


class WorkloadPodGroup(KubeStruct):
    name: str = ""
    policy: PodGroupPolicy = field(default_factory=PodGroupPolicy)


class WorkloadSpec(KubeStruct):
    controller_ref: TypedLocalObjectReference | None = None
    pod_groups: list[WorkloadPodGroup] = []


class Workload(KubeObject):
    api_version: str = "scheduling.k8s.io/v1alpha1"
    kind: str = "Workload"
    spec: WorkloadSpec = field(default_factory=WorkloadSpec)
