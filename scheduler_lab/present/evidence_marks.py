"""Which fields a record's evidence marks. Kept apart from the pages: the worker needs it without Django."""

from __future__ import annotations

from typing import Any


def all_marks(record: dict[str, Any]) -> set[tuple[str, str, str, str]]:
    """Every field that any evidence of a record marks, as (kind, namespace, name, path)."""
    found: set[tuple[str, str, str, str]] = set()
    stack: list[Any] = [cycle.get("x-evidence") for cycle in record.get("cycles", [])]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if "path" in item and "kind" in item:
                found.add((item["kind"], item.get("namespace", ""), item.get("name", ""), item["path"]))
            else:
                stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return found
