"""Objects by kind and name, and who is told when they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from scheduler_lab.engine.objects.registry import stored_kind

Listener = Callable[[str, Any, Any], None]
"""(kind, old object or None, new object or None), called after the store has changed."""


class Store:
    """The API server's objects, in order of creation within a kind.

    Objects are immutable: an update puts a new one in the old one's place. Listeners hear of every change at
    once and in order, as one informer would.
    """

    def __init__(self) -> None:
        self._objects: dict[str, dict[tuple[str, str], Any]] = {}
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` on every later change."""
        self._listeners.append(listener)

    def get(self, kind: str, namespace: str, name: str) -> Any | None:
        """The object, or None. `namespace` is "" for cluster-scoped kinds."""
        return self._objects.get(kind, {}).get((namespace, name))

    def list(self, kind: str) -> list[Any]:
        """All objects of a kind, oldest first."""
        return list(self._objects.get(kind, {}).values())

    def put(self, obj: Any) -> None:
        """Create or replace an object and tell the listeners."""
        kind = stored_kind(obj.kind, obj.api_version)
        key = (obj.metadata.namespace, obj.metadata.name)
        objects = self._objects.setdefault(kind, {})
        old = objects.get(key)
        objects[key] = obj
        self._tell(kind, old, obj)

    def delete(self, kind: str, namespace: str, name: str) -> Any | None:
        """Remove an object and tell the listeners; the object, or None if there was none."""
        old = self._objects.get(kind, {}).pop((namespace, name), None)
        if old is not None:
            self._tell(kind, old, None)
        return old

    def kinds(self) -> Iterable[str]:
        """Kinds that have or had objects."""
        return self._objects.keys()

    def _tell(self, kind: str, old: Any, new: Any) -> None:
        for listener in self._listeners:
            listener(kind, old, new)
