"""What can be done to a text: set, remove or append a field of an object, create or delete an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scheduler_lab.engine.manifests.located import Path


class EditError(Exception):
    """The text cannot be edited that way: the object or the field is not written in it."""


@dataclass(frozen=True, slots=True)
class Ref:
    """An object by kind, namespace ("" for cluster-scoped kinds) and name."""

    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Set:
    """Write a field, whether it was there or not; what is missing around it is written too."""

    target: Ref
    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a field out, and whatever around it would be left empty."""

    target: Ref
    path: Path


@dataclass(frozen=True, slots=True)
class Append:
    """Add an item to a list, which is made if it is missing."""

    target: Ref
    path: Path
    item: Any


@dataclass(frozen=True, slots=True)
class Create:
    """Add a document."""

    document: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Delete:
    """Take a whole object out."""

    target: Ref


FieldChange = Set | Remove | Append
Change = FieldChange | Create | Delete
