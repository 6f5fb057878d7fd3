"""What Filter's verdict on a node rests on: each rule, the domains it looks at and the pods found there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, Text, text
from scheduler_lab.engine.evidence.marks import pod_mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.plugins.inter_pod_affinity.filtering import (
    AFFINITY_BROKEN,
    ANTI_AFFINITY_BROKEN,
    EXISTING_BROKEN,
    RequiredState,
)
from scheduler_lab.engine.plugins.inter_pod_affinity.terms import NO_LABELS, Term, matches_all, terms_of
from scheduler_lab.engine.plugins.neighbours import label_mark, names, pod_marks, selector_text

SHOWN_DOMAINS = 20
ALLOWED, FORBIDDEN = "✓", "✗"

COLUMNS = [text(N_("Rule")), text(N_("Domain")), text(N_("Pods")), text(N_("Allowed"))]


@dataclass(slots=True)
class Rule:
    """A term with the pods it is about, by topology value. `owner` is set for a term of a pod already there."""

    term: Term
    owner: PodInfo | None = None
    pods: dict[str, list[PodInfo]] = field(default_factory=dict)
    keyless: list[PodInfo] = field(default_factory=list)

    def found(self, pod: PodInfo, info: NodeInfo) -> None:
        """Note a pod that the rule is about on a node."""
        value = info.labels.get(self.term.key)
        if value is None:
            self.keyless.append(pod)
        else:
            self.pods.setdefault(value, []).append(pod)

    @property
    def label(self) -> str:
        """The rule's name in tables."""
        return f"{self.owner.key} {self.term.label}" if self.owner is not None else self.term.label

    def mark(self, pod: PodInfo) -> Mark:
        """Where the rule is spelt out."""
        return pod_mark(self.owner or pod, self.term.path)


def nothing_required(pod: PodInfo) -> Evidence:
    """Why PreFilter skipped."""
    sentence = N_("The pod has no required (anti-)affinity and no running pod's required anti-affinity is about it.")
    return Evidence(text(sentence))


def unparsable(problem: str, pod: PodInfo) -> Evidence:
    """Why PreFilter rejected a pod with an unusable selector."""
    return Evidence(
        text(N_("The pod's affinity cannot be parsed: %(problem)s"), problem=problem), marks=[_affinity(pod)]
    )


def counted_pairs(state: RequiredState, pod: PodInfo) -> Evidence:
    """The three counts that Filter will look up."""
    sentence = text(
        N_("PreFilter counted the pods that required rules are about, by topology value; Filter looks them up.")
    )
    counted = (
        (text(N_("podAffinity: topology values with a pod that matches every term")), state.affinity),
        (text(N_("podAntiAffinity: topology values with a pod to keep away from")), state.anti_affinity),
        (text(N_("Existing pods' podAntiAffinity (←): topology values they keep the pod out of")), state.existing),
    )
    rows = [Row(label, str(len(counts)), amount=len(counts)) for label, counts in counted]
    table_rows = [
        [rule, f"{key}={value}", str(count)]
        for rule, counts in (
            ("podAffinity", state.affinity),
            ("podAntiAffinity", state.anti_affinity),
            ("← podAntiAffinity", state.existing),
        )
        for (key, value), count in sorted(counts.data.items())[:SHOWN_DOMAINS]
    ]
    table = Table([text(N_("Rule")), text(N_("Domain")), text(N_("Count"))], table_rows) if table_rows else None
    marks = [pod_mark(pod, term.path) for term in (*state.affinity_terms, *state.anti_terms)]
    return Evidence(sentence, rows, table, marks)


class FilterEvidence:
    """Explains Filter's verdict on one node."""

    def __init__(self, state: RequiredState, pod: PodInfo, node: NodeInfo, nodes: Sequence[NodeInfo]) -> None:
        self._state = state
        self._pod = pod
        self._node = node
        self._nodes = [node if other.name == node.name else other for other in nodes]
        self._towards = [Rule(term) for term in state.affinity_terms]
        self._away = [Rule(term) for term in state.anti_terms]
        self._existing: list[Rule] = []
        self._look()

    def explain(self) -> Evidence:
        """The rule that decided, the pods it found, and every rule's domains."""
        status = self._state.verdict(self._node.labels)
        if status is AFFINITY_BROKEN:
            sentence, deciding = self._affinity_broken()
        elif status is ANTI_AFFINITY_BROKEN:
            deciding = [next(rule for rule in self._away if self._here(rule))]
            sentence = self._kept_away(deciding[0])
        elif status is EXISTING_BROKEN:
            deciding = [rule for rule in self._existing if self._here(rule)]
            sentence = self._kept_out(deciding[0]) if deciding else text(N_("An existing pod keeps the pod out."))
        else:
            sentence, deciding = self._passed(), [*self._towards, *self._away]
        marks = [mark for rule in deciding[:5] for mark in self._marks(rule)]
        table = self._table()
        return Evidence(sentence, list(self._remarks()), table, list(dict.fromkeys(marks)))

    def _look(self) -> None:
        state, pod = self._state, self._pod.pod
        for info in self._nodes:
            for other in info.pods:
                if matches_all(state.affinity_terms, other.pod):
                    for rule in self._towards:
                        rule.found(other, info)
                for rule in self._away:
                    if rule.term.matches(other.pod, NO_LABELS):
                        rule.found(other, info)
            for other in info.pods_with_required_anti_affinity:
                for term in terms_of(other).anti_affinity:
                    if term.matches(pod, state.namespace_labels):
                        rule = Rule(term, other)
                        rule.found(other, info)
                        self._existing.append(rule)

    def _here(self, rule: Rule) -> list[PodInfo]:
        value = self._node.labels.get(rule.term.key)
        return rule.pods.get(value, []) if value is not None else []

    def _domain(self, rule: Rule) -> str:
        return f"{rule.term.key}={self._node.labels[rule.term.key]}"

    def _affinity_broken(self) -> tuple[Text, list[Rule]]:
        labels = self._node.labels
        for rule in self._towards:
            if rule.term.key not in labels:
                template = N_("Node %(node)s has no label %(key)s, which the pod's %(rule)s needs.")
                return text(template, node=self._node.name, key=rule.term.key, rule=rule.label), [rule]
        rule = next((rule for rule in self._towards if not self._here(rule)), self._towards[0])
        if not self._state.affinity:
            template = N_(
                "No pod in any domain matches all of the pod's podAffinity terms, and the pod does not match them "
                "itself, so it cannot be the first of its series either."
            )
            return text(template), self._towards
        template = N_("No pod in %(domain)s matches all of the pod's podAffinity terms; there are such pods elsewhere.")
        return text(template, domain=self._domain(rule)), [rule]

    def _kept_away(self, rule: Rule) -> Text:
        template = N_("The pod's own %(rule)s keeps it away from %(pods)s in %(domain)s.")
        return text(template, rule=rule.label, pods=names(self._here(rule)), domain=self._domain(rule))

    def _kept_out(self, rule: Rule) -> Text:
        template = N_("%(other)s, already in %(domain)s, keeps the pod out by its own %(rule)s.")
        other = rule.owner.key if rule.owner is not None else ""
        return text(template, other=other, domain=self._domain(rule), rule=rule.term.label)

    def _passed(self) -> Text:
        if self._towards and not all(self._here(rule) for rule in self._towards):
            template = N_(
                "No pod in any domain matches all of the pod's podAffinity terms yet, and the pod does itself: "
                "it may be the first of its series on any node with the topology keys."
            )
            return text(template)
        if self._towards:
            return text(N_("The pods that the pod wants near are here, and no anti-affinity rule objects."))
        return text(N_("No anti-affinity rule, the pod's own or of a pod already there, objects to this node."))

    def _marks(self, rule: Rule) -> Iterator[Mark]:
        yield rule.mark(self._pod)
        yield label_mark(self._node, rule.term.key)
        if rule.owner is not None:
            yield pod_mark(self._pod, "metadata.labels")
        else:
            yield from pod_marks(self._here(rule))

    def _table(self) -> Table | None:
        rows: list[list[str]] = []
        highlight: list[int] = []
        for rule in (*self._towards, *self._away, *self._existing):
            own = self._node.labels.get(rule.term.key)
            values = {*rule.pods, own} if own is not None and rule.owner is None else {*rule.pods}
            ranked = sorted(values, key=lambda value: (value != own, value))
            for value in ranked[: SHOWN_DOMAINS - len(rows)]:
                pods = rule.pods.get(value, [])
                wanted = rule.term.stanza == "podAffinity"
                allowed = (bool(pods) or self._state.first_of_its_kind) if wanted else not pods
                if value == own:
                    highlight.append(len(rows))
                shown = names(pods) or "–"
                rows.append([rule.label, f"{rule.term.key}={value}", shown, ALLOWED if allowed else FORBIDDEN])
        return Table(COLUMNS, rows, highlight) if rows else None

    def _remarks(self) -> Iterator[Row]:
        for rule in (*self._towards, *self._away):
            yield from term_rows(rule.term, self._pod)
            if rule.keyless:
                label = text(N_("Matches %(rule)s on a node without %(key)s"), rule=rule.label, key=rule.term.key)
                yield Row(label, names(rule.keyless))
            leaving = [pod for pod in self._here(rule) if pod.pod.metadata.deletion_timestamp is not None]
            if leaving:
                yield Row(text(N_("Terminating, but it counts until it is gone")), names(leaving))


def term_rows(term: Term, pod: PodInfo) -> Iterator[Row]:
    """What a term of the incoming pod selects: labels and namespaces."""
    label = text(N_("Selector of %(rule)s"), rule=term.label)
    yield Row(label, selector_text(term.source.label_selector), mark=pod_mark(pod, f"{term.path}.labelSelector"))
    selector = term.source.namespace_selector
    if selector is None:
        if term.source.namespaces:
            yield Row(text(N_("Namespaces of %(rule)s"), rule=term.label), ", ".join(sorted(term.namespaces)))
        return
    mark = pod_mark(pod, f"{term.path}.namespaceSelector")
    if term.namespace_selector.empty:
        yield Row(text(N_("%(rule)s covers every namespace"), rule=term.label), selector_text(selector), mark=mark)
    elif term.covers_every_namespace:
        template = N_("%(rule)s covers every namespace: v1.35 also holds the selector against no labels")
        yield Row(text(template, rule=term.label), selector_text(selector), mark=mark)
    else:
        label = text(N_("Namespaces of %(rule)s"), rule=term.label)
        yield Row(label, ", ".join(sorted(term.namespaces)) or "–", mark=mark)


def _affinity(pod: PodInfo) -> Mark:
    return pod_mark(pod, "spec.affinity")
