"""What plugins remember during one scheduling cycle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Clonable(Protocol):
    """State that a dry run may change must copy itself."""

    def clone(self) -> Any:
        """An independent copy."""
        ...


class CycleState:
    """Plugin data of one cycle by key, plus which plugins PreFilter and PreScore told to skip.

    `clone` copies each value through its own `clone`, as preemption's dry runs and the pass with
    nominated pods need it (kube-scheduler v1.35, `CycleState.Clone`).
    """

    __slots__ = ("_data", "read", "skip_filter", "skip_score", "skip_pre_bind")

    read: Callable[[str], Any | None]
    """The value written under a key, or None. The dict's own method: plugins read for every node."""

    def __init__(self, data: dict[str, Any] | None = None) -> None:
        self._data: dict[str, Any] = {} if data is None else data
        self.read = self._data.get
        self.skip_filter: frozenset[str] = frozenset()
        self.skip_score: frozenset[str] = frozenset()
        self.skip_pre_bind: frozenset[str] = frozenset()

    def write(self, key: str, value: Clonable) -> None:
        """Remember `value` until the cycle ends."""
        self._data[key] = value

    def delete(self, key: str) -> None:
        """Forget what was written under `key`."""
        self._data.pop(key, None)

    def clone(self) -> CycleState:
        """A copy whose values may change independently."""
        copy = CycleState({key: value.clone() for key, value in self._data.items()})
        copy.skip_filter = self.skip_filter
        copy.skip_score = self.skip_score
        copy.skip_pre_bind = self.skip_pre_bind
        return copy
