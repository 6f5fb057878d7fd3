"""What a `lab/v1 Extender` document answers to each call.

Runs and the site's HTTP endpoint both ask here, so that the same rules give the same verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from scheduler_lab.engine.objects.lab import Extender, ExtenderFilter

Role = Literal["filter", "prioritize", "preemption", "bind"]
ROLES: Final[tuple[Role, ...]] = ("filter", "prioritize", "preemption", "bind")
"""What an extender can be asked for. The verb, the last part of the address, is free in a configuration."""

OK: Final = 200
FAILED: Final = 500
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FilterAnswer:
    """Reasons by node, in the order of the nodes asked about; or an error text; or an HTTP status other than 200."""

    status: int = OK
    error: str = ""
    failed: dict[str, str] = field(default_factory=dict)
    unresolvable: dict[str, str] = field(default_factory=dict)

    def passes(self, node: str) -> bool:
        """Whether the answer leaves a node in."""
        return not self.error and node not in self.failed and node not in self.unresolvable


@dataclass(frozen=True, slots=True)
class ScoreAnswer:
    """Scores of the nodes that the document names, as it gives them: 0 to 10 is the custom, nothing checks it."""

    status: int = OK
    scores: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreemptionAnswer:
    """The candidate nodes that are kept. An error has no place in the reply's JSON, so it comes with status 500."""

    status: int = OK
    error: str = ""
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BindAnswer:
    """An empty error agrees to the binding."""

    status: int = OK
    error: str = ""


def filter_nodes(script: Extender, nodes: Sequence[str]) -> FilterAnswer:
    """The answer to a filter call about these nodes."""
    rules = script.filter or ExtenderFilter()
    status = _status(script, rules.http_status)
    if status != OK:
        return FilterAnswer(status)
    if rules.error:
        return FilterAnswer(error=rules.error)
    return FilterAnswer(failed=_among(rules.failed, nodes), unresolvable=_among(rules.failed_and_unresolvable, nodes))


def prioritize_nodes(script: Extender, nodes: Sequence[str]) -> ScoreAnswer:
    """The answer to a prioritize call about these nodes."""
    status = _status(script)
    return ScoreAnswer(status) if status != OK else ScoreAnswer(scores=_among(script.prioritize or {}, nodes))


def keep_candidates(script: Extender, nodes: Iterable[str]) -> PreemptionAnswer:
    """The answer to a preemption call with these candidate nodes."""
    status = _status(script)
    if status != OK:
        return PreemptionAnswer(status)
    rules = script.preempt
    if rules is None:
        return PreemptionAnswer(kept=tuple(nodes))
    if rules.error:
        return PreemptionAnswer(FAILED, rules.error)
    kept = (node for node in nodes if (rules.keep is None or node in rules.keep) and node not in rules.drop)
    return PreemptionAnswer(kept=tuple(kept))


def bind_pod(script: Extender) -> BindAnswer:
    """The answer to a bind call."""
    status = _status(script)
    return BindAnswer(status) if status != OK else BindAnswer(error=script.bind.error if script.bind else "")


def _status(script: Extender, own: int = 0) -> int:
    return own or script.http_status or OK


def _among(by_node: dict[str, T], nodes: Sequence[str]) -> dict[str, T]:
    return {name: by_node[name] for name in nodes if name in by_node}
