"""What a run could not do as asked, told without ending it."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.objects.meta import KubeObject

REFUSED = N_("The API server refuses %(kind)s %(name)s: %(message)s")


class Problems:
    """Collects the entries of the record's `x-problems`, each once."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self._entries = entries

    def add(self, template: str, about: KubeObject, **params: str | int) -> None:
        """Tell of a problem with an object; `template` is marked for translation where it is defined."""
        meta = about.metadata
        entry = {
            "message": {"template": template, "params": params},
            "kind": about.kind,
            "namespace": meta.namespace,
            "name": meta.name,
        }
        if entry not in self._entries:
            self._entries.append(entry)

    def refused(self, obj: KubeObject, message: str) -> None:
        """The API server would not store the object."""
        self.add(REFUSED, obj, kind=obj.kind, name=obj.key, message=message)
