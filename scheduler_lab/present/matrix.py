"""The Filter matrix: nodes × plugins; with many nodes, groups by verdict instead."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from scheduler_lab.present import evidence
from scheduler_lab.present.attempts import plugins_of
from scheduler_lab.present.evidence import EvidenceView
from scheduler_lab.present.facts import CycleFacts, Json, short_name
from scheduler_lab.present.links import CLEAN, Links
from scheduler_lab.present.names import natural
from scheduler_lab.present.verdicts import Verdict, code_word, of_code, word
from scheduler_lab.present.vocabulary import in_order, short_reason

MOST_ROWS = 40
FILTER_FROM = 12
"""Nodes beyond which the matrix offers to choose among them."""

PAGE = 60
QUIET = ("NodeName",)


@dataclass(frozen=True)
class Cell:
    """One verdict; `state` "off" is a plugin that did not run because an earlier one had rejected the node."""

    plugin: str
    state: str
    verdict: Verdict = "none"
    word: str = ""
    reason: str = ""
    full: str = ""
    url: str = ""
    open: bool = False
    ident: str = ""


@dataclass(frozen=True)
class Row:
    node: str
    zone: str
    cells: list[Cell]
    evidence: EvidenceView | None = None
    nominated: bool = False
    url: str = ""
    open: bool = False


@dataclass(frozen=True)
class Group:
    """Nodes with the same verdict; `nodes` is one page of them when the group is open."""

    index: int
    verdict: Verdict
    word: str
    label: str
    plugin: str
    count: int
    url: str
    open: bool
    nodes: list[tuple[str, str]] = field(default_factory=list)
    previous: str = ""
    next: str = ""
    shown: str = ""


@dataclass(frozen=True)
class NodeFilter:
    """The form that chooses nodes: what was asked for, what may be asked for, how many nodes that leaves."""

    find: str
    by: str
    verdict: str
    plugins: list[str]
    verdicts: list[tuple[Verdict, str]]
    left: int
    active: bool
    clear_url: str
    kept: list[tuple[str, str]]


@dataclass(frozen=True)
class Matrix:
    total: int
    left: int
    columns: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    evidence: EvidenceView | None = None
    quiet: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    not_seen: int = 0
    every: bool = False
    every_url: str = ""
    narrowed: bool = False
    nominated_first: bool = False
    filter: NodeFilter | None = None


def build(facts: CycleFacts, links: Links, text: str, lines: dict[str, int]) -> Matrix | None:
    """The matrix of a cycle's Filter, None when it did not run. At most MOST_ROWS rows, else groups."""
    if not facts.filtered:
        return None
    chosen = links.selection
    ran = plugins_of(facts)
    extenders = in_order(name for name, _why, _final in facts.extender_failed.values())
    skipped = in_order(
        e["plugin"] for e in facts.entries("preFilter") if e["code"] == "Skip" and e["plugin"] not in ran
    )
    failed = {plugin for plugin, _code, _why in facts.rejections()}
    quiet = [] if chosen.every else [name for name in ran if name in QUIET and name not in failed]
    columns = [name for name in ran if name not in quiet] + [name for name in extenders if name not in ran]
    if chosen.every:
        columns = in_order([*columns, *skipped])
    common = Matrix(
        total=len(facts.filtered),
        left=len(facts.feasible),
        quiet=quiet,
        skipped=skipped,
        not_seen=max(0, facts.total_nodes - len(facts.filtered)),
        every=chosen.every,
        every_url=links.to(every=not chosen.every, phase="Filter", anchor="filter"),
        narrowed=any(entry.get("nodeNames") for entry in facts.entries("preFilter")),
        nominated_first=facts.tried_nominated_first,
    )
    nodes = _chosen_nodes(facts, links)
    if len(facts.filtered) > FILTER_FROM:
        common = _with(common, filter=_filter(facts, links, ran + extenders, len(nodes)))
    if len(nodes) > MOST_ROWS:
        return _with(common, groups=_groups(facts, links, set(nodes)), evidence=_opened(facts, links, text, lines))
    zones = {node["name"]: node.get("zone", "") for node in facts.cycle.get("x-cluster", [])}
    nominated = set(facts.cycle.get("filterWithNominatedPods", []))
    rows = [
        Row(
            node,
            zones.get(node, ""),
            [_cell(facts, node, plugin, skipped, links) for plugin in columns],
            _opened(facts, links, text, lines) if node == chosen.node else None,
            node in nominated,
            links.to(anchor=f"r-{node}", node="" if _row_open(links, node) else node, plugin=""),
            _row_open(links, node),
        )
        for node in _node_order(facts)
        if node in nodes
    ]
    return _with(common, columns=columns, rows=rows)


def _row_open(links: Links, node: str) -> bool:
    """Whether what can be done to the node is shown, rather than one of its verdicts."""
    return links.selection.node == node and not links.selection.plugin


def _chosen_nodes(facts: CycleFacts, links: Links) -> dict[str, None]:
    """The nodes that the selection asks for, by name, by the plugin that judged last, by verdict."""
    wanted = links.selection
    if not wanted.filtered:
        return dict.fromkeys(facts.filtered)
    found: dict[str, None] = {}
    text = wanted.find.lower()
    for node in facts.filtered:
        plugin, verdict = _last(facts, node)
        if text in node.lower() and wanted.by in ("", plugin) and wanted.verdict in ("", verdict):
            found[node] = None
    return found


def _last(facts: CycleFacts, node: str) -> tuple[str, Verdict]:
    """The plugin that rejected a node and how, ("", "pass") for a node that passed."""
    if taken := facts.extender_failed.get(node):
        return taken[0], "unresolvable" if taken[2] else "reject"
    entries = facts.filtered[node]
    if not entries or entries[-1]["code"] == "Success":
        return "", "pass"
    return entries[-1]["plugin"], of_code(entries[-1]["code"])


def _filter(facts: CycleFacts, links: Links, ran: list[str], left: int) -> NodeFilter:
    wanted = links.selection
    judged = {_last(facts, node) for node in facts.filtered}
    verdicts: list[tuple[Verdict, str]] = [("pass", word("pass")), ("reject", word("reject"))]
    verdicts.append(("unresolvable", word("unresolvable")))
    found = {verdict for _plugin, verdict in judged}
    rejectors = {plugin for plugin, _verdict in judged}
    kept = {"cycle": wanted.cycle, "phase": wanted.phase, "against": wanted.against, "span": wanted.span}
    return NodeFilter(
        wanted.find,
        wanted.by,
        wanted.verdict,
        [plugin for plugin in dict.fromkeys(ran) if plugin in rejectors],
        [entry for entry in verdicts if entry[0] in found],
        left,
        wanted.filtered,
        links.to(**CLEAN, anchor="filter"),
        [(name, str(value)) for name, value in kept.items() if value and value != "run"],
    )


def _with(matrix: Matrix, **changes: object) -> Matrix:
    return replace(matrix, **changes)  # type: ignore[arg-type]


def _node_order(facts: CycleFacts) -> list[str]:
    """By zone, then by name with numbers as numbers: node-2 before node-10."""
    zones = {node["name"]: node.get("zone", "") for node in facts.cycle.get("x-cluster", [])}
    return sorted(facts.filtered, key=lambda node: (zones.get(node, ""), natural(node)))


def _cell(facts: CycleFacts, node: str, plugin: str, skipped: list[str], links: Links) -> Cell:
    entry = next((e for e in facts.filtered[node] if e["plugin"] == plugin), None)
    if entry is None and (taken := facts.extender_failed.get(node)) and taken[0] == plugin:
        code = "UnschedulableAndUnresolvable" if taken[2] else "Unschedulable"
        entry = {"plugin": plugin, "code": code, "reasons": [taken[1]]}
    if entry is None:
        if plugin in skipped:
            return Cell(plugin, "skip", "skip", full=_("had nothing to check for this pod"))
        return Cell(plugin, "off", full=_("not run, an earlier plugin rejected the node"))
    reasons = entry.get("reasons", [])
    is_open = links.selection.node == node and links.selection.plugin == plugin
    ident = f"c-{node}-{plugin}"
    opened = {"node": "", "plugin": ""} if is_open else {"node": node, "plugin": plugin}
    return Cell(
        plugin,
        "ran",
        of_code(entry["code"]),
        code_word(entry["code"]),
        ", ".join(short_reason(reason) for reason in reasons),
        ", ".join(reasons) or f"{plugin}: {code_word(entry['code'])}",
        links.to(phase=links.selection.phase, anchor=ident, **opened),
        is_open,
        ident,
    )


def entry_of(facts: CycleFacts, node: str, plugin: str) -> Json | None:
    """The Filter verdict of one plugin on one node, an extender's included."""
    for entry in facts.filtered.get(node, []):
        if entry["plugin"] == plugin:
            return entry
    taken = facts.extender_failed.get(node)
    if taken and taken[0] == plugin:
        return {
            "plugin": plugin,
            "code": "UnschedulableAndUnresolvable" if taken[2] else "Unschedulable",
            "reasons": [taken[1]],
        }
    return None


def _opened(facts: CycleFacts, links: Links, text: str, lines: dict[str, int]) -> EvidenceView | None:
    node, plugin = links.selection.node, links.selection.plugin
    entry = entry_of(facts, node, plugin) if node and plugin else None
    if entry is None:
        return None
    passed = entry["code"] == "Success"
    title = (_("%(plugin)s lets %(pod)s onto %(node)s.") if passed else _("%(plugin)s rejects %(node)s.")) % {
        "plugin": plugin,
        "node": node,
        "pod": short_name(facts.pod),
    }
    return evidence.view(
        facts.evidence("filter", node, plugin),
        plugin=plugin,
        node=node,
        verdict=of_code(entry["code"]),
        title=title,
        text=text,
        lines=lines,
        reasons=entry.get("reasons", []),
    )


def _groups(facts: CycleFacts, links: Links, shown: set[str]) -> list[Group]:
    """One group a verdict, of the nodes that are shown: the nodes left first, then the rejected, largest first."""
    named: list[tuple[Verdict, str, str, str, list[str]]] = []
    if passed := [node for node in facts.feasible if node in shown]:
        named.append(("pass", _("passed"), _("passed every plugin"), "", sorted(passed, key=natural)))
    for (plugin, code, reasons), members in facts.rejections().items():
        nodes = [node for node in members if node in shown]
        if not nodes:
            continue
        label = ", ".join(short_reason(reason) for reason in reasons)
        named.append((of_code(code), code_word(code), label, plugin, sorted(nodes, key=natural)))
    return [_group(index, *parts, facts=facts, links=links) for index, parts in enumerate(named)]


def _group(
    index: int,
    verdict: Verdict,
    word: str,
    label: str,
    plugin: str,
    nodes: list[str],
    *,
    facts: CycleFacts,
    links: Links,
) -> Group:
    chosen = links.selection
    is_open = chosen.group == index
    pages = (len(nodes) - 1) // PAGE + 1
    page = min(chosen.page, pages - 1) if is_open else 0
    part = nodes[page * PAGE : (page + 1) * PAGE] if is_open else []
    anchor = f"g-{index}"

    def ask(node: str) -> str:
        asked = plugin or (facts.filtered[node][-1]["plugin"] if facts.filtered[node] else "")
        return links.to(group=index, page=page, node=node, plugin=asked, anchor="evidence")

    return Group(
        index,
        verdict,
        word,
        label,
        plugin,
        len(nodes),
        links.to(group=-1 if is_open else index, page=0, node="", plugin="", anchor=anchor),
        is_open,
        [(node, ask(node)) for node in part],
        links.to(group=index, page=page - 1, anchor=anchor) if is_open and page else "",
        links.to(group=index, page=page + 1, anchor=anchor) if is_open and page + 1 < pages else "",
        f"{page * PAGE + 1}–{min((page + 1) * PAGE, len(nodes))} / {len(nodes)}" if pages > 1 and is_open else "",
    )
