"""Documents that are kept as their data: kinds this engine does not type, and configuration documents."""

from typing import Any

from msgspec import Struct, field

from scheduler_lab.engine.objects.meta import ObjectMeta


class DuplicateKey(Struct, frozen=True, kw_only=True):
    """A mapping key written twice; `line` counts within the document, comments included, from 1."""

    key: str
    line: int


class RawObject(Struct, kw_only=True):
    """A document without a typed counterpart: `raw` is its data, `text` its source.

    `positions` maps a field path ("profiles[0].schedulerName") to its (line, column) in the whole text, from 1;
    `first_line` is the text's line on which the document begins.
    """

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    raw: dict[str, Any]
    text: str = ""
    first_line: int = 1
    positions: dict[str, tuple[int, int]] = {}
    duplicates: list[DuplicateKey] = []
