"""What a struct type accepts, as a small tree that a value can be walked against."""

from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

import msgspec
from msgspec import inspect

from scheduler_lab.engine.objects.quantity import Quantity

Sort = Literal["struct", "map", "list", "string", "integer", "number", "boolean", "quantity", "int-or-string", "any"]


@dataclass(slots=True)
class Shape:
    """The sort of a value; `members` of a struct by JSON name, `inner` of a map or list, `low` and `high` of integers.

    `choices` are the only texts a string may be, when there are any.
    """

    sort: Sort
    members: dict[str, "Shape"] = field(default_factory=dict)
    inner: "Shape | None" = None
    low: int = -(2**63)
    high: int = 2**63 - 1
    choices: tuple[str, ...] = ()


ANY: Final = Shape("any")


@cache
def shape_of(kind: type[msgspec.Struct]) -> Shape:
    """The shape of a struct type."""
    return _shape(inspect.type_info(kind))


_structs: dict[type, Shape] = {}


def _shape(info: inspect.Type) -> Shape:
    if isinstance(info, inspect.StructType):
        known = _structs.get(info.cls)
        if known is None:
            known = _structs[info.cls] = Shape("struct")
            known.members = {item.encode_name: _shape(item.type) for item in info.fields}
        return known
    if isinstance(info, inspect.UnionType):
        return _union([item for item in info.types if not isinstance(item, inspect.NoneType)])
    if isinstance(info, inspect.DictType):
        return Shape("map", inner=_shape(info.value_type))
    if isinstance(info, inspect.ListType):
        return Shape("list", inner=_shape(info.item_type))
    return _scalar(info)


def _union(types: list[inspect.Type]) -> Shape:
    if len(types) == 1:
        return _shape(types[0])
    integer = next(item for item in types if isinstance(item, inspect.IntType))
    return Shape("int-or-string", low=integer.ge or 0, high=integer.le or 0)


def _scalar(info: inspect.Type) -> Shape:
    if isinstance(info, inspect.IntType):
        return Shape("integer", low=_or(info.ge, -(2**63)), high=_or(info.le, 2**63 - 1))
    if isinstance(info, inspect.StrType):
        return Shape("string")
    if isinstance(info, inspect.BoolType):
        return Shape("boolean")
    if isinstance(info, inspect.FloatType):
        return Shape("number")
    if isinstance(info, inspect.LiteralType):
        return Shape("string", choices=tuple(str(value) for value in info.values))
    if isinstance(info, inspect.CustomType) and info.cls is Quantity:
        return Shape("quantity")
    return ANY


def _or(value: int | None, default: int) -> int:
    return default if value is None else value
