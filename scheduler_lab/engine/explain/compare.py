"""Two runs held against each other: only what changed."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec

from scheduler_lab.engine.record import Record

Json = dict[str, Any]
PASSED: Final = "Success"


class PodEnd(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pod at the end of a run. `waiting`: it holds `node` at Permit. `attempts` counts its scheduling attempts."""

    node: str = ""
    code: str = ""
    message: str = ""
    nominated: str = ""
    waiting: bool = False
    attempts: int = 0


class PodChange(msgspec.Struct, frozen=True):
    """A pod that ended otherwise. `kind`: new, gone, placed, lost, moved, or other (another message, more attempts)."""

    pod: str
    kind: str
    before: PodEnd | None
    after: PodEnd | None


class Judgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """How Filter judged a node: passed, or by which plugin it was rejected and why."""

    code: str = PASSED
    plugin: str = ""
    reasons: list[str] = []


class Flip(msgspec.Struct, frozen=True):
    """A node on which a pod's last attempts were judged differently; None where the node was not looked at."""

    pod: str
    node: str
    before: Judgement | None
    after: Judgement | None


class ScoreChange(msgspec.Struct, frozen=True):
    """Weighted points of one plugin for a node, other in one run than in the other; None: not scored."""

    pod: str
    node: str
    plugin: str
    before: int | None
    after: int | None


class EventChange(msgspec.Struct, frozen=True):
    """An event that was seen more often in one of the runs."""

    type: str
    reason: str
    regarding: str
    message: str
    before: int
    after: int


class Comparison(msgspec.Struct, frozen=True, omit_defaults=True):
    """What differs between two runs, for the pods' last attempts.

    `scores` are those of the nodes that won in either run. `more_flips`, `more_scores` and `more_events` count what the
    limit left out. `before` and `after` are the errors of runs that were refused.
    """

    pods: list[PodChange] = []
    flips: list[Flip] = []
    scores: list[ScoreChange] = []
    events: list[EventChange] = []
    new_nodes: list[str] = []
    gone_nodes: list[str] = []
    more_flips: int = 0
    more_scores: int = 0
    more_events: int = 0
    before: str = ""
    after: str = ""

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        lists = (self.pods, self.flips, self.scores, self.events, self.new_nodes, self.gone_nodes)
        return not any(lists) and self.before == self.after

    def of_kind(self, kind: str) -> list[PodChange]:
        """The pods that changed in one way."""
        return [change for change in self.pods if change.kind == kind]


def compare(before: Record | Json, after: Record | Json, *, limit: int = 200) -> Comparison:
    """What differs between two runs; at most `limit` flips, scores and events each."""
    old, new = _Run(before), _Run(after)
    both = [(key, old.last[key], new.last[key]) for key in old.last if key in new.last]
    flips = [flip for key, one, other in both for flip in _flips(key, one, other)]
    scores = [score for key, one, other in both for score in _scores(key, one, other)]
    events = _events(old.record, new.record)
    return Comparison(
        pods=[change for key in {**old.ends, **new.ends} if (change := _pod_change(key, old, new)) is not None],
        flips=flips[:limit],
        scores=scores[:limit],
        events=events[:limit],
        new_nodes=[name for name in new.nodes if name not in old.nodes],
        gone_nodes=[name for name in old.nodes if name not in new.nodes],
        more_flips=max(0, len(flips) - limit),
        more_scores=max(0, len(scores) - limit),
        more_events=max(0, len(events) - limit),
        before=old.error,
        after=new.error,
    )


class _Run:
    """One record with what is asked of it."""

    def __init__(self, record: Record | Json) -> None:
        self.record: Json = record.to_builtins() if isinstance(record, Record) else record
        cycles = self.record.get("cycles", [])
        self.last: dict[str, Json] = {cycle["pod"]: cycle for cycle in cycles}
        self._attempts = Counter(cycle["pod"] for cycle in cycles)
        self.ends = {key: self._end(key, state) for key, state in self.record.get("pods", {}).items()}
        self.error = str(self.record.get("error") or self.record.get("scenarioError") or "")
        drawn = [node["name"] for node in self.record.get("x-cluster", [])]
        seen = [name for cycle in cycles for name in cycle.get("filter", {})]
        self.nodes = dict.fromkeys(drawn or seen)

    def _end(self, key: str, state: Json) -> PodEnd:
        result: Json = self.last.get(key, {}).get("result") or {}
        waiting = key in self.record.get("queue", {}).get("waitingOnPermit", [])
        node = state.get("nodeName", "")
        condition = (state.get("scheduled") or {}).get("message", "")
        return PodEnd(
            node=result.get("node", "") if waiting else node,
            code="" if node else result.get("code", ""),
            message="" if node else result.get("message", "") or condition,
            nominated=state.get("nominatedNodeName", ""),
            waiting=waiting,
            attempts=self._attempts[key],
        )


def _pod_change(key: str, old: _Run, new: _Run) -> PodChange | None:
    before, after = old.ends.get(key), new.ends.get(key)
    if before == after:
        return None
    return PodChange(key, _kind(before, after), before, after)


def _kind(before: PodEnd | None, after: PodEnd | None) -> str:
    if before is None or after is None:
        return "new" if before is None else "gone"
    had, has = (end.node if not end.waiting else "" for end in (before, after))
    if had == has:
        return "other"
    if not had:
        return "placed"
    return "moved" if has else "lost"


def _judgements(cycle: Json) -> dict[str, Judgement]:
    found = {}
    for node, verdicts in cycle.get("filter", {}).items():
        last = verdicts[-1] if verdicts else {"code": PASSED}
        passed = last["code"] == PASSED
        found[node] = Judgement() if passed else Judgement(last["code"], last["plugin"], list(last.get("reasons", [])))
    return found


def _flips(key: str, before: Json, after: Json) -> list[Flip]:
    old, new = _judgements(before), _judgements(after)
    return [Flip(key, node, old.get(node), new.get(node)) for node in {**old, **new} if old.get(node) != new.get(node)]


def _scores(key: str, before: Json, after: Json) -> list[ScoreChange]:
    winners = dict.fromkeys((cycle.get("result") or {}).get("node", "") for cycle in (before, after))
    found = []
    for node in filter(None, winners):
        old, new = points(before, node), points(after, node)
        plugins = dict.fromkeys([*old, *new])
        found += [ScoreChange(key, node, p, old.get(p), new.get(p)) for p in plugins if old.get(p) != new.get(p)]
    return found


def points(cycle: Json, node: str) -> dict[str, int]:
    """A node's weighted points by plugin or extender; a plugin whose scores were out of range has none."""
    row: dict[str, Json] = (cycle.get("score") or {}).get(node, {})
    return {plugin: entry["weighted"] for plugin, entry in row.items() if entry.get("weighted") is not None}


def _events(old: Json, new: Json) -> list[EventChange]:
    before, after = (
        Counter((e["type"], e["reason"], e["regarding"], e["message"]) for e in record.get("events", []))
        for record in (old, new)
    )
    keys = dict.fromkeys([*before, *after])
    return [EventChange(*key, before[key], after[key]) for key in keys if before[key] != after[key]]
