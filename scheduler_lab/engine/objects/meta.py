"""Object metadata, owner references, label selector structs and timestamps."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from msgspec import field

from scheduler_lab.engine.objects.base import Int64, KubeStruct


class ManagedFieldsEntry(KubeStruct):
    api_version: str = ""
    fields_type: str = ""
    fields_v1: Any = None
    manager: str = ""
    operation: str = ""
    subresource: str = ""
    time: str | None = None


class OwnerReference(KubeStruct):
    api_version: str = ""
    block_owner_deletion: bool | None = None
    controller: bool | None = None
    kind: str = ""
    name: str = ""
    uid: str = ""


class ObjectMeta(KubeStruct):
    annotations: dict[str, str] = {}
    creation_timestamp: str | None = None
    deletion_grace_period_seconds: Int64 | None = None
    deletion_timestamp: str | None = None
    finalizers: list[str] = []
    generate_name: str = ""
    generation: Int64 = 0
    labels: dict[str, str] = {}
    managed_fields: list[ManagedFieldsEntry] = []
    name: str = ""
    namespace: str = ""
    owner_references: list[OwnerReference] = []
    resource_version: str = ""
    self_link: str = ""
    uid: str = ""


class LabelSelectorRequirement(KubeStruct):
    key: str = ""
    operator: str = ""
    values: list[str] = []


class LabelSelector(KubeStruct):
    match_expressions: list[LabelSelectorRequirement] = []
    match_labels: dict[str, str] = {}


class Condition(KubeStruct):
    last_transition_time: str | None = None
    message: str = ""
    observed_generation: Int64 = 0
    reason: str = ""
    status: str = ""
    type: str = ""


class KubeObject(KubeStruct):
    """A top-level object; every kind gives its own `api_version` and `kind`."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)

    @property
    def key(self) -> str:
        """`namespace/name`, or the name alone without a namespace: how records name an object."""
        meta = self.metadata
        return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name


@lru_cache(maxsize=65536)
def parse_time(text: str) -> float:
    """Seconds since 1970 of an RFC 3339 timestamp ("2030-01-01T00:00:00Z"); raises ValueError for any other text."""
    if len(text) < 20 or text[10] not in "Tt" or not (text[-1] in "Zz" or text[-6] in "+-"):
        raise ValueError(f"{text!r} is not an RFC 3339 time such as 2030-01-01T00:00:00Z")
    try:
        return datetime.fromisoformat(text.upper()).timestamp()
    except ValueError as error:
        raise ValueError(f"{text!r} is not an RFC 3339 time: {error}") from None


def format_time(seconds: float) -> str:
    """The RFC 3339 text, in UTC with whole seconds, of a time in seconds since 1970."""
    return datetime.fromtimestamp(int(seconds // 1), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
