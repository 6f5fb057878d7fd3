"""Every recorded verdict of the real kube-scheduler v1.35.4, whole records compared, one test a case."""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler_lab.engine import run_text

DATA = Path(__file__).resolve().parent.parent / "data"
FOLDERS = sorted(p for p in (DATA / "conformance").iterdir() if p.is_dir() and any(p.glob("*.json")))


def _differences() -> Any:
    spec = importlib.util.spec_from_file_location("compare", DATA / "conformance" / "compare.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.differences


differences = _differences()


def _files() -> Iterator[Any]:
    for folder in (*FOLDERS, DATA / "cases"):
        for source in sorted(folder.glob("*.yaml")):
            record = source.with_suffix(".json")
            if record.exists():
                yield pytest.param(source, record, id=f"{folder.name}/{source.stem}")


def _rows() -> Iterator[Any]:
    for path in sorted((DATA / "conformance" / "random").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield pytest.param(row["input"], row["record"], id=f"random/{row['name']}")


def check(text: str, expected: dict[str, Any]) -> None:
    found = differences(expected, json.loads(run_text(text).to_json()))
    assert not found, "\n".join(found[:20])


@pytest.mark.parametrize(("source", "record"), list(_files()))
def test_case(source: Path, record: Path) -> None:
    check(source.read_text(encoding="utf-8"), json.loads(record.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("text", "record"), list(_rows()))
def test_random_cluster(text: str, record: dict[str, Any]) -> None:
    check(text, record)
