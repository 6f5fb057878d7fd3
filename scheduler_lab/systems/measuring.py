"""Measuring the cost of InterPodAffinity while a page waits: in a process of its own, one at a time, not too often."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import msgspec

from scheduler_lab import runs
from scheduler_lab.systems.cost import Cost

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60.0
KEEP_SECONDS = 60
_KEY = "systems-cost"
_one_at_a_time = threading.Lock()


def measure_now() -> list[Cost] | None:
    """The costs on this machine, or those of the last minute; None if it is busy or too slow."""
    kept = runs.cache().get(_KEY)
    if kept is not None:
        return msgspec.json.decode(kept, type=list[Cost])
    if not _one_at_a_time.acquire(blocking=False):
        return None
    try:
        command = [sys.executable, "-m", "scheduler_lab.systems.cost"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=True)
    except (subprocess.SubprocessError, OSError):
        return None
    finally:
        _one_at_a_time.release()
    runs.cache().set(_KEY, done.stdout, KEEP_SECONDS)
    return msgspec.json.decode(done.stdout, type=list[Cost])
