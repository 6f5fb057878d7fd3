"""The same text gives the same bytes in every process: no set's order may leak into a record."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """
import hashlib, pathlib, sys
from scheduler_lab.engine import ALL, run_text
for folder in sys.argv[1:]:
    for path in sorted(pathlib.Path(folder).glob("*.yaml")):
        print(path.name, hashlib.sha256(run_text(path.read_text(), ALL).to_json()).hexdigest())
"""
FOLDERS = [ROOT / "scheduler_lab" / "examples", *(ROOT / "tests/data/conformance" / name for name in ("basics", "dra"))]


def digests(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, *map(str, FOLDERS)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_records_do_not_depend_on_the_order_of_sets() -> None:
    first = digests("1")
    assert first.count("\n") > 40
    for seed in ("2", "3"):
        assert digests(seed) == first
