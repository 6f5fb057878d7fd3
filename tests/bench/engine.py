"""The engine alone: loading, running and printing a large input."""

from __future__ import annotations

import gzip
import json
import time
from dataclasses import dataclass
from pathlib import Path

from scheduler_lab.engine import Record, load, run
from scheduler_lab.engine.manifests import FILES, Manifest

DATA = Path(__file__).resolve().parent.parent / "data" / "conformance" / "bench"


@dataclass(frozen=True)
class EngineTimes:
    """Seconds of each part, cycles, bytes of JSON, and whether the placements are the real scheduler's."""

    load: float
    run: float
    json: float
    cycles: int
    size: int
    agrees: bool | None

    @property
    def pods_per_second(self) -> float:
        """Scheduling attempts a second, the full record kept; without loading and printing."""
        return self.cycles / self.run


def read(size: str) -> Manifest:
    """The benchmark input of that name, e.g. 1000x1000."""
    manifest = load(gzip.decompress((DATA / f"{size}.yaml.gz").read_bytes()).decode(), FILES)
    assert not manifest.has_errors
    return manifest


def measure(size: str) -> EngineTimes:
    """One run of the benchmark input."""
    start = time.perf_counter()
    manifest = read(size)
    loaded = time.perf_counter()
    record = run(manifest)
    done = time.perf_counter()
    printed = record.to_json()
    end = time.perf_counter()
    return EngineTimes(
        load=loaded - start,
        run=done - loaded,
        json=end - done,
        cycles=len(record.cycles),
        size=len(printed),
        agrees=_agrees(record, size),
    )


def _agrees(record: Record, size: str) -> bool | None:
    path = DATA / f"{size}.placements.json.gz"
    if not path.exists():
        return None
    expected = [(row["pod"], row["result"].get("node", "")) for row in json.loads(gzip.decompress(path.read_bytes()))]
    return expected == [(cycle.pod, cycle.result.node if cycle.result else "") for cycle in record.cycles]
