"""Constraints between the devices of a claim."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.objects.resource import DeviceConstraint, ResourceClaim
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError
from scheduler_lab.engine.plugins.dynamic_resources.pools import PooledDevice
from scheduler_lab.engine.plugins.dynamic_resources.selectors import attribute_of


class Constraint:
    """matchAttribute or distinctAttribute, with the values of the devices picked so far.

    Values of two types are never equal. A device without the attribute satisfies neither.
    """

    __slots__ = ("_attribute", "_distinct", "_requests", "_values")

    def __init__(self, constraint: DeviceConstraint) -> None:
        self._distinct = constraint.match_attribute is None
        self._attribute = constraint.match_attribute or constraint.distinct_attribute or ""
        self._requests = frozenset(constraint.requests)
        self._values: list[tuple[str, Any]] = []

    def concerns(self, request: str) -> bool:
        """Whether devices of this request (`gpu` or `gpu/large`) count; a parent's name covers its alternatives."""
        return not self._requests or request in self._requests or request.partition("/")[0] in self._requests

    def add(self, device: PooledDevice) -> bool:
        """Take a device in; False, and nothing changes, if it would break the constraint."""
        value = attribute_of(device.device, self._attribute, device.id.driver)
        if value is None:
            return False
        if self._values and (value in self._values if self._distinct else value != self._values[0]):
            return False
        self._values.append(value)
        return True

    def remove(self) -> None:
        """Take back the device that was added last."""
        self._values.pop()


def constraints_of(claim: ResourceClaim, distinct: bool) -> list[Constraint]:
    """The claim's constraints; AllocationError for one without an attribute. `distinct`: DRAConsumableCapacity."""
    found: list[Constraint] = []
    for index, constraint in enumerate(claim.spec.devices.constraints):
        if constraint.match_attribute is None and not (distinct and constraint.distinct_attribute is not None):
            raise AllocationError(
                f"claim {claim.key}, constraint #{index}: empty constraint (unsupported constraint type?)"
            )
        found.append(Constraint(constraint))
    return found
