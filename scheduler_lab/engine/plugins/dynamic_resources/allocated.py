"""Which devices are taken, by the claims in the cluster and by allocations in flight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scheduler_lab.engine.objects.resource import DeviceRequestAllocationResult, ResourceClaim
from scheduler_lab.engine.plugins.dynamic_resources.in_flight import InFlightClaims

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store


class DeviceID(NamedTuple):
    """A device's identity in the cluster."""

    driver: str
    pool: str
    name: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.name}"


Consumed = dict[str, int]
"""Capacity name → amount in billionths."""


@dataclass(slots=True)
class AllocatedState:
    """Devices that belong to a claim (with the claim's ns/name), and what is used up of the shared ones."""

    owners: dict[DeviceID, str] = field(default_factory=dict)
    consumed: dict[DeviceID, Consumed] = field(default_factory=dict)


def gather(store: Store, in_flight: InFlightClaims, *, shared_devices: bool) -> AllocatedState:
    """The state of all devices. Results with adminAccess take nothing; `shared_devices` counts capacities apart."""
    state = AllocatedState()
    claims: Iterable[ResourceClaim] = store.list("ResourceClaim")
    for claim in (*(claim for claim in claims if claim.metadata.uid not in in_flight), *in_flight):
        if claim.status.allocation is None:
            continue
        for result in claim.status.allocation.devices.results:
            if not result.admin_access:
                _note(state, claim, result, shared_devices)
    return state


def _note(state: AllocatedState, claim: ResourceClaim, result: DeviceRequestAllocationResult, shared: bool) -> None:
    device = DeviceID(result.driver, result.pool, result.device)
    if shared and result.share_id is not None:
        add_consumed(state.consumed.setdefault(device, {}), {n: q.nanos for n, q in result.consumed_capacity.items()})
    else:
        state.owners[device] = claim.key


def add_consumed(total: Consumed, more: Consumed, sign: int = 1) -> None:
    """Add (or with sign −1 subtract) in place."""
    for name, amount in more.items():
        total[name] = total.get(name, 0) + sign * amount
