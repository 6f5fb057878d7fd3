"""Devices that are ready only when their driver says so (DRADeviceBindingConditions)."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lab.engine.objects.meta import Condition, parse_time
from scheduler_lab.engine.objects.resource import ResourceClaim


class BindingFailed(Exception):
    """A binding failure condition of an allocated device is true."""


def has_conditions(claims: Iterable[ResourceClaim]) -> bool:
    """Whether any allocated device has to be waited for."""
    return any(
        result.binding_conditions
        for claim in claims
        if claim.status.allocation is not None
        for result in claim.status.allocation.devices.results
    )


def is_ready(claim: ResourceClaim) -> bool:
    """Whether all binding conditions of an allocated claim's devices are true; BindingFailed if a failure is."""
    allocation = claim.status.allocation
    if allocation is None:
        return False
    for result in allocation.devices.results:
        if not result.binding_conditions:
            continue
        conditions = _conditions(claim, (result.driver, result.pool, result.device))
        for name in result.binding_failure_conditions:
            failure = conditions.get(name)
            if failure is not None and failure.status == "True":
                raise BindingFailed(
                    f'claim {claim.metadata.name} binding failed: reason={failure.reason}, message="{failure.message}"'
                )
        for name in result.binding_conditions:
            if name not in conditions or conditions[name].status != "True":
                return False
    return True


def _conditions(claim: ResourceClaim, device: tuple[str, str, str]) -> dict[str, Condition]:
    for status in claim.status.devices:
        if (status.driver, status.pool, status.device) == device:
            return {condition.type: condition for condition in status.conditions}
    return {}


def has_timed_out(claim: ResourceClaim, timeout: float, now: float) -> bool:
    """Whether the claim was allocated more than `timeout` seconds before `now` (seconds since the epoch)."""
    allocation = claim.status.allocation
    if allocation is None or allocation.allocation_timestamp is None or not has_conditions([claim]):
        return False
    return parse_time(allocation.allocation_timestamp) + timeout < now
