"""The args of a learner's plugin: those of the configuration over the document's defaults, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduler_lab.engine.configuration.errors import ConfigurationError, quote
from scheduler_lab.engine.custom.plugins.shapes import shape_of_value
from scheduler_lab.engine.manifests.shapes import Shape
from scheduler_lab.engine.objects.quantity import MAX_INT64, MIN_INT64

_HEADER = ("apiVersion", "kind")
_GO = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool", "any": "interface {}"}


def arguments(plugin: str, defaults: Mapping[str, Any], written: Any) -> dict[str, Any]:
    """The plugin's args; raises ConfigurationError, worded as Go's strict decoding, for what the defaults do not know.

    An int is taken where the default is a floating-point number; null leaves the default.
    """
    if written is None:
        return dict(defaults)
    if not isinstance(written, Mapping):
        kind = _json_kind(written)
        raise ConfigurationError(f"json: cannot unmarshal {kind} into Go value of type {plugin}Args")
    args = dict(defaults)
    for name, value in written.items():
        if name in _HEADER and name not in defaults:
            continue
        if name not in defaults:
            raise ConfigurationError(f"strict decoding error: unknown field {quote(str(name))}")
        if value is not None:
            args[name] = _fitting(value, shape_of_value(defaults[name]), f"{plugin}Args.{name}")
    return args


def _fitting(value: Any, shape: Shape, field: str) -> Any:
    """The value as the shape has it; raises ConfigurationError when it is of another kind."""
    if shape.sort == "any":
        return value
    if shape.sort == "list" and isinstance(value, list):
        inner = shape.inner
        return [_fitting(item, inner, field) for item in value] if inner is not None else value
    if shape.sort == "map" and isinstance(value, Mapping):
        inner = shape.inner
        return {str(key): _fitting(item, inner, field) if inner is not None else item for key, item in value.items()}
    if shape.sort == "number" and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    kind = _json_kind(value)
    if shape.sort == "integer" and kind == "number":
        if isinstance(value, int) and MIN_INT64 <= value <= MAX_INT64:
            return value
        kind = f"number {value}"
    elif (shape.sort, kind) in (("string", "string"), ("boolean", "bool")):
        return value
    raise ConfigurationError(f"json: cannot unmarshal {kind} into Go struct field {field} of type {_go_type(shape)}")


def _go_type(shape: Shape) -> str:
    inner = _go_type(shape.inner) if shape.inner is not None else "interface {}"
    return {"list": f"[]{inner}", "map": f"map[string]{inner}"}.get(shape.sort) or _GO[shape.sort]


def _json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
