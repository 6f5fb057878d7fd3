"""The disruption controller's part: the status of PodDisruptionBudgets that were written without one (v1.35).

Healthy are pods whose Ready condition is True, and pods made by the controllers here as soon as they have a node, for
their kubelet would start them. A pod of the text without that condition is not known to be ready: it counts as
expected, not as healthy.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.daemon_set import scaled
from scheduler_lab.engine.controllers.pods import Key, controller_of, key_of
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod
from scheduler_lab.engine.objects.policy import PodDisruptionBudget, PodDisruptionBudgetStatus
from scheduler_lab.engine.objects.selectors import InvalidSelector, compile_label_selector

_SCALED = ("ReplicaSet", "StatefulSet", "ReplicationController")


class DisruptionController:
    """Keeps the status of the budgets that it took over."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._budgets: set[Key] = set()
        self.stale = True

    def observe(self, old: PodDisruptionBudget | None, new: PodDisruptionBudget | None) -> None:
        """Take over a new budget without a status; give up a deleted one."""
        if new is None:
            assert old is not None
            self._budgets.discard(key_of(old))
        elif old is None and new.status == PodDisruptionBudgetStatus():
            self._budgets.add(key_of(new))
            self.stale = True

    def sync(self) -> None:
        """Write the status of each budget as the pods are now, if anything has changed since the last time."""
        if not self.stale:
            return
        self.stale = False
        for kind, namespace, name in sorted(self._budgets):
            budget: PodDisruptionBudget | None = self._client.store.get(kind, namespace, name)
            if budget is None:
                continue
            status = self._status(budget)
            if status != budget.status:
                self._client.store.put(replace(budget, status=status))

    def _status(self, budget: PodDisruptionBudget) -> PodDisruptionBudgetStatus:
        pods = _selected(budget, self._client.store.list("Pod"))
        healthy = sum(self._healthy(pod) for pod in pods)
        expected, desired = self._wanted(budget, pods)
        allowed = healthy - desired if expected > 0 else 0
        return PodDisruptionBudgetStatus(
            current_healthy=healthy,
            desired_healthy=desired,
            disruptions_allowed=max(allowed, 0),
            expected_pods=expected,
            observed_generation=budget.metadata.generation,
        )

    def _wanted(self, budget: PodDisruptionBudget, pods: list[Pod]) -> tuple[int, int]:
        """How many pods there should be, and how many of them healthy."""
        spec = budget.spec
        if spec.max_unavailable is not None:
            expected = self._scale(pods)
            return expected, max(expected - scaled(spec.max_unavailable, expected, 0, up=True), 0)
        if isinstance(spec.min_available, str):
            expected = self._scale(pods)
            return expected, scaled(spec.min_available, expected, 0, up=True)
        return len(pods), spec.min_available or 0

    def _scale(self, pods: list[Pod]) -> int:
        """The replicas of the pods' controllers; 0 when one has none, for there upstream's controller gives up."""
        owners: dict[Key, int] = {}
        for pod in pods:
            reference = controller_of(pod)
            if reference is None:
                continue
            owner = self._client.store.get(reference.kind, pod.metadata.namespace, reference.name)
            if owner is None or owner.kind not in _SCALED:
                return 0
            owners.update([self._replicas(owner)])
        return sum(owners.values())

    def _replicas(self, owner: Any) -> tuple[Key, int]:
        """The controller that decides the scale, and its replicas: a ReplicaSet's Deployment, where there is one."""
        parent = controller_of(owner)
        if parent is not None and parent.kind == "Deployment":
            deployment = self._client.store.get("Deployment", owner.metadata.namespace, parent.name)
            owner = owner if deployment is None else deployment
        return key_of(owner), 1 if owner.spec.replicas is None else owner.spec.replicas

    def _healthy(self, pod: Pod) -> bool:
        if pod.metadata.deletion_timestamp:
            return False
        ready = next((c.status for c in pod.status.conditions if c.type == "Ready"), "")
        made = f"{pod.metadata.namespace}/{pod.metadata.name}" in self._client.revisions
        return ready == "True" or (not ready and made and bool(pod.spec.node_name))


def _selected(budget: PodDisruptionBudget, pods: list[Pod]) -> list[Pod]:
    """The budget's pods that have not finished; a selector that cannot be parsed has none."""
    try:
        selector = compile_label_selector(budget.spec.selector)
    except InvalidSelector:
        return []
    namespace = budget.metadata.namespace
    return [
        pod
        for pod in pods
        if pod.metadata.namespace == namespace
        and pod.status.phase not in FINISHED_PHASES
        and selector.matches(pod.metadata.labels)
    ]
