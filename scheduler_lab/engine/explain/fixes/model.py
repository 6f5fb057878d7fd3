"""A fix as data, and what the search for fixes may cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from scheduler_lab.engine.evidence import Text
from scheduler_lab.engine.explain.edits import Change, Create, Delete

Side = Literal["pod", "cluster"]

INTENDED, SMALL, RELAXED, LARGE, DRASTIC = range(5)
"""How far a fix goes: plainly what was meant; a small change; a rule made softer; a rule or a node changed; a price."""


class Hunk(msgspec.Struct, frozen=True, omit_defaults=True):
    """Lines that change: `before` from line `line` of the text on, `after` from `new_line` of the edited text on.

    Lines count from 1. `above` and `below` are the two unchanged lines around them, where there are any.
    """

    line: int
    new_line: int
    before: list[str] = []
    after: list[str] = []
    above: list[str] = []
    below: list[str] = []


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of the pod in the run with the edit: a node, or why it has none.

    `kept_out` tells that it never came to an attempt; `waiting` that it waits at Permit for `node`.
    """

    node: str = ""
    message: str = ""
    waiting: bool = False
    kept_out: bool = False


class Step(msgspec.Struct, frozen=True):
    """One edit in words: what it is, and why it helps."""

    title: Text
    why: Text


class Fix(msgspec.Struct, frozen=True, omit_defaults=True):
    """An edit of the text that was run.

    `verified`: the pod got a node. Otherwise the edit is not enough by itself and `outcome` says what stands in the
    way then. `then` are further edits that `edited_text` holds too, none of which is enough alone. `effects` are
    what the edit changes for other pods, those of `harm` of them (from the first) for the worse. `size` counts the
    lines that change.
    """

    id: str
    title: Text
    why: Text
    side: Side
    edited_text: str
    diff: list[Hunk]
    outcome: Outcome
    verified: bool
    size: int
    then: list[Step] = []
    effects: list[Text] = []
    harm: int = 0


class Suggestions(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fixes, best first. `reason` says why there is none that was verified, or that the search was cut short."""

    fixes: list[Fix] = []
    reason: Text | None = None
    runs: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Budget:
    """What a search may cost: runs of the engine, and seconds of wall-clock time."""

    runs: int = 80
    seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit worth trying: `rank` is one of INTENDED…DRASTIC, and only the best few of a `kind` are shown."""

    kind: str
    side: Side
    title: Text
    why: Text
    changes: tuple[Change, ...] = field(hash=False)
    rank: int = SMALL

    @property
    def weight(self) -> int:
        """How much it changes: fields, and objects for three."""
        return sum(3 if isinstance(change, Create | Delete) else 1 for change in self.changes)

    @property
    def key(self) -> str:
        """What tells edits apart, whoever proposed them."""
        return repr(self.changes)
