"""The garbage collector's part: what belongs to a deleted owner or namespace goes with it."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.cluster.api_server import APIServer


class GarbageCollector:
    """Collects deletions as they happen and clears up when asked, so that no deletion runs inside another."""

    def __init__(self, api_server: APIServer) -> None:
        self._api_server = api_server
        self._owners: list[str] = []
        self._namespaces: list[str] = []

    def owner_deleted(self, obj: Any) -> None:
        """Remember an object whose dependents are to go."""
        self._owners.append(obj.metadata.uid)

    def namespace_deleted(self, name: str) -> None:
        """Remember a namespace whose content is to go."""
        self._namespaces.append(name)

    def collect(self) -> None:
        """Delete the dependents of what was deleted, and theirs."""
        while self._owners or self._namespaces:
            namespaces, owners = self._namespaces, self._owners
            self._namespaces, self._owners = [], []
            store = self._api_server.store
            for kind in list(store.kinds()):
                for obj in store.list(kind):
                    meta = obj.metadata
                    if meta.namespace in namespaces or any(_only_owner(obj, uid) for uid in owners):
                        self._api_server.delete(kind, meta.namespace, meta.name)


def _only_owner(obj: Any, uid: str) -> bool:
    references = obj.metadata.owner_references
    return bool(uid) and bool(references) and all(reference.uid == uid for reference in references)
