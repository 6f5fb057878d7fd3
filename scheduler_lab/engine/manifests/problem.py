"""What a load has to say about the text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from scheduler_lab.engine.manifests import messages

Severity = Literal["error", "refused", "warning"]
"""What stops a run, what a real API server would not store although the scheduler here runs it, what looks wrong."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding in a text. `line` and `column` count from 1 in the whole text, `document` from 1.

    `template` is one of the texts of `messages`, with `params` to fill in, so that a page can translate it.
    """

    severity: Severity
    template: str
    params: Mapping[str, str] = field(default_factory=dict)
    document: int = 0
    line: int = 1
    column: int = 1
    path: str = ""
    suggestion: str = ""

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.template % self.params if self.params else self.template

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}: {self.message}"


class Problems:
    """The findings of a load, in the order found; beyond the limit it is only noted that there are more."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: list[Problem] = []
        self._errors = 0
        self.dropped = False

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return len(self._items) >= self._limit

    @property
    def settled(self) -> bool:
        """Whether the limit is reached and something keeps the text from being run: nothing more can change that."""
        return self.full and self._errors > 0

    def add(self, problem: Problem) -> None:
        """Keep one more finding, unless there are too many already; the first error takes the place of another."""
        error = problem.severity == "error"
        if self.full:
            self.dropped = True
            if self._errors or not error:
                return
            self._items.pop()
        self._items.append(problem)
        self._errors += error

    def sorted(self) -> list[Problem]:
        """All kept findings by place in the text, and a last one when others are left out."""
        found = sorted(self._items, key=lambda problem: (problem.line, problem.column))
        if self.dropped:
            last = found[-1]
            left_out = {"count": str(len(found))}
            found.append(Problem("warning", messages.MORE_PROBLEMS, left_out, last.document, last.line, last.column))
        return found
