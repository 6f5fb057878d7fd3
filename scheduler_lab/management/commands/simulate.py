"""manage.py simulate FILE... : run scenarios from the command line."""

from __future__ import annotations

import sys
import traceback
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError

from scheduler_lab.engine.manifests import FILES
from scheduler_lab.engine.record import Record
from scheduler_lab.outcome import RunOutcome, RunProblem
from scheduler_lab.present import metrics
from scheduler_lab.reports.markdown import markdown
from scheduler_lab.reports.text import text as plain_text
from scheduler_lab.simulation import Simulation, measurement, simulate

SUFFIX = {
    "json": ".json",
    "text": ".txt",
    "markdown": ".md",
    "metrics": ".metrics.txt",
    "events": ".events.txt",
}
PLACED, NOT_ALL_PLACED, BAD_INPUT = 0, 1, 2


class Command(BaseCommand):
    help = (
        "Run each FILE ('-': standard input), a cluster of its own, through the scheduler. Exit status: 0 when every "
        "pod was placed, 1 when some were not, 2 on bad input (problems on standard error, FILE:LINE:COLUMN first)."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("-o", "--output", choices=sorted(SUFFIX), default="text", help="default: text")
        parser.add_argument("--out", type=Path, metavar="DIR", help="write DIR/NAME.SUFFIX for each FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path | None = options["out"]
        if out is not None:
            _refuse_same_names(options["files"])
            _make_folder(out)
        status = PLACED
        for name in options["files"]:
            body, code = self._one(name, options["output"])
            status = max(status, code)
            if body is None:
                continue
            if out is None:
                if options["output"] == "text" and len(options["files"]) > 1:
                    self.stdout.write(f"== {name} ==")
                self.stdout.write(body)
            else:
                _write(out / (_stem(name) + SUFFIX[options["output"]]), body)
        if status != PLACED:
            sys.exit(status)

    def _one(self, name: str, kind: str) -> tuple[str | None, int]:
        """(the report of one file, its exit status); no report for an input that could not be run."""
        try:
            text = _read(name)
            done = simulate(text, evidence="none")
        except CommandError:
            raise
        except Exception:
            # A mistake in the simulator on one file must not cost the reports of the others.
            self.stderr.write(f"{name}: the simulator failed on this input:\n{traceback.format_exc()}")
            return None, BAD_INPUT
        for problem in done.problems:
            self._complain(name, msgspec.convert(problem, RunProblem))
        if done.record is None:
            refusal = Record(scenario_error=_refusal(done)).to_json().decode() + "\n"
            return (refusal if kind == "json" else None), BAD_INPUT
        record = msgspec.json.decode(done.record)
        refused = record.get("error") or record.get("scenarioError")
        if refused and kind in ("metrics", "events"):
            self.stderr.write(f"{name}: {refused}")
            return None, BAD_INPUT
        return _report(kind, done, record, text), _status(record)

    def _complain(self, name: str, problem: RunProblem) -> None:
        where = ":".join(str(part) for part in (name, problem.line, problem.column) if part)
        hint = f" (did you mean {problem.suggestion}?)" if problem.suggestion else ""
        self.stderr.write(f"{where}: {problem.severity}: {problem.message}{hint}")


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise CommandError(f"{path}: {problem.strerror}", returncode=BAD_INPUT) from None


def _write(path: Path, report: str) -> None:
    try:
        path.write_text(report, encoding="utf-8")
    except OSError as problem:
        raise CommandError(f"{path}: {problem.strerror}", returncode=BAD_INPUT) from None


def _stem(name: str) -> str:
    """The name of a file's report, without its suffix."""
    return "stdin" if name == "-" else Path(name).stem


def _refuse_same_names(names: list[str]) -> None:
    """Refuse, before anything is run, two files whose reports would have the same name."""
    first: dict[str, str] = {}
    for name in names:
        # File systems exist on which Web and web are one file.
        stem = _stem(name)
        if stem.lower() in first:
            raise CommandError(
                f"{first[stem.lower()]} and {name}: the reports of both would be called {stem}. "
                "Rename one of the files, or use a directory (--out) for each.",
                returncode=BAD_INPUT,
            )
        first[stem.lower()] = name


def _refusal(done: Simulation) -> str:
    """Why the text was not run, in one text."""
    errors = [problem for problem in done.problems if problem["severity"] == "error"]
    return "; ".join(f"line {problem['line']}: {problem['message']}" for problem in errors)


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as problem:
        raise CommandError(f"{name}: {problem.strerror}", returncode=BAD_INPUT) from None
    return data.decode("utf-8", "replace")


def _report(kind: str, done: Simulation, record: dict[str, Any], text: str) -> str:
    if kind == "json":
        return (done.record or b"").decode() + "\n"
    if kind == "markdown":
        return markdown(RunOutcome(record=record))
    if kind == "metrics":
        return metrics.download_text(measurement(text, FILES))
    if kind == "events":
        return metrics.events_text(measurement(text, FILES), list(record.get("pods", {})))
    return plain_text(record)


def _status(record: dict[str, Any]) -> int:
    if record.get("error") or record.get("scenarioError"):
        return BAD_INPUT
    return PLACED if all(pod.get("nodeName") for pod in record.get("pods", {}).values()) else NOT_ALL_PLACED
