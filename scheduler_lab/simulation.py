"""The one place outside the engine that calls it: text → record, problems, lines of the marked fields."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from scheduler_lab.engine import ALL, NONE, EvidenceMode, Manifest, load, run
from scheduler_lab.engine.manifests import FILES, PASTED, Limits, Problem
from scheduler_lab.engine.metrics import Measurement, measure
from scheduler_lab.outcome import LARGEST_FILE, mark_key
from scheduler_lab.present.evidence_marks import all_marks
from scheduler_lab.progress import Progress

LARGE_TEXTS = replace(PASTED, characters=LARGEST_FILE, nodes=10_000_000)
"""What the site runs: a dump of 5,000 nodes as kubectl prints it takes it two or three seconds."""

progress = Progress()
"""How far the run of this process has come."""

MOST_PICTURED = 20_000
"""Nodes × other objects up to which the record of a page also pictures the cluster before each cycle."""


@dataclass(frozen=True)
class Simulation:
    """`record` is the engine's JSON, None when the text was refused; `problems` are dicts as RunProblem's members."""

    record: bytes | None
    problems: list[dict[str, Any]] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)


def simulate(text: str, *, evidence: str | list[Any] = "none", limits: Limits = FILES) -> Simulation:
    """Run a text in this process, without limits on time. Raises only for a bug in the engine.

    `evidence`: "none", "all", "auto" (pictures of the cluster unless it is large, no evidence), or
    [cycle index, node name or None] (the evidence of one cycle besides).
    """
    progress.at("read")
    manifest = load(text, limits)
    problems = [_problem(problem) for problem in manifest.problems]
    if manifest.has_errors:
        return Simulation(None, problems)
    mode = _mode(evidence, manifest)
    progress.at("run", manifest)
    found = run(manifest, mode, progress.watch)
    progress.at("write")
    record = found.to_json()
    return Simulation(record, problems, _lines(record, manifest) if mode is not NONE else {})


def suggestions(text: str, pod: str, seconds: float) -> dict[str, Any]:
    """What would fix a pod (namespace/name) that has no node at the end of the run, found within that time.

    The members are those of fixes.Suggestions; `following` tells the nodes' next obstacle behind the one that the
    scheduler names, `bypassed` why the pod never came to an attempt.
    """
    from scheduler_lab.engine.explain.fixes import Budget, suggest  # runs alone need none of it
    from scheduler_lab.engine.explain.hidden import bypassed, hidden

    manifest = load(text, LARGE_TEXTS)
    record = run(manifest).to_builtins()
    found = msgspec.to_builtins(suggest(manifest, record, pod, budget=Budget(seconds=seconds)))
    attempts = [cycle for cycle in record.get("cycles", []) if cycle["pod"] == pod]
    following: list[Any] = []
    if attempts:
        told = hidden(record, attempts[-1])
        said = hidden(record, attempts[-1], manifest, budget=Budget(runs=20, seconds=seconds / 3))
        following = [text for text in said if text not in told]
    return {**found, "following": msgspec.to_builtins(following), "bypassed": bypassed(manifest, record, pod)}


def measurement(text: str, limits: Limits = LARGE_TEXTS) -> Measurement:
    """What the metrics of a run of the text are, and when its events were told; nothing of a text that is refused."""
    manifest = load(text, limits)
    return Measurement() if manifest.has_errors else measure(manifest)[1]


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "severity": problem.severity,
        "message": problem.message,
        "document": problem.document,
        "line": problem.line,
        "column": problem.column,
        "path": problem.path,
        "suggestion": problem.suggestion,
        "template": problem.template,
        "params": {key: str(value) for key, value in problem.params.items()},
    }


def _mode(evidence: str | list[Any], manifest: Manifest) -> EvidenceMode:
    if evidence == "all":
        return ALL
    if evidence == "none":
        return NONE
    kinds = [item.kind for item in manifest.objects]
    nodes = kinds.count("Node")
    pictures = nodes * (len(kinds) - nodes) <= MOST_PICTURED
    # No cycle has so few nodes, so this draws the cluster and explains nothing but the cycle that is asked for.
    drawing = EvidenceMode(everything=pictures, max_nodes=-1)
    return replace(drawing, cycle=evidence[0], node=evidence[1]) if isinstance(evidence, list) else drawing


def _lines(record: bytes, manifest: Manifest) -> dict[str, int]:
    found = {}
    for kind, namespace, name, path in all_marks(msgspec.json.decode(record)):
        if line := manifest.line_of(kind, namespace, name, path):
            found[mark_key(kind, namespace, name, path)] = line
    return found
