"""Why a node won, and what a failure text counts."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from scheduler_lab.engine.explain.compare import points
from scheduler_lab.engine.record import Cycle, Record

Json = dict[str, Any]
NOT_HELPFUL: Final = "Preemption is not helpful for scheduling"
NO_VICTIMS: Final = "No preemption victims found for incoming pod"
UNRESOLVABLE: Final = "UnschedulableAndUnresolvable"
PREEMPTION: Final = "DefaultPreemption"
_HEAD = re.compile(r"\d+/\d+ nodes are available: ")
# A count and its reason, up to the comma before the next count or the full stop that ends the list.
_PART = re.compile(r"(\d+) (.+?)(?=, \d+ |\.(?:[ ,]|$)|\.?$)")
_EXCLUDED = re.compile(r"node\(s\) didn't satisfy plugin\(s\) \[(.*)\]")


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One counted part of a failure text. `point` is Filter, PostFilter (the part after "preemption:") or Permit.

    `start` and `end` are its place in the text; `nodes` are the nodes that it counts, as far as the record names them.
    """

    count: int
    reason: str
    point: str
    start: int
    end: int
    plugins: list[str] = []
    nodes: list[str] = []


def as_json(cycle: Cycle | Json) -> Json:
    """A cycle as the record's JSON has it."""
    if not isinstance(cycle, Cycle):
        return cycle
    found: Json = Record(cycles=[cycle]).to_builtins()["cycles"][0]
    return found


def why_won(cycle: Cycle | Json) -> list[tuple[str, int]]:
    """By how many weighted points each plugin put the winner ahead of the next best node, biggest difference first.

    Negative where the other node was ahead; plugins without a difference are left out. Empty when fewer than two nodes
    were scored.
    """
    data = as_json(cycle)
    totals: dict[str, int] = data.get("totals") or {}
    winner = (data.get("result") or {}).get("node", "")
    if winner not in totals or len(totals) < 2:
        return []
    second = min((node for node in totals if node != winner), key=lambda node: (-totals[node], node))
    ours, theirs = points(data, winner), points(data, second)
    differences = {plugin: ours.get(plugin, 0) - theirs.get(plugin, 0) for plugin in {**ours, **theirs}}
    found = [(plugin, difference) for plugin, difference in differences.items() if difference]
    return sorted(found, key=lambda item: (-abs(item[1]), item[0]))


def message_parts(cycle: Cycle | Json) -> list[Part]:
    """The counted parts of the cycle's failure text, in order, with the nodes that each counts."""
    data = as_json(cycle)
    message: str = (data.get("result") or {}).get("message", "")
    nested = message.find("preemption: ")
    found: list[Part] = []
    for head in _HEAD.finditer(message):
        point = "PostFilter" if 0 <= nested < head.start() else _point(data)
        at = head.end()
        while match := _PART.match(message, at):
            plugins, nodes = _counted(data, match.group(2), point)
            found.append(Part(int(match.group(1)), match.group(2), point, match.start(), match.end(), plugins, nodes))
            if message[match.end() : match.end() + 2] != ", ":
                break
            at = match.end() + 2
    return found


def rejected(cycle: Json) -> dict[str, Json]:
    """Each rejected node's last verdict in Filter."""
    last = {node: verdicts[-1] for node, verdicts in cycle.get("filter", {}).items() if verdicts}
    return {node: verdict for node, verdict in last.items() if verdict["code"] not in ("Success", "Skip")}


def excluded(cycle: Json) -> list[str]:
    """The nodes that PreFilter left out of Filter, as far as the record draws the cluster."""
    seen = cycle.get("filter", {})
    return [node["name"] for node in cycle.get("x-cluster", []) if node["name"] not in seen]


def _point(cycle: Json) -> str:
    passed = any(not verdicts or verdicts[-1]["code"] == "Success" for verdicts in cycle.get("filter", {}).values())
    return "Permit" if passed and cycle.get("permit") else "Filter"


def _counted(cycle: Json, reason: str, point: str) -> tuple[list[str], list[str]]:
    """The plugins that gave the reason and the nodes that it counts."""
    verdicts = rejected(cycle)
    if point == "PostFilter":
        return [PREEMPTION], _dry_run_nodes(cycle, verdicts, reason)
    if point == "Permit":
        return [v["plugin"] for v in cycle.get("permit", []) if v["code"] != "Success"], []
    if match := _EXCLUDED.fullmatch(reason):
        return match.group(1).split(" "), excluded(cycle)
    nodes = [node for node, verdict in verdicts.items() if reason in verdict.get("reasons", ())]
    for call in cycle.get("extenders", []):
        for member in ("failed", "failedAndUnresolvable"):
            nodes += [node for node, said in (call.get("result", {}).get(member) or {}).items() if said == reason]
    plugins = dict.fromkeys(verdicts[node]["plugin"] for node in nodes if node in verdicts)
    return list(plugins), list(dict.fromkeys(nodes))


def _dry_run_nodes(cycle: Json, verdicts: dict[str, Json], reason: str) -> list[str]:
    if reason == NOT_HELPFUL:
        final = [node for node, verdict in verdicts.items() if verdict["code"] == UNRESOLVABLE]
        return [*final, *excluded(cycle)]
    return [node for node, why in dry_runs(cycle).items() if reason in why]


def dry_runs(cycle: Json) -> dict[str, str]:
    """Why preemption's dry run failed, by node; from the evidence, or without it where all nodes failed alike."""
    evidence = (cycle.get("x-evidence") or {}).get("postFilter", {}).get(PREEMPTION) or {}
    rows: list[list[str]] = (evidence.get("table") or {}).get("rows", [])
    if rows:
        return {row[0]: row[-1] for row in rows if row[-1]}
    message: str = (cycle.get("result") or {}).get("message", "")
    _, _, nested = message.partition("preemption: ")
    head = _HEAD.search(nested)
    reasons = {match.group(2) for match in _PART.finditer(nested, head.end())} - {NOT_HELPFUL} if head else set()
    if len(reasons) != 1:
        return {}
    why = reasons.pop()
    return {node: why for node, verdict in rejected(cycle).items() if verdict["code"] != UNRESOLVABLE}
