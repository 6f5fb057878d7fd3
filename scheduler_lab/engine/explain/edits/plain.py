"""Changes of plain data: what an edited document has to say afterwards."""

from __future__ import annotations

from typing import Any, Final

from scheduler_lab.engine.explain.edits.changes import EditError
from scheduler_lab.engine.manifests.located import Path

_NOTHING: Final = object()


def get(data: Any, path: Path) -> Any:
    """The value at a path; raises EditError where there is none."""
    for step in path:
        inner = _member(data, step)
        if inner is _NOTHING:
            raise EditError(path)
        data = inner
    return data


def _member(data: Any, step: str | int) -> Any:
    if isinstance(data, list):
        return data[step] if isinstance(step, int) and step < len(data) else _NOTHING
    return data.get(step, _NOTHING) if isinstance(data, dict) else _NOTHING


def has(data: Any, path: Path) -> bool:
    """Whether something is written at a path."""
    try:
        get(data, path)
    except EditError:
        return False
    return True


def set_value(data: Any, path: Path, value: Any) -> None:
    """Write the value, with the maps around it that are missing; raises EditError where a list item is missing."""
    for index, step in enumerate(path[:-1]):
        if isinstance(data, dict) and data.get(str(step)) is None:
            data[str(step)] = {}
        data = get(data, path[index : index + 1])
    last = path[-1]
    if isinstance(data, dict):
        data[str(last)] = value
    elif isinstance(data, list) and isinstance(last, int) and last < len(data):
        data[last] = value
    else:
        raise EditError(path)


def remove(data: Any, path: Path, keep: int) -> None:
    """Take out what is at the path, and what it leaves empty, except the outermost `keep` steps."""
    shortened = pruned(data, path, keep)
    del get(data, shortened[:-1])[shortened[-1]]


def pruned(data: Any, path: Path, keep: int) -> Path:
    """The path of the largest thing that holds nothing else than what is at `path`; raises EditError without it."""
    get(data, path)
    while len(path) > max(1, keep + 1) and len(get(data, path[:-1])) == 1:
        path = path[:-1]
    return path


def append(data: Any, path: Path, item: Any) -> None:
    """Add the item to the list at the path, which is made where it is missing."""
    present = get(data, path) if has(data, path) else None
    if present is None:
        set_value(data, path, [item])
    elif isinstance(present, list):
        present.append(item)
    else:
        raise EditError(path)
