"""Large inputs: the engine filters, scores and places as the real scheduler did."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from scheduler_lab.engine import load, run
from scheduler_lab.engine.manifests import FILES

BENCH = Path(__file__).resolve().parent.parent / "data" / "conformance" / "bench"


@pytest.mark.parametrize("placements", sorted(BENCH.glob("*.placements.json.gz")), ids=lambda path: path.name)
def test_placements(placements: Path) -> None:
    source = placements.with_name(placements.name.replace(".placements.json.gz", ".yaml.gz"))
    manifest = load(gzip.decompress(source.read_bytes()).decode(), FILES)
    assert not manifest.has_errors
    expected = json.loads(gzip.decompress(placements.read_bytes()))
    found = [
        {
            "pod": cycle.pod,
            "filtered": len(cycle.filter),
            "scored": len(cycle.totals),
            "total": cycle.totals.get(cycle.result.node if cycle.result else "", 0),
            "node": cycle.result.node if cycle.result else "",
        }
        for cycle in run(manifest).cycles
    ]
    assert found == [
        {
            "pod": row["pod"],
            "filtered": row["filtered"],
            "scored": row.get("scored", 0),
            "total": row.get("total", 0),
            "node": row["result"].get("node", ""),
        }
        for row in expected
    ]
