"""One of two compared runs in short: its headline and its cluster at the end."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_lab.present import cluster
from scheduler_lab.present.attempts import all_facts
from scheduler_lab.present.facts import Json
from scheduler_lab.present.result import headline, subline
from scheduler_lab.runs import Run


@dataclass(frozen=True)
class Side:
    digest: str
    headline: str
    subline: str
    cluster: cluster.Cluster | None
    refused: str = ""


def side(run: Run) -> Side:
    """The run in short; what it had before its first cycle is the ground that changes are marked on."""
    record: Json = run.outcome.record or {}
    if refused := record.get("error") or record.get("scenarioError"):
        return Side(run.digest, "", "", None, refused)
    facts = all_facts(record)
    final = record.get("x-cluster", [])
    before = facts[0].cycle.get("x-cluster", []) if facts else final
    picture = cluster.build(before, final, set(record.get("deleted", [])))
    return Side(run.digest, headline(record, facts), subline(record, facts), picture)
