"""Deployment: one ReplicaSet a template, and the steps from the old one to the new (kube-controller-manager v1.35)."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.daemon_set import scaled
from scheduler_lab.engine.controllers.pods import Key, controller_of, is_active, is_running, owns, selects
from scheduler_lab.engine.controllers.template import (
    POD_TEMPLATE_HASH,
    owner_reference,
    same_template,
    template_hash,
)
from scheduler_lab.engine.objects.apps import Deployment, ReplicaSet, ReplicaSetSpec
from scheduler_lab.engine.objects.base import IntOrString
from scheduler_lab.engine.objects.meta import LabelSelector, ObjectMeta
from scheduler_lab.engine.objects.pod import PodTemplateSpec

_DEFAULT_SHARE = "25%"


class DeploymentController:
    """Makes the ReplicaSet of the current template and moves the replicas to it within surge and unavailability."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def template(self, owner: Deployment) -> PodTemplateSpec | None:
        """The template of the owner's pods."""
        return owner.spec.template

    def selects_pods(self, owner: Deployment) -> bool:
        """Whether the owner has the selector that the API server requires."""
        return owner.spec.selector is not None

    def covered(self, owner: Deployment) -> bool:
        """Whether the text already holds a ReplicaSet of the owner, or pods of one that was left out of the text."""
        return bool(self._sets(owner)) or self._stray_pods(owner) > 0

    def sync(self, owner: Deployment) -> list[Key]:
        """Take the next step of a rollout, or scale; what pods have to do first is awaited."""
        sets = self._sets(owner)
        current = self._current(owner, sets)
        old = [s for s in sets if s is not current]
        if owner.spec.paused:
            if current is not None:
                self._scale(owner, current, _wanted(owner))
            return []
        if owner.spec.strategy.type == "Recreate":
            self._recreate(owner, current, old)
        else:
            self._roll(owner, current, old)
        return []

    # -- ReplicaSets -------------------------------------------------------------------------------------------

    def _sets(self, owner: Deployment) -> list[ReplicaSet]:
        """The owner's ReplicaSets, and those without a controller that it would adopt."""
        found: list[ReplicaSet] = []
        for item in self._client.store.list("ReplicaSet"):
            same = item.metadata.namespace == owner.metadata.namespace
            orphan = same and controller_of(item) is None and POD_TEMPLATE_HASH in item.metadata.labels
            if owns(owner, item) or (orphan and selects(owner.spec.selector, item.metadata.labels)):
                found.append(item)
        return found

    def _current(self, owner: Deployment, sets: list[ReplicaSet]) -> ReplicaSet | None:
        return next((s for s in sets if same_template(s.spec.template, owner.spec.template)), None)

    def _stray_pods(self, owner: Deployment) -> int:
        """Pods that belong to a ReplicaSet of the Deployment which the text does not have."""
        namespace, name = owner.metadata.namespace, owner.metadata.name
        strays = self._client.index.of_unknown_owners("ReplicaSet", namespace)
        return sum(
            1
            for controller, pod in strays
            if controller.rpartition("-")[0] == name
            and selects(owner.spec.selector, pod.metadata.labels)
            and self._client.store.get("ReplicaSet", namespace, controller) is None
        )

    def _create(self, owner: Deployment, replicas: int) -> ReplicaSet | None:
        template = owner.spec.template
        digest = template_hash(template)
        name = f"{owner.metadata.name}-{digest}"
        label = {POD_TEMPLATE_HASH: digest}
        selector = owner.spec.selector or LabelSelector()
        meta = replace(template.metadata, labels={**template.metadata.labels, **label}, creation_timestamp=None)
        made = ReplicaSet(
            metadata=ObjectMeta(
                name=name,
                namespace=owner.metadata.namespace,
                labels=meta.labels,
                owner_references=[owner_reference(owner)],
            ),
            spec=ReplicaSetSpec(
                min_ready_seconds=owner.spec.min_ready_seconds,
                replicas=replicas,
                selector=replace(selector, match_labels={**selector.match_labels, **label}),
                template=replace(template, metadata=meta),
            ),
        )
        refusal = self._client.make(made)
        if refusal:
            message = f'Failed to create new replica set "{name}": {refusal}'
            self._client.failure(owner, "ReplicaSetCreateError", message)
            return None
        self._client.event(owner, "ScalingReplicaSet", f"Scaled up replica set {name} from 0 to {replicas}")
        return made

    def _scale(self, owner: Deployment, item: ReplicaSet, replicas: int) -> None:
        before = _replicas(item)
        if before == replicas:
            return
        self._client.make(replace(item, spec=replace(item.spec, replicas=replicas)))
        way = "up" if replicas > before else "down"
        message = f"Scaled {way} replica set {item.metadata.name} from {before} to {replicas}"
        self._client.event(owner, "ScalingReplicaSet", message)

    def _available(self, item: ReplicaSet) -> int:
        return sum(is_running(pod) for pod in self._client.index.owned(item))

    # -- strategies --------------------------------------------------------------------------------------------

    def _recreate(self, owner: Deployment, current: ReplicaSet | None, old: list[ReplicaSet]) -> None:
        """All old pods go before the first new one comes."""
        if any(_replicas(item) for item in old):
            for item in old:
                self._scale(owner, item, 0)
            return
        if any(is_active(pod) for item in old for pod in self._client.index.owned(item)):
            return
        if current is None:
            self._create(owner, _wanted(owner))
        else:
            self._scale(owner, current, _wanted(owner))

    def _roll(self, owner: Deployment, current: ReplicaSet | None, old: list[ReplicaSet]) -> None:
        """Scale the new set up as far as the surge allows, and the old ones down as far as availability allows."""
        wanted = _wanted(owner)
        surge, unavailable = _bounds(owner)
        total = sum(_replicas(item) for item in old) + (_replicas(current) if current is not None else 0)
        up = min(max(wanted + surge - total, 0), wanted - (_replicas(current) if current is not None else 0))
        if not old:
            up = wanted - (_replicas(current) if current is not None else 0)
        if current is None:
            self._create(owner, up)
            return
        if up:
            self._scale(owner, current, _replicas(current) + up)
            return
        if any(_replicas(item) for item in old):
            self._shrink(owner, current, old, wanted - unavailable, total)

    def _shrink(self, owner: Deployment, current: ReplicaSet, old: list[ReplicaSet], least: int, total: int) -> None:
        """Old sets lose pods that do not run first, then running ones down to the least that must be available."""
        room = total - least - (_replicas(current) - self._available(current))
        for item in old:
            sick = min(max(_replicas(item) - self._available(item), 0), max(room, 0))
            if sick:
                self._scale(owner, item, _replicas(item) - sick)
                return
        spare = min(room, sum(self._available(item) for item in (*old, current)) - least)
        for item in old:
            step = min(_replicas(item), max(spare, 0))
            if step:
                self._scale(owner, item, _replicas(item) - step)
                return


def _wanted(owner: Deployment) -> int:
    return 1 if owner.spec.replicas is None else max(owner.spec.replicas, 0)


def _replicas(item: ReplicaSet) -> int:
    return 1 if item.spec.replicas is None else max(item.spec.replicas, 0)


def _bounds(owner: Deployment) -> tuple[int, int]:
    """maxSurge, rounded up, and maxUnavailable, rounded down; one of them is at least 1."""
    rolling = owner.spec.strategy.rolling_update
    wanted = _wanted(owner)
    surge = _share(rolling.max_surge if rolling else None, wanted, up=True)
    unavailable = _share(rolling.max_unavailable if rolling else None, wanted, up=False)
    return surge, unavailable if surge or unavailable else 1


def _share(value: IntOrString | None, total: int, *, up: bool) -> int:
    return max(scaled(_DEFAULT_SHARE if value is None else value, total, 0, up=up), 0)
