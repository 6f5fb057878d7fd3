"""Objects as they will be once a binding cycle has written them (kube-scheduler v1.35, assume cache)."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.cluster.store import Store


class AssumedObjects:
    """The API server's objects of one kind with the changes that one profile's pods have reserved.

    A change is assumed until it is restored or the object itself changes: then the API server's word counts, even
    where that loses a reservation.
    """

    def __init__(self, store: Store, kind: str) -> None:
        self._store = store
        self._kind = kind
        self._assumed: dict[tuple[str, str], tuple[Any, Any]] = {}

    def get(self, namespace: str, name: str) -> Any | None:
        """The object with its assumed changes, or None."""
        return self._latest(self._store.get(self._kind, namespace, name))

    def list(self) -> list[Any]:
        """All objects with their assumed changes, oldest first."""
        return [self._latest(current) for current in self._store.list(self._kind)]

    def _latest(self, current: Any | None) -> Any | None:
        if current is None or not self._assumed:
            return current
        key = (current.metadata.namespace, current.metadata.name)
        entry = self._assumed.get(key)
        if entry is None:
            return current
        if entry[0] != current:
            del self._assumed[key]
            return current
        return entry[1]

    def assume(self, changed: Any) -> None:
        """From now on `changed` stands for the API server's object of that name."""
        meta = changed.metadata
        current = self._store.get(self._kind, meta.namespace, meta.name)
        self._assumed[meta.namespace, meta.name] = (current, changed)

    def restore(self, named: Any) -> None:
        """Back to what the API server has."""
        self._assumed.pop((named.metadata.namespace, named.metadata.name), None)
