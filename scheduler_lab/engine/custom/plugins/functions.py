"""The functions that a plugin's expressions have: Kubernetes' libraries, and those on lists that scoring needs.

`sum`, `min` and `max` are those of Kubernetes' list library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from scheduler_lab.engine.custom.cel_functions import FUNCTIONS, Function
from scheduler_lab.engine.objects.quantity import MAX_INT64, MIN_INT64


def _sum(items: Sequence[Any]) -> Any:
    if not all(_is_number(item) for item in items):
        raise ValueError("no such overload: sum")
    total = sum(items)
    if isinstance(total, int) and not MIN_INT64 <= total <= MAX_INT64:
        raise ValueError("integer overflow")
    return total


def _is_number(item: object) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool)


def _extreme(name: str, choose: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
    def extreme(items: Sequence[Any]) -> Any:
        if not items:
            raise ValueError(f"{name} called on empty list")
        if not (all(_is_number(item) for item in items) or all(isinstance(item, str) for item in items)):
            raise ValueError(f"no such overload: {name}")
        return choose(items)

    return extreme


_NUMBERS: Final = ("int", "double")
_ORDERED: Final = ("int", "double", "string")

PLUGIN_FUNCTIONS: Final[tuple[Function, ...]] = (
    *FUNCTIONS,
    *(Function("sum", (f"list({item})",), item, True, _sum) for item in _NUMBERS),
    *(Function("min", (f"list({item})",), item, True, _extreme("min", min)) for item in _ORDERED),
    *(Function("max", (f"list({item})",), item, True, _extreme("max", max)) for item in _ORDERED),
)
