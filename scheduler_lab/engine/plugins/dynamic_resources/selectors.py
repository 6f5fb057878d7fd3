"""Which devices the CEL selectors of a class and a request let through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from scheduler_lab.engine.custom.cel import CELError, Environment, Program
from scheduler_lab.engine.custom.cel_functions import tagged_quantity, tagged_version
from scheduler_lab.engine.objects.resource import Device, DeviceAttribute, DeviceSelector
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError
from scheduler_lab.engine.plugins.dynamic_resources.pools import PooledDevice

_VARIABLES = {
    "device.driver": "string",
    "device.attributes": "map(string, map(string, dyn))",
    "device.capacity": "map(string, map(string, kubernetes.Quantity))",
}
_SHARED = {"device.allowMultipleAllocations": "bool"}
_INDEXED = re.compile(r"""\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]""")


class Selectors:
    """Evaluates selectors; `consumable_capacity` adds the variable device.allowMultipleAllocations.

    Programs are kept for good, values for as long as the object lives.
    """

    def __init__(self, consumable_capacity: bool) -> None:
        self._environment = _environment(consumable_capacity)
        self._values: dict[int, dict[str, Any]] = {}

    def first_mismatch(self, device: PooledDevice, selectors: Sequence[DeviceSelector], owner: str) -> int | None:
        """The index of the first selector that is false for the device, or None if all are true.

        Raises AllocationError, beginning with `owner` (`class gpu`), for an expression that does not compile, fails
        or is no truth value.
        """
        for index, selector in enumerate(selectors):
            expression = selector.cel.expression if selector.cel is not None else ""
            try:
                matches = self._matches(device, expression)
            except CELError as failure:
                raise AllocationError(f"{owner}: selector #{index}: {failure}") from None
            if not matches:
                return index
        return None

    def _matches(self, device: PooledDevice, expression: str) -> bool:
        try:
            program = self._program(expression)
        except CELError as failure:
            raise CELError(f"CEL compile error: {failure}") from None
        try:
            value = program.evaluate({"device": self._value(device, expression)})
        except CELError as failure:
            raise CELError(f"CEL runtime error: {failure}") from None
        if not isinstance(value, bool):
            kind = _type_name(value)
            raise CELError(f"CEL runtime error: CEL result of type {kind} could not be converted to bool")
        return value

    def _program(self, expression: str) -> Program:
        program = self._environment.compile(expression)
        if program.type not in ("bool", "dyn"):
            raise CELError(f"must evaluate to bool or the unknown type, not {program.type}")
        return program

    def _value(self, device: PooledDevice, expression: str) -> dict[str, Any]:
        """The device with an empty map for every domain that the expression names and the device does not have."""
        value = self._values.get(id(device.device))
        if value is None:
            value = self._values[id(device.device)] = device_value(device)
        domains = {double or single for double, single in _INDEXED.findall(expression)}
        missing: dict[str, dict[str, Any]] = {domain: {} for domain in sorted(domains)}
        return {
            **value,
            "attributes": {**missing, **value["attributes"]},
            "capacity": {**missing, **value["capacity"]},
        }


@lru_cache(maxsize=2)
def _environment(consumable_capacity: bool) -> Environment:
    return Environment({**_VARIABLES, **_SHARED} if consumable_capacity else _VARIABLES)


def device_value(device: PooledDevice) -> dict[str, Any]:
    """The variable `device`: attributes and capacities by domain; names without one belong to the driver's."""
    driver = device.id.driver
    attributes: dict[str, dict[str, Any]] = {}
    for name, attribute in device.device.attributes.items():
        domain, _, identifier = name.rpartition("/")
        attributes.setdefault(domain or driver, {})[identifier] = _attribute_value(attribute, name)
    capacities: dict[str, dict[str, Any]] = {}
    for name, capacity in device.device.capacity.items():
        domain, _, identifier = name.rpartition("/")
        if capacity.value is not None:
            capacities.setdefault(domain or driver, {})[identifier] = tagged_quantity(capacity.value)
    return {
        "driver": driver,
        "attributes": attributes,
        "capacity": capacities,
        "allowMultipleAllocations": bool(device.device.allow_multiple_allocations),
    }


def _attribute_value(attribute: DeviceAttribute, name: str) -> Any:
    for value in (attribute.int_, attribute.bool_, attribute.string_):
        if value is not None:
            return value
    if attribute.version is None:
        raise CELError(f"attribute {name}: unsupported attribute value")
    try:
        return tagged_version(attribute.version)
    except ValueError as failure:
        raise CELError(f"parse semantic version: {failure}") from None


def attribute_of(device: Device, name: str, driver: str) -> tuple[str, Any] | None:
    """(type, value) of a fully qualified attribute; the bare name counts when the domain is the driver."""
    attribute = device.attributes.get(name)
    if attribute is None:
        domain, _, identifier = name.rpartition("/")
        attribute = device.attributes.get(identifier) if domain == driver else None
    if attribute is None:
        return None
    for kind in ("string_", "int_", "bool_", "version"):
        value = getattr(attribute, kind)
        if value is not None:
            return kind, value
    return None


def _type_name(value: object) -> str:
    names = {str: "string", int: "int", float: "double", list: "list", dict: "map", type(None): "null_type"}
    return names.get(type(value), type(value).__name__)
