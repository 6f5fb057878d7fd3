"""Strict decoding of plain data into structs, with the errors of Kubernetes' JSON decoder.

Unknown fields are collected as strict errors; the first value of a wrong type is the error, and later values are still
looked at. The members of a mapping are taken in sorted order unless the document was JSON, since YAML becomes JSON with
sorted keys on its way to the decoder.
"""

from __future__ import annotations

import base64
import binascii
import types
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from scheduler_lab.engine.configuration.durations import Duration
from scheduler_lab.engine.configuration.errors import ConfigurationError, EmptyList, quote
from scheduler_lab.engine.configuration.types import GoType

S = TypeVar("S", bound=Struct)

MAX_STRICT_ERRORS: Final = 100
_NAMED_STRINGS: Final = {
    ("NodeSelectorRequirement", "operator"): "v1.NodeSelectorOperator",
    ("LabelSelectorRequirement", "operator"): "v1.LabelSelectorOperator",
    ("TopologySpreadConstraint", "when_unsatisfiable"): "v1.UnsatisfiableConstraintAction",
    ("TopologySpreadConstraint", "node_affinity_policy"): "v1.NodeInclusionPolicy",
    ("TopologySpreadConstraint", "node_taints_policy"): "v1.NodeInclusionPolicy",
}


class Target(Struct, frozen=True):
    """What a JSON value is decoded into: the Python type without None, and the Go type's name.

    `optional` tells a pointer apart from a value.
    """

    python: Any
    go: str
    item: Target | None = None
    optional: bool = False


class Member(Struct, frozen=True):
    """One member of a struct: its attribute and its target."""

    attribute: str
    target: Target


@lru_cache(maxsize=256)
def members(struct: type[Struct]) -> dict[str, Member]:
    """The members of a struct by JSON name."""
    hints = get_type_hints(struct, include_extras=True)
    found = {}
    for info in msgspec.structs.fields(struct):
        target = _target(hints[info.name])
        named = _NAMED_STRINGS.get((struct.__name__, info.name))
        found[info.encode_name] = Member(info.name, msgspec.structs.replace(target, go=named) if named else target)
    return found


def _target(hint: Any) -> Target:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = _target(next(part for part in get_args(hint) if part is not type(None)))
        return msgspec.structs.replace(inner, optional=True)
    if origin is Annotated:
        base, *extras = get_args(hint)
        named = next((extra.name for extra in extras if isinstance(extra, GoType)), None)
        if named is not None:
            return Target(base, named)
        wide = any(isinstance(extra, Meta) and extra.le == 2**63 - 1 for extra in extras)
        return Target(base, "int64" if wide else "int32") if base is int else _target(base)
    if origin is list:
        item = _target(get_args(hint)[0])
        return Target(list, f"[]{item.go}", item)
    if origin is dict:
        item = _target(get_args(hint)[1])
        return Target(dict, f"map[string]{item.go}", item)
    if hint is Duration:
        return Target(Duration, "v1.Duration")
    if isinstance(hint, type) and issubclass(hint, Struct):
        return Target(hint, f"{getattr(hint, 'go_package', 'v1')}.{go_name(hint)}")
    return Target(hint, {str: "string", bool: "bool", float: "float32", int: "int64"}.get(hint, "interface {}"))


def go_name(struct: type[Struct]) -> str:
    """The name of the Go struct, without its package."""
    name: str = getattr(struct, "go_name", struct.__name__)
    return name


class Decoder:
    """Decodes one document; `strict_errors` holds the unknown fields, `type_error` tells of the first wrong type."""

    def __init__(self, *, sort_keys: bool = True) -> None:
        self.strict_errors: list[str] = []
        self.type_error: str | None = None
        self._sort_keys = sort_keys
        self._struct = ""
        self._fields: list[str] = []

    def decode(self, struct: type[S], data: Mapping[Any, Any]) -> S:
        """The struct; raises ConfigurationError for a value of a wrong type. See `strict_errors` afterwards."""
        decoded = self._members(struct, data, "")
        if self.type_error is not None:
            raise ConfigurationError(self.type_error)
        return decoded

    def _members(self, struct: type[S], data: Mapping[Any, Any], path: str) -> S:
        known = members(struct)
        values: dict[str, Any] = {}
        outer = self._struct
        for name, value in self._items(data):
            member = known.get(name)
            if member is None:
                self._strict(f"unknown field {quote(f'{path}.{name}' if path else name)}")
                continue
            self._struct = go_name(struct)
            self._fields.append(name)
            decoded = self._value(member.target, value, f"{path}.{name}" if path else name)
            self._fields.pop()
            if decoded is not None:
                values[member.attribute] = decoded
        self._struct = outer
        return struct(**values)

    def _items(self, data: Mapping[Any, Any]) -> Iterable[tuple[str, Any]]:
        items = [(_key(key), value) for key, value in data.items()]
        return sorted(items, key=lambda item: item[0]) if self._sort_keys else items

    def _value(self, target: Target, value: Any, path: str) -> Any:
        """The decoded value; None for null and for a value of a wrong type, which both leave the default."""
        if target.python is Duration and not (value is None and target.optional):
            return self._duration("" if value is None else value)
        if value is None or target.python is Any:
            return value
        if isinstance(value, Mapping):
            return self._mapping(target, value, path)
        if isinstance(value, list | tuple):
            return self._list(target, value, path)
        return self._scalar(target, value)

    def _mapping(self, target: Target, value: Mapping[Any, Any], path: str) -> Any:
        if target.python is dict and target.item is not None:
            return {key: self._item(target.item, item, f"{path}.{key}") for key, item in self._items(value)}
        if isinstance(target.python, type) and issubclass(target.python, Struct):
            return self._members(target.python, value, path)
        return self._mismatch("object", target)

    def _list(self, target: Target, value: list[Any] | tuple[Any, ...], path: str) -> Any:
        if target.python is not list or target.item is None:
            return self._mismatch("array", target)
        if not value:
            return EmptyList()
        return [self._item(target.item, item, f"{path}[{index}]") for index, item in enumerate(value)]

    def _item(self, target: Target, value: Any, path: str) -> Any:
        """An item of a list or map, where null is the zero value."""
        decoded = self._value(target, value, path)
        return target.python() if decoded is None and isinstance(target.python, type) else decoded

    def _scalar(self, target: Target, value: Any) -> Any:
        wanted = target.python
        if isinstance(value, bool):
            return value if wanted is bool else self._mismatch("bool", target)
        if isinstance(value, int | float):
            return self._number(target, value)
        if wanted is not str:
            return self._mismatch("string", target)
        return self._base64(value) if target.go == "[]uint8" else str(value)

    def _number(self, target: Target, value: int | float) -> Any:
        if target.python is float:
            return float(value)
        if target.python is not int:
            return self._mismatch("number", target)
        if isinstance(value, float) and (not value.is_integer() or abs(value) >= 1e21):
            return self._mismatch(f"number {value!r}", target)
        limit = 2**63 if target.go == "int64" else 2**31
        if not -limit <= value < limit:
            return self._mismatch(f"number {int(value)}", target)
        return int(value)

    def _base64(self, value: str) -> str | None:
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            self.type_error = self.type_error or "illegal base64 data"
            return None
        return value

    def _duration(self, value: Any) -> Duration:
        # A type's own decoding stops at once, where a plain wrong type lets the decoder go on.
        if not isinstance(value, str):
            raise ConfigurationError(self._mismatch_text(_kind(value), "string"))
        try:
            return Duration.parse(value)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None

    def _mismatch(self, kind: str, target: Target) -> None:
        if self.type_error is None:
            self.type_error = self._mismatch_text(kind, target.go)

    def _mismatch_text(self, kind: str, go: str) -> str:
        field = ".".join([self._struct, *self._fields])
        return f"json: cannot unmarshal {kind} into Go struct field {field} of type {go}"

    def _strict(self, error: str) -> None:
        if len(self.strict_errors) < MAX_STRICT_ERRORS and error not in self.strict_errors:
            self.strict_errors.append(error)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, Mapping) else "array" if isinstance(value, list | tuple) else "string"


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)
