"""A run as Markdown: a readable trace to paste into an issue or a chat."""

from __future__ import annotations

from django.utils.translation import gettext as _

from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present.attempts import all_facts, clock, describe, held_pods
from scheduler_lab.present.facts import CycleFacts
from scheduler_lab.present.phases import phases
from scheduler_lab.present.result import counts, headline, limits, subline, untouched
from scheduler_lab.present.schedulers import profile
from scheduler_lab.present.score import why
from scheduler_lab.reports.tables import Grid, tables

MOST_CYCLES = 100


def markdown(outcome: RunOutcome, text: str = "") -> str:
    """The trace of a run, its input at the end when `text` is given."""
    record = outcome.record or {}
    everything = all_facts(record)
    parts = [f"# {headline(record, everything)}", subline(record, everything)]
    if not counts(record, everything).total():
        parts = ["# " + untouched(record)]
    parts += limits(record)
    if refused := record.get("error") or record.get("scenarioError"):
        parts = ["# " + _("The input was refused"), f"`{refused}`"]
    parts += [part for facts in everything[:MOST_CYCLES] for part in _cycle(facts, record)]
    if len(everything) > MOST_CYCLES:
        parts.append(_("… and %(count)s further cycles.") % {"count": len(everything) - MOST_CYCLES})
    for held in held_pods(record):
        parts.append(f"## {held.pod}\n\n{held.plugin}: {', '.join(held.reasons)}")
    events = record.get("events", [])
    if events:
        rows = [[event["type"], event["reason"], event["regarding"], event["message"]] for event in events]
        parts.append("## " + _("Events"))
        parts.append(_grid(Grid("", [_("Type"), _("Reason"), _("Object"), _("Message")], rows)))
    if text:
        fence = "`" * max(3, _longest_fence(text) + 1)
        parts.append("## " + _("Input") + f"\n\n{fence}yaml\n{text.rstrip()}\n{fence}")
    return "\n\n".join(parts) + "\n"


def _cycle(facts: CycleFacts, record: dict[str, object]) -> list[str]:
    row = describe(facts)
    title = f"## {facts.number}. {row.pod} → {row.label}"
    about = [_("attempt %(number)s") % {"number": facts.attempt}, profile(facts)]
    if "x-time" in facts.cycle:
        about.append(clock(facts.cycle["x-time"]))
    parts = [title, " · ".join(part for part in about if part)]
    stops = [[stop.name, stop.word, stop.state, stop.note] for stop in phases(facts, record)]
    parts.append(_grid(Grid("", [_("Extension point"), _("Verdict"), "", ""], stops)))
    parts += [f"### {grid.title}\n\n{_grid(grid)}" for grid in tables(facts)[1:]]
    won, because = why(facts)
    if won:
        parts.append(f"{won} {', '.join(because)}".rstrip())
    if facts.message:
        parts.append(f"> {_cell(facts.message)}")
    return parts


def _grid(grid: Grid) -> str:
    rule = ["---:" if at in grid.right else "---" for at in range(len(grid.head))]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in [grid.head, rule, *grid.rows])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _longest_fence(text: str) -> int:
    longest = run = 0
    for letter in text:
        run = run + 1 if letter == "`" else 0
        longest = max(longest, run)
    return longest
