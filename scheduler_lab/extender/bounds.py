"""How much the endpoint does at a time, so that a scheduler gone wild leaves the site to its readers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

AT_ONCE = 4
"""Calls that one process answers at one time."""
WAIT_SECONDS = 2.0
"""How long a call waits for its turn."""
_turns = threading.BoundedSemaphore(AT_ONCE)


class Rate:
    """Counts calls by caller in windows of a second; forgets a window when the next begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._second = -1
        self._counts: dict[str, int] = {}

    def allows(self, caller: str, now: float | None = None) -> bool:
        """Whether one more call of this caller is within the setting EXTENDER_CALLS_PER_SECOND."""
        second = int(time.monotonic() if now is None else now)
        with self._lock:
            if second != self._second:
                self._second, self._counts = second, {}
            count = self._counts[caller] = self._counts.get(caller, 0) + 1
        return count <= int(settings.EXTENDER_CALLS_PER_SECOND)


rate = Rate()


@contextmanager
def turn() -> Iterator[bool]:
    """Wait for a turn; False when none came in time."""
    taken = _turns.acquire(timeout=WAIT_SECONDS)
    try:
        yield taken
    finally:
        if taken:
            _turns.release()
