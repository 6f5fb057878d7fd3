"""Evidence of NodeAffinity: requirement by requirement, what the node has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, Text, text
from scheduler_lab.engine.evidence.marks import entry, node_mark, pod_mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.affinity import PreferredSchedulingTerm
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.objects.selectors import CompiledNodeSelectorTerm

_REQUIRED = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution"


class _Rows:
    """The table under construction: requirements of several terms with what the node has."""

    def __init__(self, node: NodeInfo) -> None:
        self.node = node
        self.rows: list[list[str]] = []
        self.failed: list[int] = []

    def add(self, term: str, wanted: str, has: str, ok: bool) -> None:
        if not ok:
            self.failed.append(len(self.rows))
        self.rows.append([term, wanted, has, "✓" if ok else "✗"])

    def add_term(self, name: str, term: NodeSelectorTerm) -> bool:
        """Add every requirement of a term; whether the term as a whole matches."""
        for requirement in term.match_expressions:
            single = CompiledNodeSelectorTerm(NodeSelectorTerm(match_expressions=[requirement]))
            has = self.node.labels.get(requirement.key, "—")
            self.add(name, requirement_text(requirement), has, single.matches(self.node.labels, self.node.name))
        for requirement in term.match_fields:
            single = CompiledNodeSelectorTerm(NodeSelectorTerm(match_fields=[requirement]))
            matches = single.matches(self.node.labels, self.node.name)
            self.add(name, requirement_text(requirement), self.node.name, matches)
        compiled = CompiledNodeSelectorTerm(term)
        if compiled.empty:
            self.add(name, "{}", "—", False)
        return compiled.matches(self.node.labels, self.node.name)

    def table(self) -> Table:
        columns = [text(N_("Term")), text(N_("Requirement")), text(N_("Node has")), text(N_("Match"))]
        return Table(columns, self.rows, self.failed)


def pinned(pod: PodInfo, selector: NodeSelector | None, names: frozenset[str] | None) -> Evidence | None:
    """Which nodes PreFilter leaves to look at."""
    marks = [pod_mark(pod, f"{_REQUIRED}.nodeSelectorTerms")]
    if names:
        sentence = text(
            N_("%(pod)s names the nodes it may run on: %(nodes)s. No other node is looked at."),
            pod=pod.key,
            nodes=", ".join(sorted(names)),
        )
        return Evidence(sentence, marks=marks)
    if names is not None:
        sentence = text(
            N_("The required terms of %(pod)s ask for two different node names at once, so no node can match."),
            pod=pod.key,
        )
        return Evidence(sentence, marks=marks)
    if selector is None and pod.pod.spec.node_selector is None:
        return Evidence(text(N_("%(pod)s has no nodeSelector and no required node affinity."), pod=pod.key))
    return None


def added_rejects(node: NodeInfo, selector: NodeSelector) -> Evidence:
    """The profile's addedAffinity does not match the node."""
    rows = _Rows(node)
    for index, term in enumerate(selector.node_selector_terms):
        rows.add_term(str(index + 1), term)
    sentence = text(
        N_("%(node)s matches no term of the addedAffinity that the scheduler's configuration adds to every pod."),
        node=node.name,
    )
    return Evidence(sentence, table=rows.table())


def own_terms(pod: PodInfo, node: NodeInfo, selector: NodeSelector | None, matched: bool) -> Evidence:
    """The pod's nodeSelector and required terms against the node."""
    rows = _Rows(node)
    marks: list[Mark] = []
    wanted = pod.pod.spec.node_selector or {}
    selector_ok = True
    for key, value in wanted.items():
        ok = node.labels.get(key) == value
        selector_ok = selector_ok and ok
        rows.add("nodeSelector", f"{key}={value}", node.labels.get(key, "—"), ok)
        if ok is matched:
            marks.append(pod_mark(pod, entry("spec.nodeSelector", key)))
            marks += _label_mark(node, key)
    hits: list[int] = []
    terms = selector.node_selector_terms if selector is not None else []
    for index, term in enumerate(terms):
        if rows.add_term(str(index + 1), term):
            hits.append(index)
    terms_ok = selector is None or bool(hits)
    if selector is not None and terms_ok is matched:
        shown = hits[:1] if matched else range(len(terms))
        marks += [pod_mark(pod, f"{_REQUIRED}.nodeSelectorTerms[{index}]") for index in shown]
        keys = {r.key for index in shown for r in terms[index].match_expressions}
        marks += [mark for key in sorted(keys) for mark in _label_mark(node, key)]
    sentence = _missing(pod, node, wanted) if not selector_ok else None
    if sentence is None and not terms_ok and len(terms) == 1 and rows.failed:
        sentence = text(
            N_("%(node)s does not meet %(requirement)s of the required node affinity of %(pod)s."),
            pod=pod.key,
            node=node.name,
            requirement=rows.rows[rows.failed[0]][1],
        )
    if sentence is None:
        sentence = text(_own_template(bool(wanted), selector, terms_ok), pod=pod.key, node=node.name)
    return Evidence(sentence, table=rows.table() if rows.rows else None, marks=list(dict.fromkeys(marks)))


def _missing(pod: PodInfo, node: NodeInfo, wanted: Mapping[str, str]) -> Text:
    """The first label of the nodeSelector that the node has not, or has with another value."""
    key, value = next((key, value) for key, value in wanted.items() if node.labels.get(key) != value)
    names = {"pod": pod.key, "node": node.name, "label": f"{key}={value}"}
    if key not in node.labels:
        return text(N_("%(node)s has no label %(label)s, which the nodeSelector of %(pod)s asks for."), **names)
    return text(
        N_("%(node)s has the label %(has)s, and the nodeSelector of %(pod)s asks for %(label)s."),
        has=f"{key}={node.labels[key]}",
        **names,
    )


def _own_template(wants: bool, selector: NodeSelector | None, terms_ok: bool) -> str:
    if not terms_ok and selector is not None and not selector.node_selector_terms:
        return N_("The required node affinity of %(pod)s has no term, so it matches no node.")
    if not terms_ok:
        return N_("%(node)s matches none of the required terms of %(pod)s; one of them would be enough.")
    if selector is not None and wants:
        return N_("%(node)s has the labels of the nodeSelector of %(pod)s and matches one of its required terms.")
    if selector is not None:
        return N_("%(node)s matches a required term of %(pod)s; one is enough.")
    if wants:
        return N_("%(node)s has every label that the nodeSelector of %(pod)s asks for.")
    return N_("%(pod)s has no requirements of its own on %(node)s.")


def preferences(
    pod: PodInfo, node: NodeInfo, added: Sequence[PreferredSchedulingTerm], own: Sequence[PreferredSchedulingTerm]
) -> Evidence:
    """A row a preferred term: its weight if the node matches."""
    rows: list[Row] = []
    marks: list[Mark] = []
    total = 0
    for is_own, terms in ((False, added), (True, own)):
        for index, term in enumerate(terms):
            compiled = CompiledNodeSelectorTerm(term.preference)
            points = term.weight if compiled.matches(node.labels, node.name) else 0
            total += points
            mark = pod_mark(pod, f"{_PREFERRED}[{index}].weight") if is_own else None
            if mark is not None and points:
                marks.append(mark)
                marks += [m for r in term.preference.match_expressions for m in _label_mark(node, r.key)]
            rows.append(Row(_preference_label(term, points), str(points), "+", "ok" if points else "", points, mark))
    rows.append(Row(text(N_("sum of the matching weights")), str(total), "=", amount=total))
    sentence = text(
        N_(
            "%(node)s matches %(count)d of %(total)d preferred terms, worth %(points)d. "
            "Normalizing gives 100 to the node with most."
        ),
        node=node.name,
        count=sum(bool(row.amount) for row in rows[:-1]),
        total=len(rows) - 1,
        points=total,
    )
    return Evidence(sentence, rows, marks=list(dict.fromkeys(marks)))


def _preference_label(term: PreferredSchedulingTerm, points: int) -> Text:
    wanted = term_text(term.preference)
    if points:
        return text(N_("matches %(term)s"), term=wanted)
    return text(N_("does not match %(term)s (weight %(weight)d)"), term=wanted, weight=term.weight)


def _label_mark(node: NodeInfo, key: str) -> list[Mark]:
    return [node_mark(node, entry("metadata.labels", key))] if key in node.labels else []


def term_text(term: NodeSelectorTerm) -> str:
    """A term in one line; {} when it is empty."""
    parts = [requirement_text(requirement) for requirement in (*term.match_expressions, *term.match_fields)]
    return ", ".join(parts) or "{}"


def requirement_text(requirement: NodeSelectorRequirement) -> str:
    """A requirement in one line: disk In (ssd, nvme)."""
    values = f" ({', '.join(requirement.values)})" if requirement.values else ""
    return f"{requirement.key} {requirement.operator}{values}"
