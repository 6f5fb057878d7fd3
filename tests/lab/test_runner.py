"""The bounds of a run: whatever the engine does, the site gets an answer in time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler_lab import runner, worker
from scheduler_lab.runner import Limits, Pool, run_text

SMALL = (Path(__file__).resolve().parent.parent / "data/cases/76-toleration-does-not-attract.yaml").read_text()
STAND_IN = """
import sys, types
from scheduler_lab import simulation, worker

def simulate(text, *, evidence, limits):
    {body}

simulation.simulate = simulate
worker.main()
"""


@pytest.fixture
def misbehaving(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[object]:
    """Workers whose engine does `body` instead of running the text."""
    pools: list[Pool] = []

    def install(body: str) -> None:
        script = tmp_path / "stand_in.py"
        script.write_text(STAND_IN.format(body=body))
        start = runner.subprocess.Popen

        def popen(command: list[str], **options: object) -> object:
            return start([command[0], str(script), command[-1]], **options)

        monkeypatch.setattr(runner.subprocess, "Popen", popen)
        pool = Pool(1)
        pools.append(pool)
        monkeypatch.setattr(runner, "_pool", lambda: pool)

    yield install
    for pool in pools:
        pool.close()


def test_a_text_gives_its_record() -> None:
    outcome = run_text(SMALL, evidence=[0, None])
    assert outcome.stopped is None
    assert outcome.record is not None
    assert outcome.record["pods"]["default/trainer"]["nodeName"] == "web-1"
    assert outcome.lines["Node//web-1/status.allocatable.cpu"] == 15


def test_problems_come_with_their_line() -> None:
    outcome = run_text("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {contaners: []}\n")
    assert outcome.record is None
    assert outcome.errors[0].line == 4


def test_a_busy_loop_is_stopped_in_time(misbehaving: object) -> None:
    misbehaving("while True: pass")  # type: ignore[operator]
    began = time.monotonic()
    outcome = run_text("x", limits=Limits(seconds=0.5))
    assert outcome.stopped == "time"
    assert time.monotonic() - began < 5


def test_too_much_memory_is_stopped(misbehaving: object) -> None:
    misbehaving("hog = [bytearray(64 << 20) for _ in range(1000)]")  # type: ignore[operator]
    assert run_text("x", limits=Limits(memory=600 << 20)).stopped == "memory"


def test_too_large_a_result_is_stopped(misbehaving: object) -> None:
    misbehaving("return simulation.Simulation(b'\"' + b\"x\" * 2000000 + b'\"')")  # type: ignore[operator]
    assert run_text("x", limits=Limits(result=1_000_000)).stopped == "size"


@pytest.mark.parametrize(
    "body", ["raise RuntimeError('a bug')", "import os; os._exit(3)", "print('noise'); return 1 / 0"]
)
def test_a_bug_in_the_engine_is_an_answer(misbehaving: object, body: str) -> None:
    misbehaving(body)  # type: ignore[operator]
    assert run_text("x").stopped == "crashed"


def test_the_next_run_finds_a_new_worker(misbehaving: object) -> None:
    misbehaving("import os; os._exit(3) if text == 'bad' else None; return simulation.Simulation(b'{}')")  # type: ignore[operator]
    assert run_text("bad").stopped == "crashed"
    assert run_text("good").record == {}


def test_runs_beyond_the_workers_wait_and_give_up(misbehaving: object) -> None:
    misbehaving("import time; time.sleep(1.5); return simulation.Simulation(b'{}')")  # type: ignore[operator]
    first: list[object] = []
    thread = threading.Thread(target=lambda: first.append(run_text("a").stopped))
    thread.start()
    time.sleep(0.6)
    assert run_text("b", limits=Limits(wait=0.1)).stopped == "busy"
    thread.join()
    assert first == [None]


def test_an_answer_is_never_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("scheduler_lab.simulation.simulate", fail)
    assert worker.answer(worker.Request("x")).stopped == "memory"
