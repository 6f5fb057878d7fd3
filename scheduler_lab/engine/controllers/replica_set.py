"""ReplicaSet and ReplicationController: so many pods of one template (kube-controller-manager v1.35, replicaset)."""

from __future__ import annotations

from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.pods import Key, key_of
from scheduler_lab.engine.controllers.ranking import by_deletion
from scheduler_lab.engine.controllers.template import pod_from
from scheduler_lab.engine.objects.apps import ReplicaSet, ReplicationController
from scheduler_lab.engine.objects.meta import LabelSelector
from scheduler_lab.engine.objects.pod import Pod, PodTemplateSpec

Replicated = ReplicaSet | ReplicationController


class ReplicaController:
    """Keeps the number of active pods at `spec.replicas` (1 when absent)."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def template(self, owner: Replicated) -> PodTemplateSpec | None:
        """The template of the owner's pods."""
        return owner.spec.template

    def selects_pods(self, owner: Replicated) -> bool:
        """Whether the owner has the selector that the API server requires."""
        return _selector(owner) is not None

    def covered(self, owner: Replicated) -> bool:
        """Whether the text already holds some of the owner's pods, so that they are the text's business."""
        return bool(self._pods(owner))

    def sync(self, owner: Replicated) -> list[Key]:
        """Create what is missing up to the first refusal, or delete what is too much."""
        pods = self._pods(owner)
        missing = _wanted(owner) - len(pods)
        template = owner.spec.template
        if missing > 0 and template is not None:
            for _ in range(missing):
                name = self._client.pod_name(owner, f"{owner.metadata.name}-")
                if not self._client.create_pod(owner, pod_from(template, owner, name)):
                    break
        elif missing < 0:
            for pod in by_deletion(pods)[:-missing]:
                self._client.delete_pod(owner, pod)
        owned = [controller for controller in owner.metadata.owner_references if controller.controller]
        return [(parent.kind, key_of(owner)[1], parent.name) for parent in owned]

    def _pods(self, owner: Replicated) -> list[Pod]:
        return self._client.index.counted(owner, _selector(owner))


def _wanted(owner: Replicated) -> int:
    return 1 if owner.spec.replicas is None else max(owner.spec.replicas, 0)


def _selector(owner: Replicated) -> LabelSelector | None:
    if isinstance(owner, ReplicaSet):
        return owner.spec.selector
    labels = owner.spec.selector or (owner.spec.template.metadata.labels if owner.spec.template else {})
    return LabelSelector(match_labels=labels) if labels else None
