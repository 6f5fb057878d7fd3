"""One scheduler process's view of the API server: what its watch has told it so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.pod import Pod

POD = "Pod"
_KEPT_FIRST = "Node"


class _Held(NamedTuple):
    """A change that the process has not been told of: after how many of its own cycles it is."""

    due: int
    key: tuple[str, str]
    old: Pod | None
    new: Pod | None


class View(Store):
    """Reads as its process's listers would answer, writes to the store itself.

    What another process binds becomes visible when this one has made `lag` further cycles, or has nothing to do;
    later changes of the same pod queue up behind that. All else is seen at once, and so is the process's own doing
    (while `acting`), as its cache has assumed it.
    """

    def __init__(self, store: Store, lag: int) -> None:
        super().__init__()
        self._store = store
        self._lag = lag
        self._held: deque[_Held] = deque()
        self.acting = False
        self.cycles = 0

    # -- what the process knows ----------------------------------------------------------------------------------

    def get(self, kind: str, namespace: str, name: str) -> Any | None:
        """The object as the process knows it."""
        if kind == POD and self._held:
            for held in self._held:
                if held.key == (namespace, name):
                    return held.old
        return self._store.get(kind, namespace, name)

    def list(self, kind: str) -> list[Any]:
        """All objects of a kind as the process knows them."""
        objects = self._store.list(kind)
        if kind != POD or not self._held:
            return objects
        known: dict[tuple[str, str], Pod | None] = {}
        for held in self._held:
            known.setdefault(held.key, held.old)
        seen = {(pod.metadata.namespace, pod.metadata.name): pod for pod in objects}
        return [pod for pod in {**seen, **known}.values() if pod is not None]

    def kinds(self) -> Iterable[str]:
        """Kinds that have or had objects."""
        return self._store.kinds()

    def unseen(self) -> Iterator[tuple[str, str]]:
        """(pod, node) of the bindings that the process does not know of yet."""
        for held in self._held:
            if held.new is not None and held.new.spec.node_name and not (held.old and held.old.spec.node_name):
                yield held.new.key, held.new.spec.node_name

    # -- the watch -----------------------------------------------------------------------------------------------

    def observe(self, kind: str, old: Any, new: Any) -> None:
        """A change in the store: told at once, or held back."""
        if kind == POD and self._lag:
            meta = (new or old).metadata
            key = (meta.namespace, meta.name)
            bound = old is not None and new is not None and not old.spec.node_name and bool(new.spec.node_name)
            if any(held.key == key for held in self._held) or (bound and not self.acting):
                self._held.append(_Held(self.cycles + self._lag, key, old, new))
                return
        self._tell(kind, old, new)

    def catch_up(self, *, fully: bool = False) -> bool:
        """Tell of the changes that are due, or of all; whether there were any."""
        told = False
        while self._held and (fully or self._held[0].due <= self.cycles):
            held = self._held.popleft()
            self._tell(POD, held.old, held.new)
            told = True
        return told

    def replay(self) -> None:
        """Tell of every object as if it were new: what a process lists when it starts."""
        kinds = sorted(self._store.kinds(), key=lambda kind: (kind == POD, kind != _KEPT_FIRST))
        for kind in kinds:
            for obj in self._store.list(kind):
                self._tell(kind, None, obj)

    # -- writing -------------------------------------------------------------------------------------------------

    def put(self, obj: Any) -> None:
        """Write an object; of a pod only what the process changes, as its patches of the status do."""
        if isinstance(obj, Pod):
            name = (obj.metadata.namespace, obj.metadata.name)
            known, current = self.get(POD, *name), self._store.get(POD, *name)
            if current is None:
                return
            obj = _patched(current, known or obj, obj)
        self._store.put(obj)

    def delete(self, kind: str, namespace: str, name: str) -> Any | None:
        """Delete an object."""
        return self._store.delete(kind, namespace, name)


def _patched(current: Pod, known: Pod, wanted: Pod) -> Pod:
    """The pod with what differs between the known and the wanted status; all else stays as it is by now."""
    if current is known:
        return wanted
    changed = [condition for condition in wanted.status.conditions if condition not in known.status.conditions]
    types = {condition.type for condition in changed}
    conditions = [*(c for c in current.status.conditions if c.type not in types), *changed]
    status = replace(current.status, conditions=conditions)
    if wanted.status.nominated_node_name != known.status.nominated_node_name:
        status = replace(status, nominated_node_name=wanted.status.nominated_node_name)
    return replace(current, status=status)
