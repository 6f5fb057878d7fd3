"""The base of every Kubernetes struct, and the scalar types that several API groups share."""

from typing import Annotated

from msgspec import Meta, Struct

from scheduler_lab.engine.objects.quantity import Quantity as Quantity

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
IntOrString = Int32 | str
ResourceList = dict[str, Quantity]


# gc=False is safe: objects are trees, a struct never refers to what holds it.
class KubeStruct(Struct, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A JSON object of the Kubernetes API; attributes are the snake_case of its field names.

    Strings default to "", numbers to 0, lists and maps to empty ones, and what is a pointer upstream to None.
    Instances are treated as immutable: change a copy made with `msgspec.structs.replace`.
    """
