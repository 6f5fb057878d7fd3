"""Runs by the hash of their text: the same text is run once, and walking through its phases runs nothing again."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import msgspec
from django.core.cache import BaseCache, InvalidCacheBackendError, caches

from scheduler_lab import share
from scheduler_lab.outcome import RunOutcome, decode
from scheduler_lab.runner import run_text

KEEP_SECONDS = 7 * 24 * 3600
LARGEST_KEPT = 8 << 20


@dataclass(frozen=True)
class Run:
    """A text and what came out of it."""

    digest: str
    text: str
    outcome: RunOutcome


def _cache() -> BaseCache:
    try:
        return caches["runs"]
    except InvalidCacheBackendError:
        return caches["default"]


def perform(text: str) -> Run:
    """Run a text, or take the outcome that the same text had before."""
    digest = share.digest(text)
    kept = _kept_outcome(digest)
    if kept is not None:
        return Run(digest, text, kept)
    outcome = run_text(text)
    _keep(digest, text, outcome)
    return Run(digest, text, outcome)


def find(digest: str) -> Run | None:
    """The run of a text known by its hash: run lately, or shared. None when the text is not known any more."""
    text = text_of(digest)
    if text is None:
        return None
    outcome = _kept_outcome(digest)
    return Run(digest, text, outcome) if outcome is not None else perform(text)


def text_of(digest: str) -> str | None:
    """The text with this hash, from the recent runs or the shared texts."""
    packed = _cache().get(f"lab-text:{digest}")
    return zlib.decompress(packed).decode() if packed is not None else share.load(digest)


def evidence_for(run: Run, target: list[Any]) -> RunOutcome:
    """Run again for the evidence of one cycle: [cycle index, node name or None for every node]."""
    key = f"lab-evidence:{run.digest}:{share.digest(repr(target))}"
    packed = _cache().get(key)
    if packed is not None:
        return decode(zlib.decompress(packed))
    outcome = run_text(run.text, evidence=target)
    if not outcome.stopped:
        _store(key, outcome)
    return outcome


def record_json(run: Run) -> bytes:
    """The record as the command line prints it: sorted keys, one line."""
    return msgspec.json.encode(run.outcome.record, order="deterministic") + b"\n"


def _kept_outcome(digest: str) -> RunOutcome | None:
    packed = _cache().get(f"lab-run:{digest}")
    return decode(zlib.decompress(packed)) if packed is not None else None


def _keep(digest: str, text: str, outcome: RunOutcome) -> None:
    _cache().set(f"lab-text:{digest}", zlib.compress(text.encode(), 1), KEEP_SECONDS)
    if not outcome.stopped:
        _store(f"lab-run:{digest}", outcome)


def _store(key: str, outcome: RunOutcome) -> None:
    packed = zlib.compress(msgspec.json.encode(outcome), 1)
    if len(packed) <= LARGEST_KEPT:
        _cache().set(key, packed, KEEP_SECONDS)
