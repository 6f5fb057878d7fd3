"""What would fix it: the smallest edits of a text that give a pending pod a node, each of them run.

>>> suggest(text, record, "default/web").fixes[0].title      # doctest: +SKIP
Text(template='Uncordon %(node)s', params={'node': 'node-b2'})
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scheduler_lab.engine.evidence import N_, Text, text
from scheduler_lab.engine.explain.edits.homes import Book
from scheduler_lab.engine.explain.fixes.model import Budget, Fix, Hunk, Outcome, Step, Suggestions
from scheduler_lab.engine.explain.fixes.search import Search
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.explain.fixes.trial import Laboratory
from scheduler_lab.engine.manifests import FILES, Manifest, load
from scheduler_lab.engine.record import Record

__all__ = ["Budget", "Fix", "Hunk", "Outcome", "Step", "Suggestions", "suggest"]

DEFAULT_BUDGET = Budget()


def suggest(
    source: Manifest | str,
    record: Record | dict[str, Any],
    pod_key: str,
    *,
    limit: int = 6,
    budget: Budget = DEFAULT_BUDGET,
) -> Suggestions:
    """Fixes for a pod (namespace/name) that has no node at the end of the run, best first, at most `limit`.

    `record` is that run's record; evidence of the pod's last attempt is gathered where it has none. Every fix has been
    run; those that do not give the pod a node say so. Without fixes, `reason` tells why. Raises only for a bug.
    """
    manifest = load(source, FILES) if isinstance(source, str) else source
    data = record.to_builtins() if isinstance(record, Record) else record
    book = Book(manifest)
    refusal = _nothing_to_fix(manifest, Situation(book, data, pod_key))
    if refusal is not None:
        return Suggestions(reason=refusal)
    found = Search(book, data, pod_key, Laboratory(pod_key, budget)).suggestions(limit)
    if isinstance(source, str):
        return replace(found, fixes=[_as_written(fix, source) for fix in found.fixes])
    return found


def _nothing_to_fix(manifest: Manifest, situation: Situation) -> Text | None:
    pod, record = situation.pod_key, situation.record
    if manifest.has_errors or record.get("error") or record.get("scenarioError"):
        return text(N_("The text does not run as it is; mend what it is refused for first."))
    if pod not in record.get("pods", {}) or situation.pod is None:
        return text(N_("%(pod)s is not in the cluster at the end of the run."), pod=pod)
    if node := situation.node_of(pod):
        return text(N_("%(pod)s has a node: %(node)s."), pod=pod, node=node)
    if pod in record.get("queue", {}).get("waitingOnPermit", []):
        return text(N_("%(pod)s holds a node and waits at Permit: allow it, or let time pass."), pod=pod)
    return None


def _as_written(fix: Fix, source: str) -> Fix:
    """The fix with the byte order mark and the line ends of the source."""
    edited = fix.edited_text
    if source.count("\r\n") and source.count("\r\n") == source.count("\n"):
        edited = edited.replace("\n", "\r\n")
    return replace(fix, edited_text=("\ufeff" if source.startswith("\ufeff") else "") + edited)
