"""What a node's preference score rests on: who wants the pod near or away, and the normalisation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, text
from scheduler_lab.engine.evidence.marks import pod_mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.plugins.inter_pod_affinity.filter_evidence import term_rows
from scheduler_lab.engine.plugins.inter_pod_affinity.scoring import MAX_NODE_SCORE, Contribution, PreferredState
from scheduler_lab.engine.plugins.inter_pod_affinity.terms import Term
from scheduler_lab.engine.plugins.neighbours import label_mark, names

SHOWN_RULES = 12
SHOWN_DOMAINS = 20


def explain_score(state: PreferredState, pod: PodInfo, node: NodeInfo, nodes: Iterable[NodeInfo]) -> Evidence:
    """The raw score's sum, term by term, and how Normalize stretches it."""
    groups = _groups(state, node, nodes)
    raw = state.score(node.labels)
    sentence = text(
        N_("Raw score %(raw)s: the preferences that hold for this node's topology values, added up."), raw=raw
    )
    rows = list(_rows(groups))
    rows.append(Row(text(N_("Raw score")), str(raw), "=", "", raw))
    rows += _normalization(state, raw)
    own = {id(term): term for term, _ in _terms(groups, True)}
    rows += [row for term in own.values() for row in term_rows(term, pod)]
    marks: list[Mark] = [pod_mark(pod, term.path) for term in own.values()]
    marks += [pod_mark(other, term.path) for term, other in _terms(groups, False)]
    marks += [label_mark(node, key) for key in state.points if key in node.labels]
    return Evidence(sentence, rows, _domains(state, node), list(dict.fromkeys(marks)))


Groups = dict[tuple[str, str, int, bool], list[Contribution]]
"""(rule, domain, points for each pod, whether the incoming pod's own) → what was contributed."""


def _groups(state: PreferredState, node: NodeInfo, nodes: Iterable[NodeInfo]) -> Groups:
    groups: Groups = {}
    for info in nodes:
        for contribution in state.contributions(info):
            key = contribution.term.key
            value = node.labels.get(key)
            if value is not None and info.labels.get(key) == value:
                group = (contribution.term.label, f"{key}={value}", contribution.points, contribution.own)
                groups.setdefault(group, []).append(contribution)
    return groups


def _terms(groups: Groups, own: bool) -> Iterator[tuple[Term, PodInfo]]:
    for key, contributions in groups.items():
        if key[3] is own:
            yield from ((contribution.term, contribution.other) for contribution in contributions[:5])


def _rows(groups: Groups) -> Iterator[Row]:
    for (rule, domain, points, own), contributions in list(groups.items())[:SHOWN_RULES]:
        total = points * len(contributions)
        template = (
            N_("The pod's %(rule)s in %(domain)s: %(count)s × %(points)s for %(pods)s")
            if own
            else N_("%(rule)s of %(pods)s in %(domain)s: %(count)s × %(points)s")
        )
        label = text(
            template,
            rule=rule,
            domain=domain,
            count=len(contributions),
            points=abs(points),
            pods=names([contribution.other for contribution in contributions]),
        )
        yield Row(label, str(abs(total)), "−" if total < 0 else "+", "bad" if total < 0 else "ok", total)
    rest = sum(key[2] * len(found) for key, found in list(groups.items())[SHOWN_RULES:])
    if rest:
        yield Row(text(N_("Further rules")), str(abs(rest)), "−" if rest < 0 else "+", "", rest)


def _normalization(state: PreferredState, raw: int) -> Iterator[Row]:
    spread = state.highest - state.lowest
    if spread == 0:
        yield Row(text(N_("All feasible nodes have the same raw score, so each gets")), "0", "=", "", 0)
        return
    yield Row(text(N_("Lowest raw score")), str(state.lowest), "−", "", state.lowest)
    yield Row(text(N_("Highest minus lowest raw score")), str(spread), "÷", "", spread)
    yield Row(text(N_("Scale")), str(MAX_NODE_SCORE), "×", "", MAX_NODE_SCORE)
    normalized = state.normalized(raw)
    yield Row(text(N_("Normalized, cut off to a whole number")), str(normalized), "=", "ok", normalized)


def _domains(state: PreferredState, node: NodeInfo) -> Table | None:
    rows: list[list[str]] = []
    highlight: list[int] = []
    for key, values in state.points.items():
        own = node.labels.get(key)
        for value in sorted(values, key=lambda value: (value != own, value))[:SHOWN_DOMAINS]:
            if value == own:
                highlight.append(len(rows))
            rows.append([f"{key}={value}", str(values[value])])
    return Table([text(N_("Domain")), text(N_("Points"))], rows, highlight) if rows else None
