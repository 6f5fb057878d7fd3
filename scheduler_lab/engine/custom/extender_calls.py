"""Calls to extenders as the record keeps them: `extenders` as the conformance cases do, `x-calls` with the JSON.

`x-calls` has every call that the scheduler tried, in order, as {extender, role, verb, url, timeout, asked}, `asked`
being the number of nodes it was about, and where they apply: `entry` (index of the same call in `extenders`),
`status` (of the reply), `error` (what the scheduler's HTTP client made of it), `ignored` (the error ended nothing),
`seconds` (how long the call took), `unscripted` (no document answers for the host), and in explained cycles
`request`, `response` and `omitted`, how many nodes of a long list the two leave out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from scheduler_lab.engine.custom.extender_wire import Reply
from scheduler_lab.engine.record import Cycle

MOST_NODES = 25
"""Whole nodes that a recorded request shows."""
MOST_NAMES = 250
"""Names of nodes that a recorded request shows."""
LARGEST = 8 << 20
"""Bytes of JSON that one run records for its calls."""

Json = dict[str, Any]


class CallLog:
    """Writes calls into cycles, and their JSON into those that are explained, while there is room."""

    def __init__(self) -> None:
        self._explained: set[int] = set()
        self._room = LARGEST

    def explain(self, cycle: Cycle) -> None:
        """Record the JSON of the calls of a cycle."""
        # The scheduler keeps every cycle, so an id stays that of its cycle.
        self._explained.add(id(cycle))

    def exchange(self, cycle: Cycle | None, call: Json, make: Callable[[], tuple[Json, Reply, int]]) -> None:
        """Add request and response to a call; `make` gives them with the number of nodes they leave out."""
        if id(cycle) not in self._explained or self._room <= 0:
            return
        request, reply, omitted = make()
        sent, received = msgspec.json.encode(request), msgspec.json.encode(reply.body)
        self._room -= len(sent) + len(received)
        if self._room <= 0:
            return
        call["request"], call["response"] = msgspec.Raw(sent), msgspec.Raw(received)
        if omitted:
            call["omitted"] = omitted
