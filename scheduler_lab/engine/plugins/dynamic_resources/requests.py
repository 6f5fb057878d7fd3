"""The requests of the claims to allocate, checked and in the form in which the search handles them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scheduler_lab.engine.objects.resource import (
    DeviceClass,
    DeviceRequest,
    DeviceToleration,
    ExactDeviceRequest,
    ResourceClaim,
)
from scheduler_lab.engine.plugins.dynamic_resources.claims import AnyRequest, requests_of
from scheduler_lab.engine.plugins.dynamic_resources.constraints import Constraint, constraints_of
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError
from scheduler_lab.engine.plugins.dynamic_resources.features import Features
from scheduler_lab.engine.plugins.dynamic_resources.pools import Pool, PooledDevice

EXACT_COUNT = "ExactCount"
ALL = "All"
MAX_RESULTS = 32
"""The most devices that one claim may get."""

Selectable = Callable[[PooledDevice, "Wanted"], bool]


@dataclass(slots=True, eq=False)
class Wanted:
    """One request, or one alternative of it: `count` devices of a class, or all of `devices`."""

    claim: ResourceClaim
    name: str
    device_class: DeviceClass
    request: AnyRequest
    admin: bool
    count: int
    devices: list[PooledDevice] | None = None

    @property
    def expressions(self) -> tuple[str, ...]:
        """The CEL expressions of the request's own selectors."""
        return tuple(selector.cel.expression for selector in self.request.selectors if selector.cel is not None)

    @property
    def tolerations(self) -> list[DeviceToleration]:
        """Which taints of devices the request tolerates."""
        return self.request.tolerations


@dataclass(slots=True)
class WantedClaim:
    """A claim to allocate: for each request its alternatives, mostly one."""

    claim: ResourceClaim
    requests: list[list[Wanted]]
    constraints: list[Constraint] = field(default_factory=list)


class RequestReader:
    """Checks requests against the pools of a node; every method raises AllocationError for what cannot be right."""

    def __init__(
        self,
        pools: Sequence[Pool],
        classes: Callable[[str], DeviceClass | None],
        features: Features,
        selectable: Selectable,
    ) -> None:
        self._pools = pools
        self._classes = classes
        self._features = features
        self._selectable = selectable

    def read(self, claim: ResourceClaim) -> WantedClaim:
        """The claim's requests and constraints."""
        requests = [self._alternatives(claim, request) for request in claim.spec.devices.requests]
        least = sum(min(wanted.count for wanted in alternatives) for alternatives in requests)
        if least > MAX_RESULTS:
            raise AllocationError(
                f"claim {claim.key}: number of requested devices {least} exceeds the claim limit of {MAX_RESULTS}"
            )
        return WantedClaim(claim, requests, constraints_of(claim, self._features.consumable_capacity))

    def _alternatives(self, claim: ResourceClaim, request: DeviceRequest) -> list[Wanted]:
        where = f"claim {claim.key}, request {request.name}"
        if request.exactly is None and not request.first_available:
            raise AllocationError(f"{where}: unsupported request type")
        if request.first_available and not self._features.prioritized_list:
            raise AllocationError(f"{where}: has subrequests, but the DRAPrioritizedList feature is disabled")
        found: list[Wanted] = []
        for name, wanted in requests_of(request):
            found.append(self._wanted(claim, name, wanted))
            if len(found) == 2 and found[0].devices is not None and found[1].devices is not None:
                # v1.35 looks the second alternative's devices up under the first one's key, and finds those.
                found[1].devices = found[0].devices
                found[1].count = found[0].count
        return found

    def _wanted(self, claim: ResourceClaim, name: str, request: AnyRequest) -> Wanted:
        where = f"claim {claim.key}, request {name}"
        device_class = self._classes(request.device_class_name)
        if device_class is None:
            raise AllocationError(f"{where}: could not retrieve device class {request.device_class_name}")
        for index, selector in enumerate(request.selectors):
            if selector.cel is None:
                raise AllocationError(f"{where}, selector #{index}: CEL expression empty (unsupported selector type?)")
        admin = isinstance(request, ExactDeviceRequest) and bool(request.admin_access)
        if admin and not self._features.admin_access:
            raise AllocationError(f"{where}: admin access is requested, but the feature is disabled")
        wanted = Wanted(claim, name, device_class, request, admin, request.count)
        if request.allocation_mode == ALL:
            wanted.devices = self._everything(wanted, where)
            wanted.count = len(wanted.devices)
        elif request.allocation_mode != EXACT_COUNT:
            raise AllocationError(f"{where}: unsupported count mode {request.allocation_mode}")
        return wanted

    def _everything(self, wanted: Wanted, where: str) -> list[PooledDevice]:
        found: list[PooledDevice] = []
        for pool in self._pools:
            if not pool.usable:
                state = "currently being updated" if pool.incomplete else "currently invalid"
                raise AllocationError(f"{where}: asks for all devices, but resource pool {pool} is {state}")
            found += [device for device in pool.devices if self._selectable(device, wanted)]
        return found
