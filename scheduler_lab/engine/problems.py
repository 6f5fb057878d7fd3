"""What a run could not do as asked, told without ending it."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.registry import is_namespaced

REFUSED = N_("The API server refuses %(kind)s %(name)s: %(message)s")


class Problems:
    """Collects the entries of the record's `x-problems`, each once."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self._entries = entries

    def add(self, template: str, about: KubeObject, **params: str | int) -> None:
        """Tell of a problem with an object; `template` is marked for translation where it is defined."""
        entry = {
            "message": {"template": template, "params": params},
            "kind": about.kind,
            "namespace": _namespace(about),
            "name": about.metadata.name,
        }
        if entry not in self._entries:
            self._entries.append(entry)

    def refused(self, obj: KubeObject, message: str) -> None:
        """The API server would not store the object."""
        namespace, name = _namespace(obj), obj.metadata.name
        self.add(REFUSED, obj, kind=obj.kind, name=f"{namespace}/{name}" if namespace else name, message=message)


def _namespace(obj: KubeObject) -> str:
    return (obj.metadata.namespace or "default") if is_namespaced(obj.kind) else ""
