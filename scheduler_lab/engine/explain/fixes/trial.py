"""A candidate tried: the text with its changes, run, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from scheduler_lab.engine.evidence.mode import NONE, EvidenceMode
from scheduler_lab.engine.explain.edits import Change, Delete, EditError, apply
from scheduler_lab.engine.explain.edits.homes import Book
from scheduler_lab.engine.explain.fixes.model import Budget, Candidate, Outcome
from scheduler_lab.engine.explain.fixes.situation import Json, Situation, pod_ref
from scheduler_lab.engine.manifests import FILES, Manifest, load
from scheduler_lab.engine.simulation import run


class OutOfBudget(Exception):
    """Another run would cost more than the search may."""


@dataclass(frozen=True)
class Trial:
    """What came of candidates that were applied together. `pod` is the pod in the new run (see `counterpart`)."""

    candidates: tuple[Candidate, ...]
    book: Book
    record: Json
    pod: str
    outcome: Outcome

    @property
    def text(self) -> str:
        """The edited text."""
        return self.book.manifest.text

    @property
    def works(self) -> bool:
        """Whether the pod got a node."""
        return bool(self.outcome.node) and not self.outcome.waiting

    @property
    def deleted(self) -> set[str]:
        """The pods that the edit itself takes out."""
        changes = [change for candidate in self.candidates for change in candidate.changes]
        refs = [c.target for c in changes if isinstance(c, Delete) and c.target.kind == "Pod"]
        return {f"{ref.namespace}/{ref.name}" for ref in refs}


class Laboratory:
    """Runs edited texts as long as the budget lasts."""

    def __init__(self, pod_key: str, budget: Budget) -> None:
        self._pod = pod_key
        self._budget = budget
        self._began = time.monotonic()
        self._slowest = 0.0
        self.runs = 0

    @property
    def seconds(self) -> float:
        """The time spent so far."""
        return time.monotonic() - self._began

    def run(self, manifest: Manifest, evidence: EvidenceMode = NONE) -> Json:
        """The record of a run as plain data; raises OutOfBudget instead of running too often or too long."""
        self._afford()
        began = time.monotonic()
        record = run(manifest, evidence).to_builtins()
        self._slowest = max(self._slowest, time.monotonic() - began)
        self.runs += 1
        return record

    def _afford(self) -> None:
        if self.runs >= self._budget.runs or self.seconds + self._slowest > self._budget.seconds:
            raise OutOfBudget

    def explained(self, book: Book, record: Json, pod: str) -> Situation:
        """The situation of the pod with evidence; runs again for it if the record has none."""
        found = Situation(book, record, pod)
        if found.has_evidence:
            return found
        return Situation(book, self.run(book.manifest, EvidenceMode(cycle=found.cycle_index)), pod)

    def attempt(self, book: Book, candidates: tuple[Candidate, ...], changes: Sequence[Change]) -> Trial | None:
        """Apply the changes to the book's text and run it; None when that cannot be done or is refused."""
        self._afford()
        began = time.monotonic()
        trial = self._attempt(book, candidates, changes)
        self._slowest = max(self._slowest, time.monotonic() - began)
        return trial

    def _attempt(self, book: Book, candidates: tuple[Candidate, ...], changes: Sequence[Change]) -> Trial | None:
        try:
            text = apply(book, changes)
        except EditError:
            return None
        if text == book.manifest.text:
            return None
        manifest = load(text, FILES)
        if manifest.has_errors:
            return None
        record = self.run(manifest)
        edited = Book(manifest)
        pod = counterpart(edited, record, self._pod)
        if record.get("error") or record.get("scenarioError") or pod is None:
            return None
        return Trial(candidates, edited, record, pod, outcome_of(record, pod))


def counterpart(book: Book, record: Json, pod_key: str) -> str | None:
    """The pod in another run. One that a changed template made has another name: then a sibling that has no node.

    So nothing counts as mended for such a pod before all pods of its workload have a node.
    """
    pods: dict[str, Json] = record.get("pods", {})
    maker = book.maker(pod_ref(pod_key))
    if pod_key in pods or maker is None:
        return pod_key if pod_key in pods else None
    siblings = [key for key in pods if book.maker(pod_ref(key)) == maker]
    return next((key for key in siblings if not pods[key].get("nodeName")), siblings[-1] if siblings else None)


def outcome_of(record: Json, pod_key: str) -> Outcome:
    """How the run ended for the pod."""
    state = record.get("pods", {}).get(pod_key, {})
    if state.get("nodeName"):
        return Outcome(node=state["nodeName"])
    attempts = [cycle for cycle in record.get("cycles", []) if cycle["pod"] == pod_key]
    result = attempts[-1].get("result", {}) if attempts else {}
    if pod_key in record.get("queue", {}).get("waitingOnPermit", []):
        return Outcome(node=result.get("node", ""), waiting=True)
    message = str(result.get("message", "") or (state.get("scheduled") or {}).get("message", ""))
    return Outcome(message=message, kept_out=not attempts)
