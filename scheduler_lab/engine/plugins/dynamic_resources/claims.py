"""From the resourceClaims of a pod to the ResourceClaim objects they mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scheduler_lab.engine.cluster.device_claims import is_for_pod
from scheduler_lab.engine.objects.pod import Pod, PodResourceClaim
from scheduler_lab.engine.objects.resource import DeviceRequest, DeviceSubRequest, ExactDeviceRequest, ResourceClaim

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store

AnyRequest = ExactDeviceRequest | DeviceSubRequest


class ClaimError(Exception):
    """A claim of the pod that does not exist yet, or must not be used; the text is the rejection's reason."""


def pod_claims(pod: Pod, store: Store) -> list[ResourceClaim]:
    """The pod's claims in the order of its spec; raises ClaimError at the first that cannot be used.

    An entry whose claim was deliberately not generated (a status without a name) is left out.
    """
    found: list[ResourceClaim] = []
    for entry in pod.spec.resource_claims:
        name, generated = _claim_name(pod, entry)
        if name is None:
            continue
        found.append(_usable_claim(pod, store, name, generated))
    return found


def _claim_name(pod: Pod, entry: PodResourceClaim) -> tuple[str | None, bool]:
    """(name, whether it comes from a template and so must be the pod's own)."""
    key = f'"{pod.metadata.namespace}/{pod.metadata.name}"'
    if entry.resource_claim_name is not None:
        return entry.resource_claim_name, False
    if entry.resource_claim_template_name is None:
        raise ClaimError(f'pod {key}, spec.resourceClaim "{entry.name}": none of the supported fields are set')
    for status in pod.status.resource_claim_statuses:
        if status.name == entry.name:
            return status.resource_claim_name, True
    raise ClaimError(f"pod {key}: ResourceClaim not created yet")


def _usable_claim(pod: Pod, store: Store, name: str, generated: bool) -> ResourceClaim:
    namespace = pod.metadata.namespace
    claim: ResourceClaim | None = store.get("ResourceClaim", namespace, name)
    if claim is None:
        raise ClaimError(f'could not find ResourceClaim "{namespace}/{name}"')
    if claim.metadata.deletion_timestamp:
        raise ClaimError(f'resourceclaim "{name}" is being deleted')
    if generated and not is_for_pod(claim, pod):
        raise ClaimError(
            f"ResourceClaim {namespace}/{name} was not created for pod {namespace}/{pod.metadata.name} "
            "(pod is not owner)"
        )
    return claim


def requests_of(request: DeviceRequest) -> Iterator[tuple[str, AnyRequest]]:
    """The request, or its alternatives in order, under the names that allocation results use: `gpu`, `gpu/large`."""
    if request.exactly is not None:
        yield request.name, request.exactly
        return
    for alternative in request.first_available:
        yield f"{request.name}/{alternative.name}", alternative
