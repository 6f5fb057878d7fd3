"""The configuration package against what the real scheduler said and did in every recorded case."""

import gzip
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scheduler_lab.engine import manifests
from scheduler_lab.engine.configuration import Configuration, ConfigurationError, load_object, resolve
from scheduler_lab.engine.objects.lab import Options
from scheduler_lab.engine.objects.raw import RawObject

DATA = Path(__file__).resolve().parents[1] / "data"
POINTS = ("preFilter", "postFilter", "preScore", "reserve", "permit", "preBind", "bind", "postBind")


@dataclass
class Case:
    """One recorded case: its configuration document, gates and record."""

    name: str
    record: dict[str, Any]
    document: RawObject | None = None
    gates: dict[str, bool] = field(default_factory=dict)

    def load(self) -> Configuration:
        return load_object(self.document, resolve(self.gates))


def _case(name: str, text: str, record: dict[str, Any]) -> Case:
    case = Case(name, record)
    if "KubeSchedulerConfiguration" not in text and "featureGates" not in text:
        return case
    for item in manifests.load(text).objects:
        if isinstance(item, RawObject) and item.kind == "KubeSchedulerConfiguration":
            case.document = item
        elif isinstance(item, Options):
            case.gates = item.feature_gates
    return case


@cache
def cases() -> list[Case]:
    found = []
    for path in sorted([*(DATA / "conformance").rglob("*.yaml"), *(DATA / "cases").glob("*.yaml")]):
        record = path.with_suffix(".json")
        if record.exists():
            name = str(path.relative_to(DATA).with_suffix(""))
            found.append(_case(name, path.read_text(), json.loads(record.read_text())))
    for path in sorted((DATA / "conformance" / "random").glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            entry = json.loads(line)
            found.append(_case(f"random/{entry['name']}", entry["input"], entry["record"]))
    return found


def refused(case: Case) -> bool:
    return "error" in case.record


REFUSED = [case for case in cases() if refused(case)]
CONFIGURED = [case for case in cases() if not refused(case) and (case.document is not None or case.gates)]
RUNNING = [case for case in cases() if case.record.get("cycles") and (case.document is not None or case.gates)]


def named(case: Case) -> str:
    return case.name


def test_it_finds_the_recorded_cases() -> None:
    assert len(REFUSED) >= 35
    assert len(CONFIGURED) >= 250


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_it_refuses_with_the_recorded_text(case: Case) -> None:
    with pytest.raises(ConfigurationError) as caught:
        case.load()

    assert str(caught.value) == case.record["error"]


@pytest.mark.parametrize("case", CONFIGURED, ids=named)
def test_it_accepts_what_was_accepted(case: Case) -> None:
    assert case.load().profiles


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(name in rest for name in part)


def plugins_of(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["plugin"] for entry in entries if not entry["plugin"].startswith("http")]


@pytest.mark.parametrize("case", RUNNING, ids=named)
def test_it_orders_plugins_as_they_ran(case: Case) -> None:
    configuration = case.load()
    for cycle in case.record["cycles"]:
        profile = configuration.profile(cycle["profile"])
        assert profile is not None
        for point in POINTS:
            ran = plugins_of(cycle.get(point, []))
            assert is_subsequence(ran, profile.points[point]), (point, ran, profile.points[point])
        for node, entries in cycle.get("filter", {}).items():
            ran = plugins_of(entries)
            assert is_subsequence(ran, profile.points["filter"]), (node, ran, profile.points["filter"])
        # PreFilter visits every plugin unless one ends the loop.
        stopped = any(
            entry["code"] in ("UnschedulableAndUnresolvable", "Error") for entry in cycle.get("preFilter", [])
        )
        if cycle.get("filter") and not stopped:
            assert plugins_of(cycle.get("preFilter", [])) == profile.points["preFilter"]


@pytest.mark.parametrize("case", RUNNING, ids=named)
def test_it_weighs_scores_as_recorded(case: Case) -> None:
    configuration = case.load()
    for cycle in case.record["cycles"]:
        profile = configuration.profile(cycle["profile"])
        assert profile is not None
        skipped = {entry["plugin"] for entry in cycle.get("preScore", []) if entry["code"] == "Skip"}
        for scores in cycle.get("score", {}).values():
            inside = {name: score for name, score in scores.items() if not name.startswith("http")}
            assert set(inside) == set(profile.points["score"]) - skipped
            # A score out of range ends the cycle before weighting.
            for name, score in inside.items():
                if "weighted" not in score:
                    continue
                assert score["weighted"] == score["normalized"] * profile.score_weights[name]
