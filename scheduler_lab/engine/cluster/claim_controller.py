"""The ResourceClaim controller's part: claims from templates, and what becomes of claims when pods go.

A simplification of kube-controller-manager's resource claim controller, without delay. The claim of an entry
`resourceClaimTemplateName` is named `<pod>-<entry>` and is there before the pod; if the template comes later, so does
the claim. When a pod goes or finishes, claims made for it are deallocated and deleted, and a claim that only it had
reserved loses its allocation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from scheduler_lab.engine.cluster.device_claims import deallocated, is_for_pod, is_reserved_for, without_reservation
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.meta import ObjectMeta, OwnerReference
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod, PodResourceClaim, PodResourceClaimStatus
from scheduler_lab.engine.objects.resource import ResourceClaim, ResourceClaimTemplate

POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"


class ClaimController:
    """Listens to the store; subscribe it after the scheduler. `create` is how the API server stores a new claim."""

    def __init__(self, store: Store, create: Callable[[ResourceClaim], Any]) -> None:
        self._store = store
        self._create = create

    def __call__(self, kind: str, old: Any, new: Any) -> None:
        """A change in the store."""
        if isinstance(new, ResourceClaimTemplate):
            self._template_changed(new)
        elif isinstance(old, Pod) and (new is None or _finished(new)) and not _finished(old):
            self._pod_gone(old)

    def with_claims(self, pod: Pod) -> Pod:
        """The pod with the claims made that its templates call for, as far as these exist, and named in its status."""
        made = list(pod.status.resource_claim_statuses)
        known = {status.name for status in made}
        for entry in pod.spec.resource_claims:
            name = self._claim_for(pod, entry) if entry.name not in known else None
            if name is not None:
                made.append(PodResourceClaimStatus(name=entry.name, resource_claim_name=name))
        if len(made) == len(known):
            return pod
        return replace(pod, status=replace(pod.status, resource_claim_statuses=made))

    def _claim_for(self, pod: Pod, entry: PodResourceClaim) -> str | None:
        """The name of the entry's claim, made if need be; None without a template."""
        namespace = pod.metadata.namespace
        template: ResourceClaimTemplate | None = None
        if entry.resource_claim_template_name is not None:
            template = self._store.get("ResourceClaimTemplate", namespace, entry.resource_claim_template_name)
        if template is None:
            return None
        name = wanted = f"{pod.metadata.name}-{entry.name}"
        number = 1
        while (taken := self._store.get("ResourceClaim", namespace, name)) is not None:
            if is_for_pod(taken, pod):
                return name
            number += 1
            name = f"{wanted}-{number}"
        meta = template.spec.metadata
        self._create(
            ResourceClaim(
                metadata=ObjectMeta(
                    name=name,
                    namespace=namespace,
                    labels=dict(meta.labels),
                    annotations={**meta.annotations, POD_CLAIM_NAME: entry.name},
                    owner_references=[_owner(pod)],
                ),
                spec=template.spec.spec,
            )
        )
        return name

    def _template_changed(self, template: ResourceClaimTemplate) -> None:
        meta = template.metadata
        for pod in self._store.list("Pod"):
            waits = any(entry.resource_claim_template_name == meta.name for entry in pod.spec.resource_claims)
            if not waits or pod.metadata.namespace != meta.namespace or _finished(pod):
                continue
            complete = self.with_claims(pod)
            if complete is not pod:
                self._store.put(complete)

    def _pod_gone(self, pod: Pod) -> None:
        for claim in self._store.list("ResourceClaim"):
            if claim.metadata.namespace != pod.metadata.namespace:
                continue
            own = is_for_pod(claim, pod)
            if is_reserved_for(claim, pod.metadata.uid):
                left = without_reservation(claim, pod.metadata.uid)
                self._store.put(left if left.status.reserved_for else deallocated(claim))
            if own:
                self._store.delete("ResourceClaim", claim.metadata.namespace, claim.metadata.name)


def _owner(pod: Pod) -> OwnerReference:
    return OwnerReference(
        api_version="v1",
        kind="Pod",
        name=pod.metadata.name,
        uid=pod.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )


def _finished(pod: Pod) -> bool:
    return pod.status.phase in FINISHED_PHASES
