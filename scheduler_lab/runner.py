"""Runs a text in a bounded worker process: its time, memory, result size and number at once are limited.

Workers are processes of their own, started with an exec (safe under threads), kept warm between runs, killed when
a run passes its limit. `run_text` never raises for what a learner typed.
"""

from __future__ import annotations

import atexit
import logging
import os
import selectors
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings

from scheduler_lab.outcome import RunOutcome, Stop, decode
from scheduler_lab.worker import ANSWER, HEADER, READY, Request

logger = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parent.parent
STARTUP_SECONDS = 30.0
RUNS_PER_WORKER = 500
CHUNK = 1 << 20
LOOK_SECONDS = 0.2
"""How often a run looks whether somebody has cancelled it."""


class Watcher:
    """Who waits for a run: is told how far it has come, and may end it."""

    def progress(self, state: dict[str, Any]) -> None:
        """`state` as progress.Progress.state."""

    def cancelled(self) -> bool:
        """Whether the run is not wanted any more."""
        return False


NOBODY = Watcher()


@dataclass(frozen=True)
class Limits:
    """Bounds of one run: wall-clock seconds, bytes of address space, bytes of the result."""

    seconds: float = 20.0
    memory: int = 2 << 30
    result: int = 48 << 20
    wait: float = 10.0


class RunStopped(Exception):
    """A run ended without an answer; `reason` says which limit did it."""

    def __init__(self, reason: Stop) -> None:
        super().__init__(reason)
        self.reason: Stop = reason


class Worker:
    """One worker process and the pipes to it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.runs = 0
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scheduler_lab.worker", str(limits.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            start_new_session=True,
            bufsize=0,
        )
        assert self.process.stdin and self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.stdout, selectors.EVENT_READ)
        try:
            self._read(len(READY), time.monotonic() + STARTUP_SECONDS)
        except RunStopped:
            self.close()
            raise

    def run(self, request: bytes, watcher: Watcher = NOBODY) -> bytes:
        """Send one request and return its answer; raises RunStopped. The worker is of no use after that."""
        self.runs += 1
        try:
            self._write(HEADER.pack(ANSWER, len(request)) + request)
        except OSError:
            raise RunStopped("crashed") from None
        deadline = time.monotonic() + self.limits.seconds
        while True:
            kind, size = HEADER.unpack(self._read(HEADER.size, deadline, watcher))
            if size > self.limits.result:
                raise RunStopped("size")
            data = self._read(size, deadline + 5, watcher)
            if kind == ANSWER:
                return data
            watcher.progress(msgspec.json.decode(data))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self.stdin.fileno(), view) :]

    def _read(self, size: int, deadline: float, watcher: Watcher = NOBODY) -> bytes:
        parts, missing = [], size
        while missing:
            left = max(0.0, deadline - time.monotonic())
            if not self._selector.select(min(left, LOOK_SECONDS)):
                if watcher.cancelled():
                    raise RunStopped("cancelled")
                if left <= LOOK_SECONDS:
                    raise RunStopped("time")
                continue
            part = os.read(self.stdout.fileno(), min(missing, CHUNK))
            if not part:
                raise RunStopped("crashed")
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        self._selector.close()
        self.process.kill()
        self.process.wait()
        self.stdin.close()
        self.stdout.close()


class Pool:
    """Up to `size` workers; a run waits for a free one and gives up as "busy" after `limits.wait` seconds."""

    def __init__(self, size: int) -> None:
        self._free = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._pid = os.getpid()

    def run(self, request: bytes, limits: Limits, watcher: Watcher = NOBODY) -> bytes:
        """The worker's answer; raises RunStopped."""
        if not self._free.acquire(timeout=limits.wait):
            raise RunStopped("busy")
        try:
            worker = self._take(limits)
            try:
                answer = worker.run(request, watcher)
            except BaseException:
                worker.close()
                raise
            self._give_back(worker)
            return answer
        finally:
            self._free.release()

    def _take(self, limits: Limits) -> Worker:
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                return Worker(limits)
            if worker.limits.memory == limits.memory and worker.process.poll() is None:
                worker.limits = limits
                return worker
            worker.close()

    def _give_back(self, worker: Worker) -> None:
        if worker.runs >= RUNS_PER_WORKER:
            worker.close()
            return
        with self._lock:
            self._idle.append(worker)

    def warm(self, limits: Limits) -> None:
        """Start a worker in the background unless one is there, so that the first run does not wait for it."""
        with self._lock:
            if self._idle or not self._free.acquire(blocking=False):
                return

        def start() -> None:
            try:
                self._give_back(Worker(limits))
            except (OSError, RunStopped):
                logger.exception("No worker could be started")
            finally:
                self._free.release()

        threading.Thread(target=start, daemon=True).start()

    def close(self) -> None:
        if self._pid != os.getpid():
            return
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()


_pools: dict[int, Pool] = {}
_pools_lock = threading.Lock()


def _pool() -> Pool:
    # Keyed by process: a server that forks after import must not share pipes with its parent.
    with _pools_lock:
        pool = _pools.get(os.getpid())
        if pool is None:
            pool = _pools[os.getpid()] = Pool(getattr(settings, "LAB_WORKERS", 2))
            atexit.register(pool.close)
        return pool


def site_limits() -> Limits:
    """The limits of this site: `LAB_RUN_SECONDS` and `LAB_RUN_MEMORY` (bytes) of the settings, where set."""
    return replace(
        Limits(),
        seconds=float(getattr(settings, "LAB_RUN_SECONDS", Limits.seconds)),
        memory=int(getattr(settings, "LAB_RUN_MEMORY", Limits.memory)),
    )


def warm() -> None:
    """Have a worker ready for the run that a page is about to ask for."""
    _pool().warm(site_limits())


def run_text(
    text: str, *, evidence: str | list[Any] = "auto", limits: Limits | None = None, watcher: Watcher = NOBODY
) -> RunOutcome:
    """Run a text in a worker.

    Returns the outcome with its record, or with the problems that kept it from running, or with `stopped` set:
    "time", "memory", "size" (the record is too large), "crashed" (a bug in the engine), "busy" (every worker is
    taken) or "cancelled" (by the watcher). `evidence` as in simulation.simulate.
    """
    return _ask(Request(text=_sendable(text), evidence=evidence), limits or site_limits(), watcher)


def fixes_of(text: str, pod: str, *, seconds: float, limits: Limits | None = None) -> RunOutcome:
    """What would fix a pod, in `suggestions`: the search takes at most about that many seconds in a worker."""
    return _ask(Request(text=_sendable(text), fixes=pod, seconds=seconds), limits or site_limits(), NOBODY)


def measure(text: str, *, limits: Limits | None = None) -> RunOutcome:
    """The metrics of a run of the text and the times of its events, in `measured`."""
    return _ask(Request(text=_sendable(text), measure=True), limits or site_limits(), NOBODY)


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _ask(request: Request, limits: Limits, watcher: Watcher) -> RunOutcome:
    began = time.monotonic()
    try:
        answer = _pool().run(msgspec.json.encode(request), limits, watcher)
    except RunStopped as stop:
        return RunOutcome(stopped=stop.reason, seconds=time.monotonic() - began)
    outcome = decode(answer)
    if outcome.stopped == "crashed":
        detail = msgspec.json.decode(answer).get("detail", "")
        logger.error("The engine failed on a text of %d characters:\n%s", len(request.text), detail)
    return outcome
