"""manage.py simulate: outputs, exit status, problems on standard error."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

DATA = Path(__file__).resolve().parent.parent / "data/cases"
PLACED = DATA / "76-toleration-does-not-attract.yaml"
RACE = Path(__file__).resolve().parents[2] / "scheduler_lab/examples/schedulers-overcommit-race.yaml"
PENDING = DATA / "16-many-pools-one-line.yaml"
BAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  contaners: []\n"


def simulate(*args: str | Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("simulate", *[str(arg) for arg in args], stdout=out, stderr=err, no_color=True)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_json_is_the_record() -> None:
    status, out, _err = simulate(PLACED, "-o", "json")
    record = json.loads(out)
    assert (status, record["pods"]["default/trainer"]["nodeName"]) == (0, "web-1")
    assert list(record) == sorted(record)


def test_text_reads_like_describe() -> None:
    status, out, _err = simulate(PENDING)
    assert status == 1
    assert "Name:              api-8" in out
    assert "Status:            Pending" in out
    assert "⊘ node(s) had untolerated taint(s)" in out
    assert "0/6 nodes are available: 1 Insufficient cpu, 5 node(s) had untolerated taint(s)." in out


def test_text_shows_the_scores() -> None:
    _status, out, _err = simulate(PLACED)
    assert "90 → 90 → 90" in out
    assert "web-1 won by 12 points over ml-1." in out


def test_markdown_has_tables() -> None:
    _status, out, _err = simulate(PENDING, "-o", "markdown")
    assert "| Filter | rejected | 0 of 6 nodes |" in out


def test_out_writes_a_file_each(tmp_path: Path) -> None:
    status, out, _err = simulate(PLACED, PENDING, "-o", "json", "--out", tmp_path / "made")
    assert (status, out) == (1, "")
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [f"{p.stem}.json" for p in (PENDING, PLACED)]


def test_bad_input_is_told_at_its_place(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(BAD)
    status, out, err = simulate(bad, "-o", "json")
    assert status == 2
    assert json.loads(out) == {"scenarioError": 'line 5: unknown field "spec.contaners"'}
    assert err.startswith(f"{bad}:5:3: error: ")


def test_a_refused_configuration_is_bad_input(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n")
    status, out, _err = simulate(file, "-o", "json")
    assert status == 2
    assert json.loads(out)["error"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PLACED.read_bytes())))
    status, out, _err = simulate("-", "-o", "json")
    assert (status, "trainer" in out) == (0, True)


def test_a_missing_file() -> None:
    with pytest.raises(CommandError) as problem:
        simulate("/nonexistent.yaml")
    assert problem.value.returncode == 2


def test_two_files_of_one_name_are_refused_before_anything_runs(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "web.yaml", tmp_path / "b" / "Web.json"
    for file in (first, second):
        file.parent.mkdir()
        file.write_text(PLACED.read_text())
    with pytest.raises(CommandError) as problem:
        simulate(first, PENDING, second, "--out", tmp_path / "made")
    assert problem.value.returncode == 2
    assert str(first) in str(problem.value)
    assert str(second) in str(problem.value)
    assert not (tmp_path / "made").exists()


def test_the_same_names_are_fine_without_files_to_write(tmp_path: Path) -> None:
    (tmp_path / PLACED.name).write_text(PLACED.read_text())
    assert simulate(PLACED, tmp_path / PLACED.name)[0] == 0


BOUND = """\
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: 10, memory: 8Gi, pods: 10}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {nodeName: node-a, containers: [{name: c, image: i}]}
"""


@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_a_text_of_bound_pods_is_told_as_that(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "bound.yaml"
    file.write_text(BOUND)
    status, out, _err = simulate(file, "-o", kind)
    assert status == 0
    assert "The scheduler had nothing to do: every pod already has a node" in out
    assert "0 cycles" not in out
    assert kind == "markdown" or "default    web   node-a" in out


def test_pods_without_a_cycle_say_why(tmp_path: Path) -> None:
    file = tmp_path / "gated.yaml"
    file.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: g}\n"
        "spec: {schedulingGates: [{name: a/b}], containers: [{name: c, image: x}]}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: u}\n"
        "spec: {schedulerName: nobody, containers: [{name: c, image: x}]}\n"
    )
    _status, said, _err = simulate(file)
    assert "Name:              g\n" in said
    assert "Status:            Pending (SchedulingGates: waiting for scheduling gates: [a/b])" in said
    assert "Status:            Pending (No scheduler is named nobody" in said


def test_a_pod_that_its_kubelet_rejects_is_not_running() -> None:
    _status, said, complaints = simulate(RACE)
    assert complaints == ""
    assert said.startswith("3 pods: 1 running, 1 rejected by the kubelet, 1 Pending")
    assert "Status:            Failed (OutOfcpu)" in said


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    with pytest.raises(CommandError) as refusal:
        call_command("simulate", str(PLACED), "--out", str(taken))
    assert refusal.value.returncode == 2 and str(refusal.value) == f"{taken}: File exists"
