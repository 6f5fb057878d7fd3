"""Virtual time. Nothing in the engine reads the wall clock."""

from __future__ import annotations


class Clock:
    """Seconds since the start of the run; moves only when told to."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = 0.0

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self.now += seconds
