"""What a request uses up of a device (DRAConsumableCapacity)."""

from __future__ import annotations

from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.resource import CapacityRequestPolicy, CapacityRequirements, Device, DeviceCapacity
from scheduler_lab.engine.plugins.dynamic_resources.allocated import Consumed


def consumption(device: Device, wanted: CapacityRequirements | None, taken: Consumed, driver: str) -> Consumed | None:
    """What the request would use of each capacity in billionths, with `taken` used already; None if it does not fit.

    A capacity that is not asked for counts with the policy's default, or whole. A policy rounds requests up to a
    valid value or step; a device that lacks a capacity asked for, or whose policy forbids the amount, does not fit.
    """
    asked = _by_capacity(device, wanted, driver)
    if asked is None:
        return None
    amounts: Consumed = {}
    for name, capacity in device.capacity.items():
        amount = _amount(asked.get(name), capacity)
        whole = capacity.value.nanos if capacity.value is not None else 0
        if _violates(amount, capacity.request_policy) or taken.get(name, 0) + amount > whole:
            return None
        amounts[name] = amount
    return amounts


def _by_capacity(device: Device, wanted: CapacityRequirements | None, driver: str) -> dict[str, int] | None:
    """The request by the device's own capacity names: a bare name means the driver's domain."""
    asked: dict[str, int] = {}
    for name, quantity in (wanted.requests if wanted is not None else {}).items():
        bare = name.removeprefix(f"{driver}/")
        known = next((n for n in (name, bare, f"{driver}/{name}") if n in device.capacity), None)
        if known is None:
            return None
        asked[known] = quantity.nanos
    return asked


def _amount(asked: int | None, capacity: DeviceCapacity) -> int:
    policy = capacity.request_policy
    if asked is None:
        default = policy.default if policy is not None and policy.default is not None else capacity.value
        return default.nanos if default is not None else 0
    if policy is None:
        return asked
    if policy.valid_range is not None and policy.valid_range.min is not None:
        return _in_steps(asked, policy.valid_range.min, policy.valid_range.step)
    if policy.valid_values:
        return min((v.nanos for v in policy.valid_values if v.nanos >= asked), default=asked)
    return asked


def _in_steps(asked: int, least: Quantity, step: Quantity | None) -> int:
    if asked <= least.nanos:
        return least.nanos
    if step is None or step.nanos <= 0:
        return asked
    return least.nanos - (least.nanos - asked) // step.nanos * step.nanos


def _violates(amount: int, policy: CapacityRequestPolicy | None) -> bool:
    if policy is None or (policy.default is not None and policy.default.nanos == amount):
        return False
    allowed = policy.valid_range
    if allowed is not None:
        if allowed.min is not None and amount < allowed.min.nanos:
            return True
        if allowed.max is not None and amount > allowed.max.nanos:
            return True
        if allowed.step is not None and allowed.min is not None and allowed.step.nanos > 0:
            return (amount - allowed.min.nanos) % allowed.step.nanos != 0
        return False
    return bool(policy.valid_values) and all(amount != value.nanos for value in policy.valid_values)
