"""The search: every candidate is run, then pairs if none is enough, within the budget."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from scheduler_lab.engine.evidence import N_, Text, text
from scheduler_lab.engine.explain.edits.homes import Book
from scheduler_lab.engine.explain.fixes.effects import effects
from scheduler_lab.engine.explain.fixes.families import candidates
from scheduler_lab.engine.explain.fixes.hunks import hunks, size
from scheduler_lab.engine.explain.fixes.model import DRASTIC, LARGE, Candidate, Fix, Step, Suggestions
from scheduler_lab.engine.explain.fixes.situation import Json, Situation, pod_ref
from scheduler_lab.engine.explain.fixes.trial import Laboratory, OutOfBudget, Trial

Order = tuple[bool, int, int, int, bool]
"""Verified ones first; then how far the fix goes, counting harm to others; how much it changes; pod before cluster."""

PER_KIND = 2
FAILURES_PER_KIND = 4
FIRST_STEPS = 10
SECOND_STEPS = 12
NOT_ENOUGH_SHOWN = 2


class Search:
    """One search for one pod."""

    def __init__(self, book: Book, record: Json, pod_key: str, laboratory: Laboratory) -> None:
        self._book = book
        self._record = record
        self._pod = pod_key
        self._laboratory = laboratory
        self._tried: set[frozenset[str]] = set()
        self._kinds: Counter[tuple[str, bool]] = Counter()
        self._works: list[Trial] = []
        self._fails: list[Trial] = []
        self._cut_short = False

    def suggestions(self, limit: int) -> Suggestions:
        """The best fixes that the budget allowed to find."""
        try:
            self._singles()
            if all(trial.candidates[0].rank == DRASTIC for trial in self._works):
                self._pairs()
        except OutOfBudget:
            self._cut_short = True
        fixes = sorted((self._fix(trial) for trial in self._works), key=_order)[:limit]
        if len(fixes) < limit:
            closer = [trial for trial in self._fails if len(trial.candidates) == 1 and self._moved(trial)]
            rest = sorted((self._fix(trial) for trial in closer), key=_order)
            fixes += rest[: min(NOT_ENOUGH_SHOWN, limit - len(fixes))]
        return Suggestions(
            [fix for _rank, fix in fixes],
            self._reason(),
            self._laboratory.runs,
            self._laboratory.seconds,
        )

    # -- trying ------------------------------------------------------------------------------------------------

    def _singles(self) -> None:
        situation = self._laboratory.explained(self._book, self._record, self._pod)
        for candidate in sorted(candidates(situation), key=_urgency):
            self._try(self._book, (candidate,), candidate)

    def _pairs(self) -> None:
        """Pairs, beginning with the edits that removed an obstacle."""
        firsts = sorted((t for t in self._fails if self._moved(t)), key=lambda t: _urgency(t.candidates[0]))
        for first in _one_of_a_kind_first(firsts)[:FIRST_STEPS]:
            situation = self._laboratory.explained(first.book, first.record, first.pod)
            seconds = sorted(candidates(situation), key=_urgency)
            for second in seconds[:SECOND_STEPS]:
                self._try(first.book, (*first.candidates, second), second)

    def _try(self, book: Book, both: tuple[Candidate, ...], new: Candidate) -> None:
        keys = frozenset(candidate.key for candidate in both)
        kind = "+".join(sorted({candidate.kind for candidate in both}))
        if keys in self._tried or len(keys) < len(both) or self._kinds[kind, True] >= PER_KIND:
            return
        if self._kinds[kind, False] >= FAILURES_PER_KIND:
            return
        self._tried.add(keys)
        trial = self._laboratory.attempt(book, both, new.changes)
        if trial is None:
            return
        self._kinds[kind, trial.works] += 1
        (self._works if trial.works else self._fails).append(trial)

    def _moved(self, trial: Trial) -> bool:
        """Whether the pod came further, or fails for another reason, than before."""
        before = Situation(self._book, self._record, self._pod)
        after = Situation(trial.book, trial.record, trial.pod)
        old = {rejection.node: (rejection.plugin, rejection.reasons) for rejection in before.rejections}
        new = {rejection.node: (rejection.plugin, rejection.reasons) for rejection in after.rejections}
        if old:
            return any(new.get(node) != verdict for node, verdict in old.items())
        return trial.outcome.waiting or _without_counts(before.message) != _without_counts(after.message)

    # -- telling -----------------------------------------------------------------------------------------------

    def _fix(self, trial: Trial) -> tuple[Order, Fix]:
        diff = hunks(self._book.manifest.text, trial.text)
        others, harm = effects(self._record, trial.record, self._no_news(trial))
        first, *more = trial.candidates
        side = "cluster" if any(c.side == "cluster" for c in trial.candidates) else "pod"
        rank = max(candidate.rank for candidate in trial.candidates)
        fix = Fix(
            id=f"{first.kind}-{sha256(trial.text.encode()).hexdigest()[:10]}",
            title=first.title,
            why=first.why,
            side="cluster" if side == "cluster" else "pod",
            edited_text=trial.text,
            diff=diff,
            outcome=trial.outcome,
            verified=trial.works,
            size=size(diff),
            then=[Step(candidate.title, candidate.why) for candidate in more],
            effects=others,
            harm=harm,
        )
        weight = sum(candidate.weight for candidate in trial.candidates)
        return (not trial.works, max(rank, LARGE) if harm else rank, rank, weight, side == "cluster"), fix

    def _no_news(self, trial: Trial) -> set[str]:
        """The pods of which the fix itself tells: this one, deleted ones, and siblings that got another name."""
        known = {self._pod, trial.pod, *trial.deleted}
        if trial.pod != self._pod:
            maker = self._book.maker(pod_ref(self._pod))
            for book, record in ((self._book, self._record), (trial.book, trial.record)):
                known |= {key for key in record.get("pods", {}) if book.maker(pod_ref(key)) == maker}
        return known

    def _reason(self) -> Text | None:
        if self._cut_short and not self._works:
            return text(N_("The search for a fix was cut short: running this text takes long."))
        if self._cut_short:
            return text(N_("There may be more fixes: the search was cut short, since running this text takes long."))
        if self._works:
            return None
        if self._tried:
            return text(N_("None of the edits that were tried, alone or two together, gives the pod a node."))
        return text(N_("Nothing in this text is known to stand in the way in a form that an edit could change."))


def _urgency(candidate: Candidate) -> tuple[int, bool]:
    return candidate.rank, candidate.side == "cluster"


def _order(ranked: tuple[Order, Fix]) -> Order:
    return ranked[0]


def _one_of_a_kind_first(trials: Iterable[Trial]) -> list[Trial]:
    """The trials so that every kind has its turn before the second of a kind."""
    seen: Counter[str] = Counter()
    ranked = []
    for trial in trials:
        kind = trial.candidates[0].kind
        ranked.append((seen[kind], trial))
        seen[kind] += 1
    return [trial for _turn, trial in sorted(ranked, key=lambda item: item[0])]


def _without_counts(message: str) -> str:
    return re.sub(r"\d+", "", message)
