"""A change in one document, checked by reading the result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from scheduler_lab.engine.explain.edits import plain
from scheduler_lab.engine.explain.edits.changes import Append, EditError, FieldChange, Remove, Set
from scheduler_lab.engine.explain.edits.surgery import Surgeon
from scheduler_lab.engine.explain.edits.writing import document
from scheduler_lab.engine.manifests.from_json import read_json
from scheduler_lab.engine.manifests.from_yaml import read_yaml
from scheduler_lab.engine.manifests.limits import FILES
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.values import Broken


def values_of(text: str, as_json: bool) -> list[Any]:
    """What the document says, nothing shared between its parts; raises EditError when it cannot be read."""
    try:
        values = (read_json if as_json else read_yaml)(text, FILES).values
    except Broken as broken:
        raise EditError(str(broken)) from None
    return [msgspec.json.decode(msgspec.json.encode(value)) for value in values if value is not None]


def change_document(text: str, value: int, prefix: Path, change: FieldChange, as_json: bool) -> str:
    """The document's text with the change in its `value`-th value, whose object is at `prefix`.

    Only the lines of the field change, unless the document shares parts of itself (aliases, merge keys): then the
    smallest part around it that can be is written anew. Raises EditError when the field is not there to be changed.
    """
    values = values_of(text, as_json)
    path = (*prefix, *change.path)
    if value >= len(values):
        raise EditError(path)
    if isinstance(change, Remove):
        path = plain.pruned(values[value], path, len(prefix))
    _change(values[value], path, change, len(prefix))
    for edited in _attempts(text, value, prefix, path, change, as_json, values):
        with suppress(EditError):
            if values_of(edited, as_json) == values:
                return edited
    raise EditError(path)


def _attempts(
    text: str, value: int, prefix: Path, path: Path, change: FieldChange, as_json: bool, values: list[Any]
) -> Iterator[str]:
    """The change itself; then ever larger parts written anew, up to the whole document."""
    with suppress(EditError):
        surgeon = Surgeon(text, value, as_json)
        with suppress(EditError):
            yield _cut(surgeon, path, change)
        for depth in range(len(path) - 1, max(len(prefix), 1) - 1, -1):
            part = path[:depth]
            if plain.has(values[value], part):
                with suppress(EditError):
                    yield surgeon.replace(part, plain.get(values[value], part))
    if len(values) == 1:
        yield document(values[0], as_json)


def remove_member(text: str, value: int, path: Path, as_json: bool) -> str:
    """The document's text without the list item at the path; a list that loses its only item stays.

    Raises EditError when others share what the item holds (an anchor).
    """
    values = values_of(text, as_json)
    parent = plain.get(values[value], path[:-1])
    plain.get(parent, path[-1:])
    only = len(parent) == 1
    del parent[path[-1]]
    try:
        surgeon = Surgeon(text, value, as_json)
        edited = surgeon.set(path[:-1], []) if only else surgeon.remove(path)
        if values_of(edited, as_json) == values:
            return edited
    except EditError:
        pass
    if len(values) > 1 or not as_json:
        raise EditError(path)
    return document(values[0], as_json)


def _change(data: Any, path: Path, change: FieldChange, keep: int) -> None:
    if isinstance(change, Set):
        plain.set_value(data, path, change.value)
    elif isinstance(change, Append):
        plain.append(data, path, change.item)
    else:
        plain.remove(data, path, keep)


def _cut(surgeon: Surgeon, path: Path, change: FieldChange) -> str:
    if isinstance(change, Set):
        return surgeon.set(path, change.value)
    if isinstance(change, Append):
        return surgeon.append(path, change.item)
    return surgeon.remove(path)
