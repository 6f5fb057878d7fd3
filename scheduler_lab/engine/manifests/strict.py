"""Strict decoding: every unknown field, wrong type and bad quantity of one object, and the value without them."""

from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any, Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path, format_path
from scheduler_lab.engine.manifests.shapes import Shape
from scheduler_lab.engine.objects.quantity import Quantity

Suggest = Callable[[], str]
Report = Callable[[str, Path, dict[str, str], Suggest], None]
"""Receives a message, the path, its values, and how to find a suggestion (slow, so asked for only when shown)."""

_DROP: Final = object()
_EXPECTED: Final = {
    "struct": "a map",
    "map": "a map",
    "list": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "int-or-string": "a whole number or a text",
    "quantity": "a quantity",
}


def clean(value: Any, shape: Shape, report: Report) -> dict[str, Any]:
    """The object's data with nulls and everything refused taken out; each refusal is reported.

    A null is as if the field were absent; in a list, or as a value of a map, it is the zero value, as Go decodes it.
    """
    result = _clean(value, shape, (), report)
    return result if isinstance(result, dict) else {}


def _clean(value: Any, shape: Shape, path: Path, report: Report) -> Any:
    sort = shape.sort
    if sort == "any":
        return value
    if sort == "struct" and isinstance(value, dict):
        return _struct(value, shape, path, report)
    if sort == "map" and isinstance(value, dict):
        inner = shape.inner or shape
        items = {key: _inner(item, inner, (*path, key), report) for key, item in value.items()}
        return {key: item for key, item in items.items() if item is not _DROP}
    if sort == "list" and isinstance(value, list):
        inner = shape.inner or shape
        listed = [_inner(item, inner, (*path, index), report) for index, item in enumerate(value)]
        return [item for item in listed if item is not _DROP]
    if sort == "quantity":
        return _quantity(value, path, report)
    return _scalar(value, shape, path, report)


def _struct(value: dict[str, Any], shape: Shape, path: Path, report: Report) -> dict[str, Any]:
    result = {}
    for key, item in value.items():
        member = shape.members.get(key)
        if member is None:
            name = format_path((*path, key))
            report(messages.UNKNOWN_FIELD, (*path, key), {"path": name}, _nearest(key, shape.members))
        elif item is not None:
            cleaned = _clean(item, member, (*path, key), report)
            if cleaned is not _DROP:
                result[key] = cleaned
    return result


def _nearest(key: str, known: Collection[str]) -> Suggest:
    return lambda: near(key, known)


def _nothing() -> str:
    return ""


def near(key: str, known: Collection[str]) -> str:
    """The known name that a misspelt one most resembles, or ""."""
    if len(key) > 100:
        return ""
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(key.lower(), by_lower, n=1, cutoff=0.7)
    return by_lower[close[0]] if close else ""


def _inner(value: Any, shape: Shape, path: Path, report: Report) -> Any:
    if value is not None:
        return _clean(value, shape, path, report)
    zero: dict[str, Any] = {
        "struct": {}, "map": {}, "list": [], "string": "", "integer": 0, "number": 0, "boolean": False,
        "quantity": "0", "int-or-string": 0,
    }  # fmt: skip
    return zero.get(shape.sort)


def _scalar(value: Any, shape: Shape, path: Path, report: Report) -> Any:
    sort = shape.sort
    if isinstance(value, bool):
        fits = sort == "boolean"
    elif isinstance(value, int):
        fits = sort in ("integer", "number", "int-or-string")
    elif isinstance(value, str):
        fits = sort in ("string", "int-or-string")
    else:
        fits = sort == "number" and isinstance(value, float)
    if not fits:
        name = format_path(path)
        report(messages.WRONG_TYPE, path, {"path": name, "expected": _EXPECTED[sort], "got": describe(value)}, _nothing)
        return _DROP
    if isinstance(value, int) and not isinstance(value, bool) and not shape.low <= value <= shape.high:
        low, high = str(shape.low), str(shape.high)
        params = {"path": format_path(path), "value": cut(str(value)), "low": low, "high": high}
        report(messages.OUT_OF_RANGE, path, params, _nothing)
        return _DROP
    if shape.choices and value not in shape.choices:
        choices = ", ".join(shape.choices)
        params = {"path": format_path(path), "value": cut(value), "choices": choices}
        report(messages.NOT_ONE_OF, path, params, _nearest(value, shape.choices))
        return _DROP
    return value


def _quantity(value: Any, path: Path, report: Report) -> Any:
    try:
        Quantity.parse(value)
    except ValueError as error:
        report(messages.BAD_QUANTITY, path, {"path": format_path(path), "detail": str(error)}, _nothing)
        return _DROP
    return value


def describe(value: Any) -> str:
    """A value in words, for a sentence that says what was found."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {cut(str(value))}"
    if isinstance(value, str):
        return f"the text {cut(repr(value))}"
    return "a map" if isinstance(value, dict) else "a list"


def cut(text: str, length: int = 80) -> str:
    """The text, shortened when it is long."""
    return text if len(text) <= length else text[:length] + "…"
