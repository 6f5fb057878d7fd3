"""docs/lab-documents.md: its Scheduler documents load and run, and it names every field and step."""

from __future__ import annotations

import re
from pathlib import Path

from scheduler_lab.engine.objects.lab_scheduler import SchedulerSpec
from scheduler_lab.engine.schedulers.documents import MOST_PROCESSES
from tests.engine.schedulers.texts import node, pod, record

DOCUMENTATION = Path(__file__).resolve().parents[3] / "docs" / "lab-documents.md"
SECTION = DOCUMENTATION.read_text(encoding="utf-8").partition("\n## Scheduler\n")[2].partition("\n## ")[0]


def test_its_documents_run() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)
    found = record(node("n1") + pod("p", scheduler="batch-scheduler") + "\n" + "---\n".join(blocks))
    assert [entry["name"] for entry in found["x-schedulers"]] == ["kube-scheduler", "batch-scheduler"]
    assert found["x-leases"][1]["holder"] == "batch-scheduler-1"
    assert "x-problems" not in found


def test_it_names_fields_steps_and_limits() -> None:
    for field in SchedulerSpec.__struct_encode_fields__:
        assert f"`spec.{field}`" in SECTION
    for step in ("stopScheduler", "terminateScheduler", "startScheduler"):
        assert f"`{step}: " in SECTION
    assert f"at most {MOST_PROCESSES}" in SECTION
