"""The phase tables of one cycle as rows of plain cells, for every kind of report."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from scheduler_lab.present.attempts import plugins_of
from scheduler_lab.present.facts import CycleFacts
from scheduler_lab.present.verdicts import code_word
from scheduler_lab.present.vocabulary import in_order

MOST_NODES = 40
POINTS = ("preFilter", "postFilter", "preScore", "reserve", "permit", "preBindPreFlight", "preBind", "bind", "postBind")


@dataclass(frozen=True)
class Grid:
    """A titled table; the first row of `rows` follows `head`. `right` are the columns that hold numbers."""

    title: str
    head: list[str]
    rows: list[list[str]] = field(default_factory=list)
    right: frozenset[int] = frozenset()


def answers(facts: CycleFacts) -> Grid:
    """What each plugin of the extension points without nodes answered; skipped ones in one line."""
    rows = []
    for point in POINTS:
        skipped = []
        for entry in facts.entries(point):
            if entry["code"] == "Skip":
                skipped.append(entry["plugin"])
                continue
            detail = ", ".join(entry.get("reasons", []))
            if entry.get("nominatedNode"):
                detail = _("nominated node: %(node)s") % {"node": entry["nominatedNode"]}
            if entry.get("timeoutSeconds"):
                detail = f"{detail} ({entry['timeoutSeconds']} s)".strip()
            rows.append([_title(point), entry["plugin"], entry["code"], detail])
        if skipped:
            rows.append([_title(point), "…", "Skip", ", ".join(skipped)])
    return Grid(_("Extension points"), [_("Extension point"), _("Plugin"), _("Code"), _("Reasons")], rows)


def _title(point: str) -> str:
    return point[0].upper() + point[1:]


def filter_grid(facts: CycleFacts) -> Grid | None:
    """Nodes × plugins of Filter; over MOST_NODES nodes, groups of nodes with the same verdict."""
    if not facts.filtered:
        return None
    if len(facts.filtered) > MOST_NODES:
        return _filter_groups(facts)
    plugins = plugins_of(facts) + in_order(name for name, _why, _final in facts.extender_failed.values())
    rows = []
    for node, verdicts in facts.filtered.items():
        by_plugin = {entry["plugin"]: entry for entry in verdicts}
        cells = []
        for plugin in plugins:
            entry = by_plugin.get(plugin)
            if entry is None:
                taken = facts.extender_failed.get(node)
                cells.append(f"✗ {taken[1]}" if taken and taken[0] == plugin else "")
            elif entry["code"] == "Success":
                cells.append("✓")
            else:
                sign = "⊘" if entry["code"] == "UnschedulableAndUnresolvable" else "✗"
                cells.append(f"{sign} {', '.join(entry.get('reasons', []))}".strip())
        rows.append([node, *cells])
    return Grid("Filter", [_("Node"), *plugins], rows)


def _filter_groups(facts: CycleFacts) -> Grid:
    rows = [[str(len(facts.feasible)), code_word("Success"), "", _some(facts.feasible)]] if facts.feasible else []
    rows += [
        [str(len(nodes)), code, f"{plugin}: {', '.join(reasons)}", _some(nodes)]
        for (plugin, code, reasons), nodes in facts.rejections().items()
    ]
    return Grid("Filter", [_("Nodes"), _("Code"), _("Reasons"), ""], rows, frozenset({0}))


def _some(nodes: list[str]) -> str:
    return ", ".join(nodes[:3]) + (", …" if len(nodes) > 3 else "")


def score_grid(facts: CycleFacts) -> Grid | None:
    """raw → normalised → weighted of every plugin and the total, best node first."""
    if not facts.ranking:
        return None
    score = facts.cycle.get("score", {})
    plugins = in_order(plugin for points in score.values() for plugin in points)
    rows = []
    for node, total in facts.ranking[:MOST_NODES]:
        points = [score.get(node, {}).get(plugin, {}) for plugin in plugins]
        rows.append([node, *(_chain(entry) for entry in points), str(total)])
    return Grid("Score", [_("Node"), *plugins, _("Total")], rows, frozenset(range(1, len(plugins) + 2)))


def _chain(entry: dict[str, int]) -> str:
    if "normalized" not in entry:
        return str(entry.get("weighted", ""))
    return f"{entry['raw']} → {entry['normalized']} → {entry['weighted']}"


def tables(facts: CycleFacts) -> list[Grid]:
    """Every table of a cycle, in the order of its extension points."""
    return [grid for grid in (answers(facts), filter_grid(facts), score_grid(facts)) if grid and grid.rows]
