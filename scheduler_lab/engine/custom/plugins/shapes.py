"""What the variables of a plugin's expressions look like: Kubernetes objects, and what the scheduler adds to them.

A shape is that of the manifests' strict decoding. `cel_type` names the type that CEL checks with: structs are maps to
it, since their members are checked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from scheduler_lab.engine.framework.events import Resource
from scheduler_lab.engine.manifests.shapes import ANY, Shape, shape_of
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.resource import DeviceClass, ResourceClaim, ResourceSlice
from scheduler_lab.engine.objects.scheduling import Workload
from scheduler_lab.engine.objects.storage import CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment

STRING: Final = Shape("string")
INTEGER: Final = Shape("integer")
NUMBER: Final = Shape("number")
BOOLEAN: Final = Shape("boolean")
AMOUNTS: Final = Shape("map", inner=INTEGER)
STATE: Final = Shape("map", inner=ANY)

_SCALARS: Final = {"string": "string", "quantity": "string", "integer": "int", "number": "double", "boolean": "bool"}


def struct(members: Mapping[str, Shape]) -> Shape:
    """A struct of those members."""
    return Shape("struct", members=dict(members))


def list_of(inner: Shape) -> Shape:
    """A list of such items."""
    return Shape("list", inner=inner)


def cel_type(shape: Shape) -> str:
    """The type of such a value in CEL's notation."""
    if shape.sort == "struct":
        return "map(string, dyn)"
    if shape.sort == "map":
        return f"map(string, {cel_type(shape.inner or ANY)})"
    if shape.sort == "list":
        return f"list({cel_type(shape.inner or ANY)})"
    return _SCALARS.get(shape.sort, "dyn")


@cache
def pod_shape() -> Shape:
    """A Pod with what the scheduler knows of it: its key, its priority as a number, and its requests."""
    added = {"key": STRING, "priority": INTEGER, "requests": AMOUNTS}
    return struct({**shape_of(Pod).members, **added})


@cache
def node_shape() -> Shape:
    """A Node with the scheduler's counts and the pods on it."""
    added = {
        "name": STRING,
        "allocatable": AMOUNTS,
        "requested": AMOUNTS,
        "nonZeroRequested": AMOUNTS,
        "pods": list_of(pod_shape()),
    }
    return struct({**shape_of(Node).members, **added})


@cache
def claim_shape() -> Shape:
    """A PersistentVolumeClaim."""
    return shape_of(PersistentVolumeClaim)


@cache
def resource_claim_shape() -> Shape:
    """A ResourceClaim."""
    return shape_of(ResourceClaim)


@cache
def waiting_shape() -> Shape:
    """A pod that waits on Permit: the pod, its node, and the plugins it waits for."""
    return struct({"pod": pod_shape(), "node": STRING, "plugins": list_of(STRING)})


@cache
def queued_shape() -> Shape:
    """A pod in the queue: the pod, when it was last added (virtual seconds), and its attempts so far."""
    return struct({"pod": pod_shape(), "timestamp": NUMBER, "attempts": INTEGER})


@cache
def status_shape() -> Shape:
    """Why a node was rejected."""
    return struct({"code": STRING, "reasons": list_of(STRING)})


_OBJECTS: Final[dict[Resource, type[Any]]] = {
    Resource.PERSISTENT_VOLUME: PersistentVolume,
    Resource.PERSISTENT_VOLUME_CLAIM: PersistentVolumeClaim,
    Resource.CSI_NODE: CSINode,
    Resource.CSI_DRIVER: CSIDriver,
    Resource.CSI_STORAGE_CAPACITY: CSIStorageCapacity,
    Resource.STORAGE_CLASS: StorageClass,
    Resource.VOLUME_ATTACHMENT: VolumeAttachment,
    Resource.RESOURCE_CLAIM: ResourceClaim,
    Resource.RESOURCE_SLICE: ResourceSlice,
    Resource.DEVICE_CLASS: DeviceClass,
    Resource.WORKLOAD: Workload,
    Resource.NODE: Node,
}


@cache
def object_shape(resource: Resource) -> Shape:
    """The object of an event of that resource."""
    kind: Any = _OBJECTS.get(resource)
    return shape_of(kind) if kind is not None else pod_shape()


def shape_of_value(value: Any) -> Shape:
    """The shape that a default value sets for an argument."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return INTEGER
    if isinstance(value, float):
        return NUMBER
    if isinstance(value, str):
        return STRING
    if isinstance(value, list):
        return list_of(_common(value))
    if isinstance(value, dict):
        return Shape("map", inner=_common(value.values()))
    return ANY


def _common(values: Any) -> Shape:
    shapes = [shape_of_value(value) for value in values]
    return shapes[0] if shapes and all(shape == shapes[0] for shape in shapes) else ANY


def args_shape(defaults: Mapping[str, Any]) -> Shape:
    """The plugin's arguments: one member a default."""
    return struct({name: shape_of_value(value) for name, value in defaults.items()})
