"""What would have made another node win: other weights of the scores, computed from the scores that were given."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from scheduler_lab.present.facts import CycleFacts

MOST = 3
HIGHEST = 100
"""A weight beyond this is no useful answer."""


def turning_points(facts: CycleFacts) -> list[str]:
    """The smallest changes of one plugin's weight with which another node has the most points, nearest first.

    A normalised score does not depend on any weight, so the totals follow exactly. A tie is no other outcome.
    """
    found = sorted((abs(new - old), plugin, old, new, winner) for plugin, old, new, winner in _changes(facts))
    said = [_sentence(plugin, old, new, winner) for _by, plugin, old, new, winner in found[:MOST]]
    if not said and facts.margin:
        return [_("No other weight of a single plugin makes another node win.")]
    return said


def _sentence(plugin: str, old: int, new: int, winner: str) -> str:
    if new == 0:
        return _("Without the points of %(plugin)s, %(node)s would have won.") % {"plugin": plugin, "node": winner}
    return _("With weight %(new)s instead of %(old)s for %(plugin)s, %(node)s would have won.") % {
        "plugin": plugin,
        "node": winner,
        "new": new,
        "old": old,
    }


def _changes(facts: CycleFacts) -> Iterator[tuple[str, int, int, str]]:
    """(plugin, its weight, the nearest weight below or above with another winner, that winner)."""
    score, totals = facts.cycle.get("score", {}), facts.cycle.get("totals", {})
    chosen = facts.node or facts.ranking[0][0]
    plugins = {plugin for points in score.values() for plugin, entry in points.items() if "normalized" in entry}
    for plugin in sorted(plugins):
        given = {node: int(points[plugin]["normalized"]) for node, points in score.items() if plugin in points}
        old = _weight(score, plugin)
        if old is None or len(set(given.values())) < 2 or set(given) != set(totals) or chosen not in given:
            continue
        rest = {node: total - old * given[node] for node, total in totals.items()}
        for new in _nearest(rest, given, chosen):
            if 0 <= new <= HIGHEST and (winner := _winner(rest, given, new)):
                yield plugin, old, new, winner


def _nearest(rest: dict[str, int], given: dict[str, int], chosen: str) -> Iterator[int]:
    """The largest smaller and the smallest larger weight with which some node has more points than the chosen one."""
    below: list[int] = []
    above: list[int] = []
    for node in rest:
        # The node is ahead for every weight w with w × gain > lead.
        lead, gain = rest[chosen] - rest[node], given[node] - given[chosen]
        if gain > 0:
            above.append(lead // gain + 1)
        elif gain < 0:
            below.append(-(lead // -gain) - 1)
    if below:
        yield max(below)
    if above:
        yield min(above)


def _weight(score: dict[str, dict[str, dict[str, int]]], plugin: str) -> int | None:
    entries = [points[plugin] for points in score.values() if plugin in points]
    return next((e["weighted"] // e["normalized"] for e in entries if e.get("normalized") and "weighted" in e), None)


def _winner(rest: dict[str, int], given: dict[str, int], weight: int) -> str:
    """The node with the highest total for that weight, "" where two have it."""
    best = max(rest[node] + weight * given[node] for node in rest)
    first = [node for node in rest if rest[node] + weight * given[node] == best]
    return first[0] if len(first) == 1 else ""
