"""Every recorded input loads as the recorder loaded it, and every object survives the way to data and back."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler_lab.engine.manifests import Manifest, load
from scheduler_lab.engine.objects.codec import decode, to_dict
from scheduler_lab.engine.objects.raw import RawObject

DATA = Path(__file__).parents[1] / "data"
FOLDERS = sorted({path.parent for path in DATA.rglob("*.yaml")})
RANDOM = sorted(DATA.rglob("*.jsonl.gz"))

pytestmark = pytest.mark.skipif(not FOLDERS, reason="the recorded cases are not here")


def refused(record: Path) -> bool:
    return record.exists() and "scenarioError" in json.loads(record.read_text())


def check(name: str, manifest: Manifest) -> None:
    assert [str(problem) for problem in manifest.errors] == [], name
    for item in manifest.objects:
        if not isinstance(item, RawObject):
            assert decode(to_dict(item)) == item, name


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_recorded_inputs_load_without_errors(folder: Path) -> None:
    for path in sorted(folder.glob("*.yaml")):
        manifest = load(path.read_text())
        if refused(path.with_suffix(".json")):
            assert manifest.has_errors, path.name
        else:
            check(path.name, manifest)


def lines(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt") as stream:
        for line in stream:
            yield json.loads(line)


@pytest.mark.parametrize("path", RANDOM, ids=lambda path: path.name)
def test_generated_inputs_load_without_errors(path: Path) -> None:
    for case in lines(path):
        check(case["name"], load(case["input"]))
