"""What a node's spread score rests on: matching pods per domain, each constraint's weight, the normalisation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, text
from scheduler_lab.engine.evidence.format import number
from scheduler_lab.engine.evidence.marks import pod_mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.plugins.neighbours import label_mark, selector_text
from scheduler_lab.engine.plugins.pod_topology_spread.scoring import HOSTNAME, MAX_NODE_SCORE, SoftState

SHOWN_DOMAINS = 20

COLUMNS = [text(N_("Domain")), text(N_("Matching pods")), text(N_("Weight"))]


def explain_score(state: SoftState, pod: PodInfo, node: NodeInfo, sources: Sequence[Mark]) -> Evidence:
    """The raw score's sum and how Normalize turns it around."""
    marks = [pod_mark(pod, constraint.path) for constraint in state.constraints if constraint.path]
    marks += [label_mark(node, constraint.key) for constraint in state.constraints]
    marks = [*dict.fromkeys(marks), *sources]
    if node.name in state.ignored:
        missing = [constraint.key for constraint in state.constraints if constraint.key not in node.labels]
        sentence = text(
            N_(
                "Node %(node)s lacks %(keys)s. "
                "A node that misses any topology key is left out and gets 0, the worst score."
            ),
            node=node.name,
            keys=", ".join(missing),
        )
        return Evidence(sentence, marks=marks)
    raw = state.score(node)
    sentence = text(
        N_(
            "Raw score %(raw)s: the more matching pods in the node's domains, the higher. Normalize favours the lowest."
        ),
        raw=raw,
    )
    return Evidence(sentence, list(_rows(state, node, raw)), _domains(state, node), marks)


def _rows(state: SoftState, node: NodeInfo, raw: int) -> Iterator[Row]:
    total = 0.0
    for index, constraint, count, points in state.terms(node):
        total += points
        domain = f"{constraint.key}={node.labels[constraint.key]}"
        where = N_("Matching pods on this node") if constraint.key == HOSTNAME else N_("Matching pods in %(domain)s")
        yield Row(text(where, domain=domain), str(count), "+" if index else "", "used", count)
        weight = state.weights[index]
        label = text(N_("Weight ln(%(size)s + 2)"), size=state.sizes[index])
        yield Row(label, number(weight, 4), "×", "", weight)
        yield Row(text("maxSkew − 1"), str(constraint.max_skew - 1), "+", "", constraint.max_skew - 1)
    for constraint in state.constraints:
        if constraint.key not in node.labels:
            yield Row(text(N_("No label %(key)s: the constraint adds nothing"), key=constraint.key), "0")
    yield Row(text(N_("Sum")), number(total, 4), "=", "", total)
    yield Row(text(N_("Raw score, rounded")), str(raw), "=", "", raw)
    yield from _normalization(state, raw)
    for constraint in state.constraints:
        yield Row(text(N_("Selector for %(key)s"), key=constraint.key), selector_text(constraint.label_selector))


def _normalization(state: SoftState, raw: int) -> Iterator[Row]:
    normalized = state.normalized(raw)
    if state.highest == 0:
        yield Row(text(N_("No feasible node has a matching pod, so each gets")), str(normalized), "=", "ok", normalized)
        return
    yield Row(text(N_("Highest raw score")), str(state.highest), "", "", state.highest)
    yield Row(text(N_("Lowest raw score")), str(state.lowest), "+", "", state.lowest)
    yield Row(text(N_("This node's raw score")), str(raw), "−", "", raw)
    yield Row(text(N_("100 ÷ highest raw score")), f"{MAX_NODE_SCORE}/{state.highest}", "×")
    yield Row(text(N_("Normalized, cut off to a whole number")), str(normalized), "=", "ok", normalized)


def _domains(state: SoftState, node: NodeInfo) -> Table | None:
    """One row a domain of each constraint that counts by domain, the node's own highlighted."""
    rows: list[list[str]] = []
    highlight: list[int] = []
    for index, constraint in enumerate(state.constraints):
        own = node.labels.get(constraint.key)
        weight = number(state.weights[index], 4)
        if constraint.key == HOSTNAME:
            domains = {own: state.domain_count(index, node)} if own is not None else {}
        else:
            domains = {value: count for value, count in state.counts[index].items() if value}
        ranked = sorted(domains, key=lambda value: (value != own, domains[value], value))
        for value in sorted(ranked[:SHOWN_DOMAINS]):
            if value == own:
                highlight.append(len(rows))
            rows.append([f"{constraint.key}={value}", str(domains[value]), weight])
    return Table(COLUMNS, rows, highlight) if rows else None
