"""StatefulSet: numbered pods with their own volume claims (kube-controller-manager v1.35, statefulset)."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.pods import Key, is_running, key_of, owns
from scheduler_lab.engine.controllers.template import (
    REVISION_HASH,
    owner_reference,
    pod_from,
    same_template,
    template_hash,
    with_labels,
)
from scheduler_lab.engine.objects.apps import StatefulSet
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod, PodTemplateSpec
from scheduler_lab.engine.objects.volumes import PersistentVolumeClaimVolumeSource, Volume

POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"


class StatefulSetController:
    """Makes `name-0`, `name-1`, … one after the other, the next when the one before runs (unless Parallel)."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._first: dict[Key, PodTemplateSpec] = {}

    def template(self, owner: StatefulSet) -> PodTemplateSpec | None:
        """The template of the owner's pods."""
        return owner.spec.template

    def selects_pods(self, owner: StatefulSet) -> bool:
        """Whether the owner has the selector that the API server requires."""
        return owner.spec.selector is not None

    def covered(self, owner: StatefulSet) -> bool:
        """Whether the text already holds some of the owner's pods, so that they are the text's business."""
        named = any(self._pod(owner, ordinal) is not None for ordinal in _ordinals(owner))
        return named or bool(self._client.index.counted(owner, owner.spec.selector))

    def sync(self, owner: StatefulSet) -> list[Key]:
        """Create the next pods, delete surplus ones from the highest number down, then replace outdated ones."""
        self._first.setdefault(key_of(owner), owner.spec.template)
        ordered = owner.spec.pod_management_policy != "Parallel"
        for ordinal in _ordinals(owner):
            pod = self._pod(owner, ordinal)
            if pod is None or (pod.status.phase in FINISHED_PHASES and owns(owner, pod)):
                if pod is not None:
                    self._delete(owner, pod)
                if not self._create(owner, ordinal):
                    return []
                pod = self._pod(owner, ordinal)
            if ordered and (pod is None or not is_running(pod)):
                return []
        surplus = self._surplus(owner)
        for pod in surplus[:1] if ordered else surplus:
            self._delete(owner, pod)
        if not surplus:
            self._update(owner)
        return []

    def _pod(self, owner: StatefulSet, ordinal: int) -> Pod | None:
        return self._client.index.get(owner.metadata.namespace, f"{owner.metadata.name}-{ordinal}")

    def _surplus(self, owner: StatefulSet) -> list[Pod]:
        """The owner's pods outside its range of numbers, the highest number first."""
        wanted = _ordinals(owner)
        numbered = []
        for pod in self._client.index.owned(owner):
            base, _, number = pod.metadata.name.rpartition("-")
            if base == owner.metadata.name and number.isascii() and number.isdigit() and int(number) not in wanted:
                numbered.append((int(number), pod))
        return [pod for _, pod in sorted(numbered, key=lambda item: -item[0])]

    def _delete(self, owner: StatefulSet, pod: Pod) -> None:
        self._client.remove(pod)
        message = f"delete Pod {pod.metadata.name} in StatefulSet {owner.metadata.name} successful"
        self._client.event(owner, "SuccessfulDelete", message)

    def _update(self, owner: StatefulSet) -> None:
        """Delete one pod of an older template, the highest number first; it is made anew at the next sync."""
        strategy = owner.spec.update_strategy
        if strategy.type == "OnDelete":
            return
        first = (strategy.rolling_update.partition or 0) if strategy.rolling_update is not None else 0
        current = template_hash(owner.spec.template)
        original = self._first[key_of(owner)]
        unknown = current if same_template(original, owner.spec.template) else template_hash(original)
        for ordinal in reversed(_ordinals(owner)):
            pod = self._pod(owner, ordinal)
            if ordinal < first or pod is None or not owns(owner, pod):
                continue
            if self._client.revision_of(pod, unknown) != current:
                self._delete(owner, pod)
                return
            if not is_running(pod):
                return

    def _create(self, owner: StatefulSet, ordinal: int) -> bool:
        name = f"{owner.metadata.name}-{ordinal}"
        for claim in owner.spec.volume_claim_templates:
            if not self._create_claim(owner, claim, name):
                return False
        revision = template_hash(owner.spec.template)
        labels = {POD_NAME: name, POD_INDEX: str(ordinal), REVISION_HASH: f"{owner.metadata.name}-{revision}"}
        pod = with_labels(pod_from(owner.spec.template, owner, name), labels)
        spec = replace(pod.spec, hostname=name, subdomain=owner.spec.service_name, volumes=_volumes(owner, name))
        refusal = self._client.make_pod(owner, replace(pod, spec=spec), revision)
        what = f"create Pod {name} in StatefulSet {owner.metadata.name}"
        if refusal:
            self._client.failure(owner, "FailedCreate", f"{what} failed error: {refusal}")
        else:
            self._client.event(owner, "SuccessfulCreate", f"{what} successful")
        return not refusal

    def _create_claim(self, owner: StatefulSet, template: PersistentVolumeClaim, pod: str) -> bool:
        namespace, name = owner.metadata.namespace, f"{template.metadata.name}-{pod}"
        if self._client.store.get("PersistentVolumeClaim", namespace, name) is not None:
            return True
        selected = owner.spec.selector.match_labels if owner.spec.selector is not None else {}
        meta = replace(
            template.metadata,
            name=name,
            namespace=namespace,
            labels={**template.metadata.labels, **selected},
            owner_references=[replace(owner_reference(owner), block_owner_deletion=None)] if _kept(owner) else [],
            creation_timestamp=None,
        )
        refusal = self._client.make(PersistentVolumeClaim(metadata=meta, spec=template.spec))
        if refusal:
            what = f"create Claim {name} for Pod {pod} in StatefulSet {owner.metadata.name}"
            self._client.failure(owner, "FailedCreate", f"{what} failed error: {refusal}")
            return False
        message = f"create Claim {name} Pod {pod} in StatefulSet {owner.metadata.name} success"
        self._client.event(owner, "SuccessfulCreate", message)
        return True


def _ordinals(owner: StatefulSet) -> range:
    start = owner.spec.ordinals.start if owner.spec.ordinals is not None else 0
    replicas = 1 if owner.spec.replicas is None else max(owner.spec.replicas, 0)
    return range(start, start + replicas)


def _kept(owner: StatefulSet) -> bool:
    """Whether claims belong to the set and go with it."""
    policy = owner.spec.persistent_volume_claim_retention_policy
    return policy is not None and policy.when_deleted == "Delete"


def _volumes(owner: StatefulSet, pod: str) -> list[Volume]:
    """The pod's volumes: one for each claim template, which takes the place of a volume of that name."""
    claims = {template.metadata.name for template in owner.spec.volume_claim_templates}
    own = [
        Volume(name=name, persistent_volume_claim=PersistentVolumeClaimVolumeSource(claim_name=f"{name}-{pod}"))
        for name in sorted(claims)
    ]
    return own + [volume for volume in owner.spec.template.spec.volumes if volume.name not in claims]
