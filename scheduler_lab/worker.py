"""A run's own process: reads requests on standard input, answers on standard output, ends with its parent.

A message is a byte that says what it is, eight bytes of length and that many bytes of JSON. While a run goes on, the
answers are preceded by messages on how far it has come. The process never imports Django, so it starts fast and
holds nothing that belongs to the site.
"""

from __future__ import annotations

import contextlib
import os
import resource
import struct
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

HEADER = struct.Struct(">BQ")
READY = b"ready\n"
ANSWER, PROGRESS = 0, 1
REPORT_SECONDS = 0.4


class Request(msgspec.Struct):
    """One run to do. `evidence` as in simulation.simulate; with `fixes`, a pod's key, what would fix it instead.

    With `measure`, the run's metrics and the times of its events instead of its record.
    """

    text: str
    evidence: str | list[Any] = "auto"
    fixes: str = ""
    measure: bool = False
    seconds: float = 0.0


class Answer(msgspec.Struct, omit_defaults=True):
    """RunOutcome as the worker writes it: the record stays the engine's own bytes."""

    record: msgspec.Raw | None = None
    problems: list[Any] = []
    lines: dict[str, int] = {}
    stopped: str | None = None
    seconds: float = 0.0
    detail: str = ""
    suggestions: Any = None
    measured: Any = None


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next message, or None when the other side is gone."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size = HEADER.unpack(header)[1]
    data = stream.read(size)
    return data if len(data) == size else None


def answer(request: Request) -> Answer:
    """Run the text; a limit or an engine bug becomes an answer, never an exception."""
    from scheduler_lab.simulation import (  # the engine's import is measured too
        LARGE_TEXTS,
        measurement,
        simulate,
        suggestions,
    )

    began = time.perf_counter()
    try:
        if request.fixes:
            found = suggestions(request.text, request.fixes, request.seconds)
            return Answer(suggestions=found, seconds=time.perf_counter() - began)
        if request.measure:
            return Answer(measured=measurement(request.text), seconds=time.perf_counter() - began)
        done = simulate(request.text, evidence=request.evidence, limits=LARGE_TEXTS)
    except MemoryError:
        return Answer(stopped="memory", seconds=time.perf_counter() - began)
    except Exception:
        return Answer(stopped="crashed", seconds=time.perf_counter() - began, detail=traceback.format_exc(limit=-12))
    return Answer(
        record=msgspec.Raw(done.record) if done.record is not None else None,
        problems=done.problems,
        lines=done.lines,
        seconds=time.perf_counter() - began,
    )


def _limit_memory(size: int) -> None:
    # Not every system enforces an address-space limit; the time limit still holds there.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


class Answers:
    """Writes messages to the site; a report never stands inside an answer."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, kind: int, data: bytes) -> None:
        with self._lock:
            self._stream.write(HEADER.pack(kind, len(data)))
            self._stream.write(data)
            self._stream.flush()

    @contextlib.contextmanager
    def reporting(self) -> Iterator[None]:
        """Tell now and then how far the run has come, until the block ends."""
        from scheduler_lab.simulation import progress

        over = threading.Event()

        def report() -> None:
            while not over.wait(REPORT_SECONDS):
                self.write(PROGRESS, msgspec.json.encode(progress.state()))

        progress.reset()
        thread = threading.Thread(target=report, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def main() -> None:
    """Serve runs until standard input closes. Argument: the address-space limit in bytes."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    requests = sys.stdin.buffer
    stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    import scheduler_lab.simulation  # noqa: F401 - warm before the first request

    _limit_memory(int(sys.argv[1]))
    stream.write(READY)
    stream.flush()
    answers = Answers(stream)
    while (data := read_frame(requests)) is not None:
        try:
            with answers.reporting():
                out = msgspec.json.encode(answer(msgspec.json.decode(data, type=Request)))
        except MemoryError:
            out = msgspec.json.encode(Answer(stopped="memory"))
        answers.write(ANSWER, out)
        del data, out


if __name__ == "__main__":
    main()
