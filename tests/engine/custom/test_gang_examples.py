"""The shipped examples of gangs and of nodeName show what their descriptions say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import scheduler_lab.examples
from tests.engine.custom.gangs import cycles_of, nodes, record

FOLDER = Path(scheduler_lab.examples.__file__).parent
CPUS = 4


def shown(name: str) -> dict[str, Any]:
    found = record((FOLDER / f"{name}.yaml").read_text())
    assert "x-problems" not in found
    return found


def test_two_jobs_take_all_cpus_and_neither_is_complete() -> None:
    placed = nodes(shown("gang-two-half-placed-jobs"))
    assert set(placed) == {"a-0", "a-1", "b-0", "b-1"}
    assert len(placed) == CPUS


def test_coscheduling_starts_one_group_and_later_the_other() -> None:
    found = shown("gang-coscheduling")
    assert [cycles_of(found, f"a-{index}")[0]["result"] for index in range(3)] == [{"node": "node-1"}] * 3
    assert "optimistic rejection" in cycles_of(found, "b-0")[0]["result"]["message"]
    assert set(nodes(found)) == {"b-0", "b-1", "b-2"}
    assert "maxCyclesHit" not in found


def test_volcano_holds_nothing_for_the_gang_that_does_not_fit() -> None:
    found = shown("gang-volcano")
    first, last = found["x-volcano"]["sessions"]
    assert [job["phase"] for job in first["jobs"]] == ["Running", "Pending"]
    assert first["jobs"][1]["notEnqueued"] == "resource in cluster is overused"
    assert cycles_of(found, "late")[0]["result"] == {"node": "node-1"}
    assert [job["phase"] for job in last["jobs"]] == ["Running", "Running"]


def test_native_gangs_hold_everything_until_the_timeout() -> None:
    found = shown("gang-native-workload")
    assert "Insufficient cpu" in cycles_of(found, "web")[0]["result"]["message"]
    for name in ("a-0", "a-1", "b-0", "b-1"):
        message = cycles_of(found, name)[0]["result"]["message"]
        assert message.endswith("rejected due to timeout after waiting 5m0s at plugin GangScheduling.")
    assert nodes(found) == {}


def test_node_name_skips_the_scheduler() -> None:
    found = shown("node-name-over-capacity")
    assert {cycle["pod"] for cycle in found["cycles"]} == {"default/app-3"}
    told = [(entry["pod"], entry["phase"], entry.get("reason")) for entry in found["x-kubelet"]]
    assert ("default/app-2", "Failed", "OutOfcpu") in told
    assert ("default/ghost", "Failed", "DeletionByPodGC") in told
    assert [cycle["result"].get("node") for cycle in cycles_of(found, "app-3")] == [None, "worker-1"]
