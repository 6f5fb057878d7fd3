"""What one cycle of a record says, without words: which nodes passed, where it stopped, who won and by how much."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Json = dict[str, Any]
REJECTED = ("Unschedulable", "UnschedulableAndUnresolvable", "Error", "Pending")


def short_name(pod: str) -> str:
    """`default/web` as `web`; pods of other namespaces keep theirs."""
    return pod.removeprefix("default/")


@dataclass(frozen=True)
class Margin:
    """How far the winner was ahead of the next node, and what each plugin added to that (weighted points)."""

    winner: str
    runner_up: str
    points: int
    by_plugin: list[tuple[str, int]]
    tied: list[str]


class CycleFacts:
    """Reads one cycle of a record (`number` counts from 1). Nothing here decides; the record has decided."""

    def __init__(self, cycle: Json, number: int = 1, previous: Json | None = None) -> None:
        self.cycle = cycle
        self.number = number
        self.previous = previous
        self.result: Json = cycle.get("result", {})

    @property
    def pod(self) -> str:
        return str(self.cycle["pod"])

    @property
    def attempt(self) -> int:
        return int(self.cycle.get("attempt", 1))

    @property
    def code(self) -> str:
        """The result's code; "" when the pod was bound."""
        return str(self.result.get("code", ""))

    @property
    def node(self) -> str:
        return str(self.result.get("node", ""))

    @property
    def selected(self) -> str:
        """The node that was chosen, also where a later extension point rejected the pod; "" when none was."""
        if self.node or not self.feasible:
            return self.node
        return self.ranking[0][0] if self.ranking else self.feasible[0]

    @property
    def message(self) -> str:
        return str(self.result.get("message", ""))

    @cached_property
    def filtered(self) -> dict[str, list[Json]]:
        filtered: dict[str, list[Json]] = self.cycle.get("filter", {})
        return filtered

    @cached_property
    def extender_failed(self) -> dict[str, tuple[str, str, bool]]:
        """Nodes that an extender's filter took away: node → (extender, reason, unresolvable)."""
        failed: dict[str, tuple[str, str, bool]] = {}
        for call in self.cycle.get("extenders", []):
            result = call.get("result", {})
            for member, final in (("failed", False), ("failedAndUnresolvable", True)):
                for node, reason in (result.get(member) or {}).items():
                    failed[node] = (call["name"], reason, final)
        return failed

    @cached_property
    def binder(self) -> str:
        """The extender that was asked to bind the pod; "" when none was."""
        calls = self.cycle.get("x-calls", [])
        asked = [call["extender"] for call in calls if call["role"] == "bind"]
        # Records that are not the lab's own name the verb only.
        asked += [call["name"] for call in self.cycle.get("extenders", []) if not calls and call["verb"] == "bind"]
        return str(asked[-1]) if asked else ""

    @cached_property
    def feasible(self) -> list[str]:
        """Nodes that passed Filter, the extenders' too."""
        return [
            node
            for node, verdicts in self.filtered.items()
            if (not verdicts or verdicts[-1]["code"] == "Success") and node not in self.extender_failed
        ]

    @cached_property
    def total_nodes(self) -> int:
        """All nodes that the scheduler saw in this cycle."""
        if match := re.match(r"0/(\d+) nodes are available", self.message):
            # Reserve and Permit count one node, whatever the cluster has.
            return max(int(match.group(1)), len(self.filtered))
        return max(len(self.cycle.get("x-cluster", [])), int(self.cycle.get("x-nodes", 0)), len(self.filtered))

    @cached_property
    def ranking(self) -> list[tuple[str, int]]:
        """Scored nodes, best first, as the record's ties go: by total, then by name."""
        return sorted(self.cycle.get("totals", {}).items(), key=lambda item: (-item[1], item[0]))

    @cached_property
    def margin(self) -> Margin | None:
        """Why the winner beat the next node; None without scoring of two nodes."""
        if len(self.ranking) < 2:
            return None
        (winner, best), (second, next_best) = self.ranking[:2]
        score = self.cycle.get("score", {})
        ours, theirs = score.get(winner, {}), score.get(second, {})
        deltas = {
            plugin: ours.get(plugin, {}).get("weighted", 0) - theirs.get(plugin, {}).get("weighted", 0)
            for plugin in {*ours, *theirs}
        }
        by_plugin = sorted(((p, d) for p, d in deltas.items() if d), key=lambda item: (-abs(item[1]), item[0]))
        tied = [node for node, total in self.ranking[1:] if total == best]
        return Margin(winner, second, best - next_best, by_plugin, tied)

    @property
    def tried_nominated_first(self) -> bool:
        """Whether only the node nominated by this pod's attempt before was looked at, and it passed."""
        if not self.previous:
            return False
        nominated = self.previous.get("result", {}).get("nominatedNode")
        return bool(nominated) and list(self.filtered) == [nominated] and self.total_nodes > 1 and not self.ranking

    def rejections(self) -> dict[tuple[str, str, tuple[str, ...]], list[str]]:
        """Rejected nodes grouped by (plugin, code, reasons), the largest group first."""
        groups: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
        for node, verdicts in self.filtered.items():
            if verdicts and verdicts[-1]["code"] != "Success":
                last = verdicts[-1]
                groups.setdefault((last["plugin"], last["code"], tuple(last.get("reasons", ()))), []).append(node)
        for node, (extender, reason, final) in self.extender_failed.items():
            code = "UnschedulableAndUnresolvable" if final else "Unschedulable"
            groups.setdefault((extender, code, (reason,)), []).append(node)
        return dict(sorted(groups.items(), key=lambda item: -len(item[1])))

    def entries(self, point: str) -> list[Json]:
        entries: list[Json] = self.cycle.get(point, [])
        return entries

    def evidence(self, *keys: str) -> Json | None:
        """`x-evidence` at a path of keys, or None where the engine left none."""
        found: Any = self.cycle.get("x-evidence", {})
        for key in keys:
            if not isinstance(found, dict) or key not in found:
                return None
            found = found[key]
        evidence: Json = found
        return evidence


def previous_attempts(cycles: list[Json]) -> list[Json | None]:
    """For each cycle, the cycle of the same pod's attempt before it."""
    last: dict[str, Json] = {}
    before: list[Json | None] = []
    for cycle in cycles:
        before.append(last.get(cycle["pod"]))
        last[cycle["pod"]] = cycle
    return before
