"""The Score table: raw → normalised → × weight → total, and why the winner beat the next node."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.present import evidence
from scheduler_lab.present.evidence import EvidenceView
from scheduler_lab.present.facts import CycleFacts, Json, short_name
from scheduler_lab.present.links import Links
from scheduler_lab.present.vocabulary import DEFAULT_WEIGHTS, in_order

MOST_ROWS = 40
TOP = 15
BAR = 500


@dataclass(frozen=True)
class Points:
    """One plugin's points for one node; raw and normalised are "" for an extender."""

    plugin: str
    raw: str
    normalized: str
    weighted: int
    url: str = ""
    open: bool = False
    ident: str = ""


@dataclass(frozen=True)
class Column:
    plugin: str
    weight: int | None
    extender: bool = False


@dataclass(frozen=True)
class ScoreRow:
    node: str
    chosen: bool
    points: list[Points]
    total: int
    bar: int
    evidence: EvidenceView | None = None


@dataclass(frozen=True)
class ScoreTable:
    columns: list[Column]
    rows: list[ScoreRow]
    quiet: list[str]
    hidden: int
    won: str
    because: list[str] = field(default_factory=list)
    width: int = 0

    @property
    def detail(self) -> bool:
        """Whether `because` is a list of differences rather than a sentence."""
        return bool(self.because) and not self.because[0].endswith(".")


def build(facts: CycleFacts, links: Links, text: str, lines: dict[str, int]) -> ScoreTable | None:
    """The score table of a cycle, None when nothing was scored. Best node first; of more than MOST_ROWS the TOP."""
    if not facts.ranking:
        return None
    score = facts.cycle.get("score", {})
    plugins = in_order(plugin for points in score.values() for plugin in points)
    quiet = [p for p in plugins if all(not points.get(p, {}).get("weighted") for points in score.values())]
    if links.selection.every or len(quiet) == len(plugins):
        quiet = []
    columns = [_column(p, score) for p in plugins if p not in quiet]
    shown = facts.ranking if len(facts.ranking) <= MOST_ROWS else facts.ranking[:TOP]
    best = max(1, facts.ranking[0][1])
    top = max(best, 100 * sum(column.weight or 0 for column in columns))
    rows = [
        ScoreRow(
            node,
            node == (facts.node or facts.ranking[0][0]),
            [_points(score.get(node, {}), column.plugin, node, links) for column in columns],
            total,
            max(0, round(BAR * total / top)),
            _opened(facts, links, text, lines) if links.selection.node == node else None,
        )
        for node, total in shown
    ]
    won, because = why(facts)
    width = 3 + sum(1 if column.extender else 3 for column in columns)
    return ScoreTable(columns, rows, quiet, len(facts.ranking) - len(shown), won, because, width)


def _column(plugin: str, score: Json) -> Column:
    entries = [points[plugin] for points in score.values() if plugin in points]
    if all("normalized" not in entry for entry in entries):
        return Column(plugin, None, extender=True)
    weights = [entry["weighted"] // entry["normalized"] for entry in entries if entry.get("normalized")]
    return Column(plugin, weights[0] if weights else DEFAULT_WEIGHTS.get(plugin))


def _points(points: Json, plugin: str, node: str, links: Links) -> Points:
    entry = points.get(plugin, {})
    is_open = (links.selection.node, links.selection.plugin) == (node, plugin)
    opened = {"node": "", "plugin": ""} if is_open else {"node": node, "plugin": plugin}
    ident = f"s-{node}-{plugin}"
    return Points(
        plugin,
        str(entry.get("raw", "")),
        str(entry.get("normalized", "")),
        entry.get("weighted", 0),
        links.to(phase="Score", anchor=ident, **opened) if "normalized" in entry else "",
        is_open,
        ident,
    )


def _opened(facts: CycleFacts, links: Links, text: str, lines: dict[str, int]) -> EvidenceView | None:
    node, plugin = links.selection.node, links.selection.plugin
    entry = facts.cycle.get("score", {}).get(node, {}).get(plugin)
    if entry is None or "raw" not in entry:
        return None
    title = _("%(plugin)s gives %(node)s %(points)s points for %(pod)s.") % {
        "plugin": plugin,
        "node": node,
        "points": entry["weighted"],
        "pod": short_name(facts.pod),
    }
    steps = _("raw %(raw)s → normalised %(normalized)s → weighted %(weighted)s") % entry
    return evidence.view(
        facts.evidence("score", node, plugin),
        plugin=plugin,
        node=node,
        verdict="chosen",
        title=title,
        text=text,
        lines=lines,
        reasons=[steps],
    )


def why(facts: CycleFacts) -> tuple[str, list[str]]:
    """(who won and by how much, what each plugin added to the difference, biggest first)."""
    margin = facts.margin
    if margin is None:
        return "", []
    if margin.tied:
        others = ", ".join(margin.tied[:3])
        won = _("%(node)s and %(others)s have the same total; the lab takes the smaller name.") % {
            "node": margin.winner,
            "others": others,
        }
        return won, [_difference(plugin, delta) for plugin, delta in margin.by_plugin]
    won = ngettext(
        "%(node)s won by %(points)s point over %(next)s.",
        "%(node)s won by %(points)s points over %(next)s.",
        margin.points,
    ) % {"node": margin.winner, "points": margin.points, "next": margin.runner_up}
    if len(margin.by_plugin) == 1:
        return won, [_("All of it comes from %(plugin)s.") % {"plugin": margin.by_plugin[0][0]}]
    return won, [_difference(plugin, delta) for plugin, delta in margin.by_plugin]


def _difference(plugin: str, delta: int) -> str:
    return f"{plugin} {'+' if delta > 0 else '−'}{abs(delta)}"
