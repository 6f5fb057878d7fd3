"""A run's own process: reads requests on standard input, answers on standard output, ends with its parent.

Both ways a message is eight bytes of length and that many bytes of JSON. The process never imports Django, so it
starts fast and holds nothing that belongs to the site.
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
from typing import Any, BinaryIO

import msgspec

HEADER = struct.Struct(">Q")
READY = b"ready\n"


class Request(msgspec.Struct):
    """One run to do. `evidence` as in simulation.simulate."""

    text: str
    evidence: str | list[Any] = "auto"


class Answer(msgspec.Struct, omit_defaults=True):
    """RunOutcome as the worker writes it: the record stays the engine's own bytes."""

    record: msgspec.Raw | None = None
    problems: list[Any] = []
    lines: dict[str, int] = {}
    stopped: str | None = None
    seconds: float = 0.0
    detail: str = ""


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next message, or None when the other side is gone."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size = HEADER.unpack(header)[0]
    data = stream.read(size)
    return data if len(data) == size else None


def answer(request: Request) -> Answer:
    """Run the text; a limit or an engine bug becomes an answer, never an exception."""
    from scheduler_lab.engine.manifests import PASTED
    from scheduler_lab.simulation import simulate  # the engine's import belongs to the measured, limited part

    began = time.perf_counter()
    try:
        done = simulate(request.text, evidence=request.evidence, limits=PASTED)
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


def main() -> None:
    """Serve runs until standard input closes. Argument: the address-space limit in bytes."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    import scheduler_lab.simulation  # noqa: F401 - warm before the first request

    _limit_memory(int(sys.argv[1]))
    answers.write(READY)
    answers.flush()
    while (data := read_frame(requests)) is not None:
        try:
            out = msgspec.json.encode(answer(msgspec.json.decode(data, type=Request)))
        except MemoryError:
            out = msgspec.json.encode(Answer(stopped="memory"))
        answers.write(HEADER.pack(len(out)))
        answers.write(out)
        answers.flush()
        del data, out


if __name__ == "__main__":
    main()
