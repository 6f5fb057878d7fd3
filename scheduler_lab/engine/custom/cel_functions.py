"""Kubernetes' CEL libraries of quantities, semantic versions and sets.

Quantities and versions travel as maps with one entry whose key is the type's name, so that `==` compares amounts
and precedence: 1Gi equals 1024Mi, and build metadata does not count. A ValueError becomes the expression's error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from scheduler_lab.engine.custom.semver import Version, is_version, parse_version
from scheduler_lab.engine.objects.quantity import MAX_INT64, MIN_INT64, NANO, Quantity

QUANTITY = "kubernetes.Quantity"
SEMVER = "kubernetes.Semver"
_QUANTITY_SYNTAX = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

Tagged = dict[str, str]


class Function(NamedTuple):
    """One overload: types in CEL's notation; a member's first parameter is its receiver."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    member: bool
    run: Callable[..., Any]


def tagged_quantity(quantity: Quantity) -> Tagged:
    """A quantity as an expression sees it."""
    return {QUANTITY: str(quantity.nanos)}


def tagged_version(text: str, loose: bool = False) -> Tagged:
    """A semantic version as an expression sees it; raises ValueError if it is none. `loose` as in `parse_version`."""
    return {SEMVER: parse_version(text, loose).precedence}


def _nanos(value: Tagged) -> int:
    if QUANTITY not in value:
        raise ValueError("no such overload")
    return int(value[QUANTITY])


def _quantity(text: str) -> Tagged:
    try:
        return tagged_quantity(Quantity.parse(text))
    except ValueError:
        raise ValueError(_QUANTITY_SYNTAX) from None


def _is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except ValueError:
        return False
    return True


def _as_integer(value: Tagged) -> int:
    if not _is_integer(value):
        raise ValueError("cannot convert value to integer")
    return _nanos(value) // NANO


def _is_integer(value: Tagged) -> bool:
    whole, rest = divmod(_nanos(value), NANO)
    return rest == 0 and MIN_INT64 <= whole <= MAX_INT64


def _add(value: Tagged, other: Tagged | int) -> Tagged:
    return {QUANTITY: str(_nanos(value) + _amount(other))}


def _sub(value: Tagged, other: Tagged | int) -> Tagged:
    return {QUANTITY: str(_nanos(value) - _amount(other))}


def _amount(value: Tagged | int) -> int:
    return value * NANO if isinstance(value, int) else _nanos(value)


def _compare(one: Tagged, other: Tagged) -> int:
    """−1, 0 or 1 for two quantities or two versions."""
    if SEMVER in one and SEMVER in other:
        a, b = Version.of_precedence(one[SEMVER]), Version.of_precedence(other[SEMVER])
        return (a > b) - (a < b)
    x, y = _nanos(one), _nanos(other)
    return (x > y) - (x < y)


def _part(index: int) -> Callable[[Tagged], int]:
    def part(value: Tagged) -> int:
        if SEMVER not in value:
            raise ValueError("no such overload")
        return Version.of_precedence(value[SEMVER]).numbers[index]

    return part


def _contains(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(item in one for item in other)


_Q = (QUANTITY,)
_S = (SEMVER,)
_LISTS = ("list(dyn)", "list(dyn)")

FUNCTIONS: tuple[Function, ...] = (
    Function("quantity", ("string",), QUANTITY, False, _quantity),
    Function("isQuantity", ("string",), "bool", False, _is_quantity),
    Function("sign", _Q, "int", True, lambda q: (_nanos(q) > 0) - (_nanos(q) < 0)),
    Function("isInteger", _Q, "bool", True, _is_integer),
    Function("asInteger", _Q, "int", True, _as_integer),
    Function("asApproximateFloat", _Q, "double", True, lambda q: _nanos(q) / NANO),
    Function("add", _Q + _Q, QUANTITY, True, _add),
    Function("add", (*_Q, "int"), QUANTITY, True, _add),
    Function("sub", _Q + _Q, QUANTITY, True, _sub),
    Function("sub", (*_Q, "int"), QUANTITY, True, _sub),
    Function("semver", ("string",), SEMVER, False, tagged_version),
    Function("semver", ("string", "bool"), SEMVER, False, tagged_version),
    Function("isSemver", ("string",), "bool", False, is_version),
    Function("isSemver", ("string", "bool"), "bool", False, is_version),
    Function("major", _S, "int", True, _part(0)),
    Function("minor", _S, "int", True, _part(1)),
    Function("patch", _S, "int", True, _part(2)),
    *(
        function
        for pair in (_Q + _Q, _S + _S)
        for function in (
            Function("compareTo", pair, "int", True, _compare),
            Function("isLessThan", pair, "bool", True, lambda a, b: _compare(a, b) < 0),
            Function("isGreaterThan", pair, "bool", True, lambda a, b: _compare(a, b) > 0),
        )
    ),
    Function("sets.contains", _LISTS, "bool", False, _contains),
    Function("sets.equivalent", _LISTS, "bool", False, lambda a, b: _contains(a, b) and _contains(b, a)),
    Function("sets.intersects", _LISTS, "bool", False, lambda a, b: any(item in a for item in b)),
)
"""Every overload, in the order in which the checker tries them."""
