"""Objects from plain data and back."""

from typing import Any, cast

import msgspec

from scheduler_lab.engine.objects.meta import KubeObject, ObjectMeta
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.raw import RawObject
from scheduler_lab.engine.objects.registry import STORED_RESOURCE_VERSION, TYPES


def decode_hook(kind: type, value: Any) -> Any:
    """msgspec's hook for what it does not know: quantities."""
    if kind is Quantity:
        return Quantity.parse(value)
    raise NotImplementedError(kind)


def encode_hook(value: Any) -> Any:
    """msgspec's hook for what it does not know: a quantity is written as it was read."""
    if isinstance(value, Quantity):
        return value.text
    raise NotImplementedError(type(value))


def convert(data: Any, kind: type[KubeObject]) -> KubeObject:
    """The data as an object of that type; raises msgspec.ValidationError at the first field that does not fit.

    The beta versions of resource.k8s.io become objects of its v1.
    """
    item = msgspec.convert(data, kind, dec_hook=decode_hook)
    if item.api_version.startswith("resource.k8s.io/v1beta"):
        to_v1 = getattr(item, "to_v1", None)
        if to_v1 is not None:
            return cast(KubeObject, to_v1())
        return msgspec.structs.replace(item, api_version=STORED_RESOURCE_VERSION)
    return item


def decode(data: dict[str, Any]) -> KubeObject | RawObject:
    """The typed object that the data describes, without any defaulting; a RawObject for a kind that is not typed.

    Raises msgspec.ValidationError for an unknown field or a value of the wrong type.
    """
    kind = TYPES.get((data.get("apiVersion", ""), data.get("kind", "")))
    if kind is not None:
        return convert(data, kind)
    metadata = data.get("metadata") or {}
    known = {key: metadata[key] for key in ("name", "namespace") if isinstance(metadata.get(key), str)}
    return RawObject(
        api_version=str(data.get("apiVersion", "")),
        kind=str(data.get("kind", "")),
        metadata=ObjectMeta(**known),
        raw=data,
    )


def to_dict(value: KubeObject | RawObject) -> dict[str, Any]:
    """The object as the JSON data of the Kubernetes API, apiVersion and kind first, unset members left out."""
    if isinstance(value, RawObject):
        return value.raw
    data: dict[str, Any] = {"apiVersion": value.api_version, "kind": value.kind}
    data.update(_plain(value))
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _plain_struct(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return encode_hook(value) if isinstance(value, Quantity) else value


def _plain_struct(value: msgspec.Struct) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for info in msgspec.structs.fields(value):
        item = getattr(value, info.name)
        if info.default_factory is not msgspec.NODEFAULT:
            plain = _plain(item)
            if plain != {} and plain != []:
                data[info.encode_name] = plain
        elif item is not None and item != info.default:
            data[info.encode_name] = _plain(item)
    return data
