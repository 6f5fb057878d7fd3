"""What came out of one run, in the shape that travels between the worker, the cache and the pages."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from scheduler_lab.engine.metrics.families import Measurement

LARGEST_FILE = 40_000_000
"""Characters of the longest text that the lab runs; a pasted one is bounded by DATA_UPLOAD_MAX_MEMORY_SIZE besides."""

Stop = Literal["time", "memory", "size", "crashed", "busy", "cancelled"]


class RunProblem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sentence about the input. `line` and `column` count from 1; 0 means the text as a whole."""

    severity: Literal["error", "refused", "warning"]
    message: str
    document: int = 0
    line: int = 0
    column: int = 0
    path: str = ""
    suggestion: str = ""
    template: str = ""
    params: dict[str, str | int] = {}


class RunOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run's record, or why there is none.

    `record` is the engine's record as JSON data; `lines` maps `kind/namespace/name/path` of every field that the
    evidence marks to its line; `stopped` says which limit ended the run; `seconds` is the time it took.
    `suggestions` is there when fixes were asked for instead of a run, `measured` when its metrics were.
    """

    record: dict[str, Any] | None = None
    problems: list[RunProblem] = []
    lines: dict[str, int] = {}
    stopped: Stop | None = None
    seconds: float = 0.0
    suggestions: dict[str, Any] | None = None
    measured: Measurement | None = None

    @property
    def errors(self) -> list[RunProblem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    @property
    def warnings(self) -> list[RunProblem]:
        return [problem for problem in self.problems if problem.severity != "error"]


def mark_key(kind: str, namespace: str, name: str, path: str) -> str:
    """The key of `RunOutcome.lines` for one field of an object."""
    return f"{kind}/{namespace}/{name}/{path}"


_decoder = msgspec.json.Decoder(RunOutcome)


def decode(data: bytes) -> RunOutcome:
    """The outcome that a worker sent; raises msgspec.DecodeError when it is none."""
    return _decoder.decode(data)
