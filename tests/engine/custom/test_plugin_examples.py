"""The shipped examples of learner-written plugins show what their descriptions say, and have a Go counterpart."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import scheduler_lab.examples
from scheduler_lab.engine import ALL, load, run
from scheduler_lab.engine.objects.lab_plugin import Plugin
from tests.engine.custom.plugin_texts import NODES, POD, configuration

FOLDER = Path(scheduler_lab.examples.__file__).parent
DOCS = Path(__file__).resolve().parents[3] / "docs"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("plugin-*.yaml"))
_FENCED = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def scenario(name: str) -> str:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    return re.split(r"^---\n", text, maxsplit=1, flags=re.MULTILINE)[1]


def record(name: str) -> dict[str, Any]:
    manifest = load(scenario(name))
    assert not manifest.problems
    found: dict[str, Any] = json.loads(run(manifest, ALL).to_json())
    assert not {"error", "scenarioError", "x-problems", "maxCyclesHit"} & set(found)
    return found


def nodes(found: dict[str, Any]) -> dict[str, str]:
    """The node of each pod, "" for pending ones."""
    return {key.removeprefix("default/"): pod.get("nodeName", "") for key, pod in found["pods"].items()}


def cycles(found: dict[str, Any], pod: str) -> list[dict[str, Any]]:
    return [cycle for cycle in found["cycles"] if cycle["pod"] == f"default/{pod}"]


def test_node_pool_filter() -> None:
    found = record("plugin-node-pool-filter")
    assert nodes(found) == {"web": "general-1", "train": "gpu-1", "backup": "storage-1"}
    first, second = cycles(found, "backup")
    assert first["result"]["message"].startswith("0/2 nodes are available: 2 node(s) are not in the pool storage.")
    assert second["step"] == 1


def test_balanced_score() -> None:
    found = record("plugin-balanced-score")
    assert nodes(found) == {"worker": "even", "encoder": "cpu-heavy", "besteffort": "memory-heavy"}
    (worker,) = cycles(found, "worker")
    for row in worker["score"].values():
        assert row["BalancedScore"]["raw"] == row["NodeResourcesBalancedAllocation"]["raw"]
        assert row["BalancedScore"]["weighted"] == 5 * row["BalancedScore"]["normalized"]
    assert all("BalancedScore" not in row for row in cycles(found, "besteffort")[0]["score"].values())


def test_custom_fit() -> None:
    found = record("plugin-custom-fit")
    assert [cycles(found, pod)[0]["result"].get("node") for pod in ("first", "second")] == ["node-1", "node-1"]
    assert "Insufficient cpu at 150%" in cycles(found, "third")[0]["result"]["message"]
    assert nodes(found) == {"second": "node-1", "third": "node-1", "cache": ""}


def test_gang_permit() -> None:
    found = record("plugin-gang-permit")
    assert all(nodes(found).values())
    assert {cycle["step"] for pod in ("b-0", "b-1", "b-2") for cycle in cycles(found, pod)[-1:]} == {2}
    assert cycles(found, "b-0")[0]["result"]["message"].endswith("after waiting 1m0s at plugin LabelGang.")
    assert cycles(found, "b-1")[0]["result"]["message"].endswith("1 gang b gave up.")
    assert "gang c has 1 of 2 pods" in cycles(found, "c-0")[0]["result"]["message"]


def test_prebind_reservation() -> None:
    found = record("plugin-prebind-reservation")
    assert nodes(found) == {"vision-train": "gpu-1", "speech-train": "", "store": "gpu-1", "web": "gpu-1"}
    assert cycles(found, "web")[0]["preBindPreFlight"][-1]["code"] == "Skip"
    assert cycles(found, "store")[0]["result"]["message"] == (
        'running PreBind plugin "ReservationCheck": claims are not encrypted: data'
    )
    assert any(event["message"] == "uses 2 GPUs that vision reserved" for event in found["events"])


def test_postfilter_victim() -> None:
    found = record("plugin-postfilter-victim")
    assert found["deleted"] == ["default/batch"]
    assert nodes(found) == {"database": "node-1", "cache": "node-2", "report": "node-2", "peer": ""}
    assert cycles(found, "peer")[0]["result"]["message"].endswith("no evictable pod makes room")


def test_queue_sort() -> None:
    found = record("plugin-queue-sort")
    order = list(dict.fromkeys(cycle["pod"] for cycle in found["cycles"]))
    assert order == ["default/gold", "default/silver", "default/bronze", "default/nobody"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_has_a_go_counterpart_of_its_name(name: str) -> None:
    (document,) = [item for item in load(scenario(name)).objects if isinstance(item, Plugin)]
    plugin = document.metadata.name
    source = (DOCS / "go" / plugin.lower() / "plugin.go").read_text(encoding="utf-8")
    assert re.search(rf'Name\s+= "{plugin}"', source)
    for argument in document.spec.args:
        assert f'json:"{argument},omitempty"' in source
    assert f"`{name}`" in (DOCS / "go" / "README.md").read_text(encoding="utf-8")


def test_the_documented_plugins_are_right() -> None:
    blocks = _FENCED.findall((DOCS / "lab-documents.md").read_text(encoding="utf-8"))
    plugins = [block for block in blocks if "kind: Plugin" in block]
    written = {key for block in plugins for part in yaml.safe_load_all(block) for key in part.get("spec", {})}
    for block in plugins:
        assert [str(problem) for problem in load(block).errors] == [], block
    members = set(Plugin().spec.__struct_encode_fields__)
    assert members <= written, members - written
    for block in plugins:
        name = yaml.safe_load(block.split("---")[0])["metadata"]["name"]
        config = block.partition("---\n")[2] or configuration(("multiPoint", "queueSort")[: 1 + ("queueSort" in block)])
        text = "---\n".join([block.partition("---\n")[0], config.replace("name: Mine", f"name: {name}"), NODES, POD])
        found = json.loads(run(load(text)).to_json())
        assert "error" not in found and (found.get("cycles") or found["preEnqueue"])
