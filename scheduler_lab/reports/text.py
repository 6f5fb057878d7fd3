"""A run as plain text: each pod like `kubectl describe pod`, then the phase tables of its cycles."""

from __future__ import annotations

import unicodedata
from typing import Any

from django.utils.translation import gettext as _

from scheduler_lab.present.attempts import all_facts, clock, held_pods, why_placed
from scheduler_lab.present.facts import CycleFacts
from scheduler_lab.present.result import counts, headline, limits, rejected_by_kubelet, subline, untouched
from scheduler_lab.present.schedulers import leases, processes, profile
from scheduler_lab.present.score import why
from scheduler_lab.present.texts import translated
from scheduler_lab.reports.tables import Grid, tables

Json = dict[str, Any]


def text(record: Json) -> str:
    """The report of a record; ends with a line break."""
    if refused := record.get("error") or record.get("scenarioError"):
        return f"{refused}\n"
    everything = all_facts(record)
    dealt_with = counts(record, everything).total()
    parts = [f"{headline(record, everything)} ({subline(record, everything)})" if dealt_with else untouched(record)]
    parts += limits(record)
    if not everything and record.get("pods"):
        parts.append("\n".join(_placements(record["pods"])))
    by_pod: dict[str, list[CycleFacts]] = {}
    for facts in everything:
        by_pod.setdefault(facts.pod, []).append(facts)
    for held in held_pods(record):
        by_pod.setdefault(held.key, [])
    for unserved in record.get("x-unserved", []):
        by_pod.setdefault(unserved["pod"], [])
    parts += [_pod(pod, found, record) for pod, found in by_pod.items()]
    parts += _processes(record)
    return "\n\n".join(parts) + "\n"


def _placements(pods: Json) -> list[str]:
    """Each pod of the end with its node: all there is to tell when no cycle ran."""
    rows = [[*pod.partition("/")[::2], state.get("nodeName") or "<none>"] for pod, state in pods.items()]
    return _table([["Namespace", "Name", "Node"], *rows], "  ")


def _pod(pod: str, found: list[CycleFacts], record: Json) -> str:
    namespace, _slash, name = pod.partition("/")
    final = record.get("pods", {}).get(pod)
    fields = [("Name", name), ("Namespace", namespace), ("Node", (final or {}).get("nodeName") or "<none>")]
    fields.append(("Status", _status(pod, final, record)))
    if nominated := (final or {}).get("nominatedNodeName"):
        fields.append(("NominatedNodeName", nominated))
    lines = [f"{key + ':':<19}{value}" for key, value in fields]
    if scheduled := (final or {}).get("scheduled"):
        lines += ["Conditions:", *_table([["Type", "Status", "Reason"], _condition(scheduled)], "  ")]
    lines += _events(pod, record)
    for facts in found:
        lines += ["", *_cycle(facts)]
    return "\n".join(lines)


def _processes(record: Json) -> list[str]:
    """Who schedules and who holds which lease, where there are several schedulers."""
    rows = [[process.name, process.state, process.said] for process in processes(record)]
    rows += [[lease.name, lease.state, lease.said] for lease in leases(record)]
    return ["\n".join([f"{_('Schedulers')}:", *_table(rows, "  ")])] if rows else []


def _status(pod: str, final: Json | None, record: Json) -> str:
    """The phase, and in brackets why it is not Running where the scheduler has no cycle to say it."""
    if final is None:
        return "Deleted"
    if reason := rejected_by_kubelet(record).get(pod):
        return f"Failed ({reason})"
    if final.get("nodeName"):
        return "Running"
    whys = [f"{held.plugin}: {', '.join(held.reasons)}" for held in held_pods(record) if held.key == pod]
    whys += [translated(entry["note"]) for entry in record.get("x-unserved", []) if entry["pod"] == pod]
    return f"Pending ({whys[0]})" if whys else "Pending"


def _condition(scheduled: Json) -> list[str]:
    return ["PodScheduled", scheduled.get("status", ""), scheduled.get("reason", "")]


def _events(pod: str, record: Json) -> list[str]:
    rows = [
        [event["type"], event["reason"], event["message"]]
        for event in record.get("events", [])
        if event.get("regarding") == f"Pod {pod}"
    ]
    return ["Events:", *_table([["Type", "Reason", "Message"], *rows], "  ")] if rows else [f"{'Events:':<19}<none>"]


def _cycle(facts: CycleFacts) -> list[str]:
    about = [_("Cycle %(number)s") % {"number": facts.number}, _("attempt %(number)s") % {"number": facts.attempt}]
    about.append(profile(facts))
    if "x-time" in facts.cycle:
        about.append(clock(facts.cycle["x-time"]))
    lines = [" · ".join(part for part in about if part)]
    for grid in tables(facts):
        lines += [f"  {grid.title}", *_grid(grid)]
    won, because = why(facts)
    if won:
        lines.append(f"  {won} {', '.join(because)}".rstrip())
    lines.append(f"  → {facts.node}: {why_placed(facts)}" if not facts.code else f"  → {facts.code}: {facts.message}")
    return lines


def _grid(grid: Grid) -> list[str]:
    return _table([grid.head, *grid.rows], "    ", grid.right)


def _table(rows: list[list[str]], indent: str, right: frozenset[int] = frozenset()) -> list[str]:
    widths = [max(_width(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for at, cell in enumerate(row):
            space = " " * (widths[at] - _width(cell))
            cells.append(space + cell if at in right else cell + space)
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def _width(cell: str) -> int:
    """Columns that a terminal gives the text: wide characters, as Hangul, take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in cell)
