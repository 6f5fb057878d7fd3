"""PodDisruptionBudget (policy/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, Int64, IntOrString, KubeStruct
from scheduler_lab.engine.objects.meta import Condition, KubeObject, LabelSelector


class PodDisruptionBudgetSpec(KubeStruct):
    max_unavailable: IntOrString | None = None
    min_available: IntOrString | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(KubeStruct):
    conditions: list[Condition] = []
    current_healthy: Int32 = 0
    desired_healthy: Int32 = 0
    disrupted_pods: dict[str, str] = {}
    disruptions_allowed: Int32 = 0
    expected_pods: Int32 = 0
    observed_generation: Int64 = 0


class PodDisruptionBudget(KubeObject):
    api_version: str = "policy/v1"
    kind: str = "PodDisruptionBudget"
    spec: PodDisruptionBudgetSpec = field(default_factory=PodDisruptionBudgetSpec)
    status: PodDisruptionBudgetStatus = field(default_factory=PodDisruptionBudgetStatus)
