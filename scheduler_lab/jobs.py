"""Runs that take longer than a page should wait: a thread waits for the worker, pages ask how far it has come.

A job is a few values in the cache that every process of the site shares; nothing of it is in a session.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any

from scheduler_lab import runs, share
from scheduler_lab.outcome import RunOutcome, Stop
from scheduler_lab.runner import Watcher
from scheduler_lab.runs import Run

PATIENCE = 1.0
"""Seconds that an answer waits for the run before it shows progress instead."""

KEEP_SECONDS = 3600


@dataclass(frozen=True)
class Job:
    """A run that goes on: since when (seconds since the epoch), how far it has come, and how it ended."""

    ident: str
    digest: str
    began: float
    state: dict[str, Any] = field(default_factory=dict)
    over: bool = False
    stopped: Stop | None = None

    @property
    def seconds(self) -> int:
        """Whole seconds since it began."""
        return max(0, int(time.time() - self.began))

    @property
    def stage(self) -> str:
        """As progress.Stage; a job that waits for a worker is about to read."""
        return str(self.state.get("stage", "read"))

    @property
    def nodes(self) -> int:
        return int(self.state.get("nodes", 0))

    @property
    def pods(self) -> int:
        return int(self.state.get("pods", 0))

    @property
    def cycles(self) -> int:
        """Cycles made so far."""
        return int(self.state.get("cycles", 0))


class _Reporter(Watcher):
    """Keeps a job's progress where other requests see it, and hears of its cancellation."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def progress(self, state: dict[str, Any]) -> None:
        _keep(self._job, state=state)

    def cancelled(self) -> bool:
        return bool(runs.cache().get(f"lab-cancel:{self._job.ident}"))


def begin(text: str, patience: float = PATIENCE) -> Run | Job:
    """Run a text: the finished run if that takes no longer than `patience` seconds, else the job it has become."""
    digest = share.digest(text)
    if (kept := runs.kept(digest, text)) is not None:
        return kept
    runs.keep_text(digest, text)
    job = Job(secrets.token_urlsafe(16)[: share.DIGEST_LENGTH], digest, time.time())
    _keep(job)
    done: list[Run] = []

    def work() -> None:
        stopped: Stop | None = "crashed"
        try:
            done.append(runs.perform(text, watcher=_Reporter(job)))
            stopped = done[0].outcome.stopped
        finally:
            _keep(job, over=True, stopped=stopped)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(patience)
    return done[0] if done else job


def find(ident: str) -> Job | None:
    """The job of that name, None when it is not known (any more)."""
    known = runs.cache().get(f"lab-job:{ident}")
    return Job(**known) if known else None


def finish(text: str) -> Run:
    """Run a text and wait for it."""
    return runs.perform(text)


def cancelled(job: Job) -> Job:
    """The job as it is once its worker has noticed."""
    return replace(job, over=True, stopped="cancelled")


def cancel(ident: str) -> None:
    """End a job; its worker notices within a fraction of a second."""
    runs.cache().set(f"lab-cancel:{ident}", True, KEEP_SECONDS)


def result(job: Job) -> Run | None:
    """The run that a job has become: finished, or ended by a limit or by hand."""
    text = runs.text_of(job.digest)
    if text is None:
        return None
    if job.stopped is not None:
        return Run(job.digest, text, RunOutcome(stopped=job.stopped))
    return runs.find(job.digest)


def _keep(job: Job, *, state: dict[str, Any] | None = None, over: bool = False, stopped: Stop | None = None) -> None:
    values = {
        "ident": job.ident,
        "digest": job.digest,
        "began": job.began,
        "state": state or {},
        "over": over,
        "stopped": stopped,
    }
    runs.cache().set(f"lab-job:{job.ident}", values, KEEP_SECONDS)
