"""Runs by the hash of their text: the same text is run once, and walking through its phases runs nothing again."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from functools import cache as cache_once
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from django.core.cache import BaseCache, InvalidCacheBackendError, caches

from scheduler_lab import share
from scheduler_lab.outcome import RunOutcome, decode
from scheduler_lab.runner import NOBODY, Watcher, fixes_of, measure, run_text

KEEP_SECONDS = 7 * 24 * 3600
LARGEST_KEPT = 16 << 20
MOST_DECODED = 16
LARGEST_DECODED = 128 << 10
"""Packed bytes of an outcome up to which this process remembers it decoded."""
CODE = Path(__file__).resolve().parent
FIX_SECONDS = 6.0
"""How long a worker may look for what would fix a pod."""


@dataclass(frozen=True)
class Run:
    """A text and what came out of it."""

    digest: str
    text: str
    outcome: RunOutcome


@cache_once
def edition() -> str:
    """A digest of the code that makes records: what another edition of the engine left in the cache is not read."""
    code = hashlib.sha256()
    for path in (CODE / "outcome.py", CODE / "simulation.py", *sorted((CODE / "engine").rglob("*.py"))):
        code.update(path.read_bytes())
    return code.hexdigest()[:16]


def cache() -> BaseCache:
    """Where runs and jobs are kept for every process of the site."""
    try:
        return caches["runs"]
    except InvalidCacheBackendError:
        return caches["default"]


def perform(text: str, watcher: Watcher = NOBODY) -> Run:
    """Run a text, or take the outcome that the same text had before."""
    digest = share.digest(text)
    if (known := kept(digest, text)) is not None:
        return known
    outcome = run_text(text, watcher=watcher)
    keep_text(digest, text)
    if not outcome.stopped:
        _store(f"lab-run:{edition()}:{digest}", outcome)
    return Run(digest, text, outcome)


def kept(digest: str, text: str) -> Run | None:
    """The run of a text that was run before, None when it was not or is forgotten."""
    outcome = _kept_outcome(digest)
    return Run(digest, text, outcome) if outcome is not None else None


def find(digest: str) -> Run | None:
    """The run of a text known by its hash: run lately, or shared. None when the text is not known any more."""
    text = text_of(digest)
    if text is None:
        return None
    outcome = _kept_outcome(digest)
    return Run(digest, text, outcome) if outcome is not None else perform(text)


def text_of(digest: str) -> str | None:
    """The text with this hash, from the recent runs or the shared texts."""
    packed = cache().get(f"lab-text:{digest}")
    return zlib.decompress(packed).decode() if packed is not None else share.load(digest)


def evidence_for(run: Run, target: list[Any], *, only_kept: bool = False) -> RunOutcome | None:
    """Run again for the evidence of one cycle: [cycle index, node name or None for every node].

    With `only_kept`, None unless somebody has asked for the same before.
    """
    key = f"lab-evidence:{edition()}:{run.digest}:{share.digest(repr(target))}"
    packed = cache().get(key)
    if packed is not None:
        return _decoded(packed)
    if only_kept:
        return None
    outcome = run_text(run.text, evidence=target)
    if not outcome.stopped:
        _store(key, outcome)
    return outcome


def fixes_for(run: Run, pod: str) -> RunOutcome:
    """What would fix a pod of a run, searched once; `suggestions` as explain.fixes gives them."""
    key = f"lab-fixes:{edition()}:{run.digest}:{share.digest(pod)}"
    packed = cache().get(key)
    if packed is not None:
        return _decoded(packed)
    outcome = fixes_of(run.text, pod, seconds=FIX_SECONDS)
    if not outcome.stopped:
        _store(key, outcome)
    return outcome


def measured_for(run: Run) -> RunOutcome:
    """The metrics of a run and the times of its events, in `measured`; gathered once."""
    key = f"lab-measured:{edition()}:{run.digest}"
    packed = cache().get(key)
    if packed is not None:
        return _decoded(packed)
    outcome = measure(run.text)
    if not outcome.stopped:
        _store(key, outcome)
    return outcome


def record_json(run: Run) -> bytes:
    """The record as the command line prints it: sorted keys, one line."""
    return msgspec.json.encode(run.outcome.record, order="deterministic") + b"\n"


def _kept_outcome(digest: str) -> RunOutcome | None:
    packed = cache().get(f"lab-run:{edition()}:{digest}")
    return _decoded(packed) if packed is not None else None


@lru_cache(maxsize=MOST_DECODED)
def _remembered(packed: bytes) -> RunOutcome:
    return decode(zlib.decompress(packed))


def _decoded(packed: bytes) -> RunOutcome:
    """The outcome; a small one that was decoded lately is the same object again, and nobody changes it."""
    return _remembered(packed) if len(packed) <= LARGEST_DECODED else decode(zlib.decompress(packed))


def keep_text(digest: str, text: str) -> None:
    """Remember a text under its hash."""
    cache().set(f"lab-text:{digest}", zlib.compress(text.encode("utf-8", "replace"), 1), KEEP_SECONDS)


def _store(key: str, outcome: RunOutcome) -> None:
    packed = zlib.compress(msgspec.json.encode(outcome), 1)
    if len(packed) <= LARGEST_KEPT:
        cache().set(key, packed, KEEP_SECONDS)
