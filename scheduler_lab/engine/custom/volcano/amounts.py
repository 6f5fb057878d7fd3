"""Resources as Volcano compares them: milli-CPU, bytes and units by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from scheduler_lab.engine.framework.resources import CPU, EPHEMERAL_STORAGE, MEMORY, Resource
from scheduler_lab.engine.objects.quantity import Quantity

Amount = int | Fraction
Amounts = dict[str, Amount]


def amounts(resource: Resource) -> Amounts:
    """A request or an allocatable without what is zero; the number of pods is not among them."""
    found: Amounts = {
        CPU: resource.milli_cpu,
        MEMORY: resource.memory,
        EPHEMERAL_STORAGE: resource.ephemeral_storage,
        **resource.scalars,
    }
    return {name: amount for name, amount in found.items() if amount}


def listed(quantities: Mapping[str, Quantity]) -> Amounts:
    """The amounts of a resource list of an object."""
    return amounts(Resource.of(quantities))


def total(parts: Iterable[Mapping[str, Amount]]) -> Amounts:
    """The sum, name by name."""
    result: Amounts = {}
    for part in parts:
        for name, amount in part.items():
            result[name] = result.get(name, 0) + amount
    return result


def less(whole: Mapping[str, Amount], part: Mapping[str, Amount]) -> Amounts:
    """`whole` without `part`, never below zero."""
    return {name: max(amount - part.get(name, 0), 0) for name, amount in whole.items()}


def fits(wanted: Mapping[str, Amount], room: Mapping[str, Amount]) -> bool:
    """Whether there is room for everything that is wanted; names missing from `room` have none."""
    return all(amount <= room.get(name, 0) for name, amount in wanted.items())


def scaled(whole: Mapping[str, Amount], factor: Fraction) -> Amounts:
    """Every amount times `factor`."""
    return {name: amount * factor for name, amount in whole.items()}


def capped(whole: Mapping[str, Amount], cap: Mapping[str, Amount]) -> Amounts:
    """At most `cap` where it names the resource, unlimited elsewhere."""
    return {name: min(amount, cap[name]) if name in cap else amount for name, amount in whole.items()}
