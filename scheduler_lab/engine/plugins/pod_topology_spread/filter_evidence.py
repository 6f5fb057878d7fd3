"""What Filter's verdict on a node rests on: the domains, the counts and the skew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, Text, text
from scheduler_lab.engine.evidence.marks import pod_mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.plugins.neighbours import label_mark, names, pod_marks, selector_text
from scheduler_lab.engine.plugins.pod_topology_spread.constraints import Constraint, counts, has_all_keys
from scheduler_lab.engine.plugins.pod_topology_spread.filtering import MISSING_LABEL, HardState

SHOWN_DOMAINS = 20

COLUMNS = [
    text(N_("Domain")),
    text(N_("Matching pods")),
    text(N_("With this pod")),
    text(N_("Minimum")),
    text(N_("Skew")),
    text("maxSkew"),
]


def nothing_hard(pod: PodInfo) -> Evidence:
    """Why PreFilter skipped."""
    if pod.pod.spec.topology_spread_constraints:
        sentence = text(N_("All of the pod's constraints say ScheduleAnyway: they only score, they never filter."))
        return Evidence(sentence, marks=[pod_mark(pod, "spec.topologySpreadConstraints")])
    return Evidence(text(N_("No DoNotSchedule constraint applies to the pod, so this plugin rejects no node.")))


def counted_domains(state: HardState, pod: PodInfo, sources: Sequence[Mark]) -> Evidence:
    """What PreFilter counted, before any node is judged."""
    sentence = text(
        N_("PreFilter counted the matching pods of every eligible domain. DoNotSchedule constraints: %(count)s."),
        count=len(state.constraints),
    )
    every = range(len(state.constraints))
    rows = [_selector_row(state.constraints[index], pod) for index in every]
    table, hidden = _domains(state, every, {})
    return Evidence(sentence, [*rows, *hidden], table, [*_constraint_marks(state.constraints, pod), *sources])


class FilterEvidence:
    """Explains Filter's verdict on one node."""

    def __init__(self, state: HardState, pod: PodInfo, node: NodeInfo, nodes: Sequence[NodeInfo]) -> None:
        self._state = state
        self._pod = pod
        self._node = node
        self._nodes = [node if other.name == node.name else other for other in nodes]

    def explain(self, sources: Sequence[Mark]) -> Evidence:
        """The arithmetic of the constraint that failed, or of all of them when the node passes."""
        state, node = self._state, self._node
        failure = state.first_failure(node.labels)
        if failure is not None and failure[1] is MISSING_LABEL:
            return self._missing(failure[0])
        if failure is not None:
            shown = [state.constraints.index(failure[0])]
            sentence = self._too_skewed(shown[0])
        else:
            shown = list(range(len(state.constraints)))
            sentence = text(N_("With this pod here, no DoNotSchedule constraint exceeds its maxSkew."))
        rows = [row for index in shown for row in self._arithmetic(index)]
        own = {index: node.labels[state.constraints[index].key] for index in shown}
        table, hidden = _domains(state, shown, own)
        constraints = [state.constraints[index] for index in shown]
        marks = [
            *_constraint_marks(constraints, self._pod),
            *(label_mark(node, constraint.key) for constraint in constraints),
            *(mark for index in shown for mark in pod_marks(self._counted(index))),
            *sources,
        ]
        return Evidence(sentence, [*rows, *hidden], table, list(dict.fromkeys(marks)))

    def _missing(self, constraint: Constraint) -> Evidence:
        sentence = text(
            N_(
                "Node %(node)s has no label %(key)s, so it belongs to no domain of this constraint; "
                "evicting pods cannot change that."
            ),
            node=self._node.name,
            key=constraint.key,
        )
        marks = [pod_mark(self._pod, f"{constraint.path}.topologyKey")] if constraint.path else []
        return Evidence(sentence, marks=[*marks, label_mark(self._node, constraint.key)])

    def _too_skewed(self, index: int) -> Text:
        state = self._state
        constraint = state.constraints[index]
        value = self._node.labels[constraint.key]
        params: dict[str, str | int] = {
            "domain": _domain(constraint, value),
            "after": state.counts[index].get(value, 0) + constraint.self_match,
            "minimum": state.minimums[index],
            "skew": state.skew(index, value),
            "max_skew": constraint.max_skew,
        }
        if _few_domains(state, index):
            params |= {"domains": len(state.counts[index]), "min_domains": constraint.min_domains}
            return text(
                N_(
                    "%(domain)s would hold %(after)s matching pods. With %(domains)s eligible domains, fewer than "
                    "minDomains %(min_domains)s, the minimum counts as 0: skew %(skew)s exceeds maxSkew %(max_skew)s."
                ),
                **params,
            )
        return text(
            N_(
                "%(domain)s would hold %(after)s matching pods while another domain has %(minimum)s: "
                "skew %(skew)s exceeds maxSkew %(max_skew)s."
            ),
            **params,
        )

    def _arithmetic(self, index: int) -> Iterator[Row]:
        state = self._state
        constraint = state.constraints[index]
        value = self._node.labels[constraint.key]
        count, minimum, skew = state.counts[index].get(value, 0), state.minimums[index], state.skew(index, value)
        ok = skew <= constraint.max_skew
        domain = _domain(constraint, value)
        yield Row(text(N_("Matching pods in %(domain)s"), domain=domain), str(count), "", "used", count)
        own_label = N_("This pod") if constraint.self_match else N_("This pod, which its own selector does not match")
        yield Row(text(own_label), str(constraint.self_match), "+", "pod", constraint.self_match)
        least = N_("Minimum, 0 because of minDomains") if _few_domains(state, index) else N_("Minimum of all domains")
        yield Row(text(least), str(minimum), "−", "", minimum)
        yield Row(text(N_("Skew")), str(skew), "=", "ok" if ok else "bad", skew)
        mark = pod_mark(self._pod, f"{constraint.path}.maxSkew") if constraint.path else None
        sign = "≤" if ok else ">"
        yield Row(text("maxSkew"), str(constraint.max_skew), sign, "capacity", constraint.max_skew, mark)
        yield from self._remarks(index)

    def _remarks(self, index: int) -> Iterator[Row]:
        constraint = self._state.constraints[index]
        yield _selector_row(constraint, self._pod)
        counted = self._counted(index)
        if counted:
            yield Row(text(N_("Counted here")), names(counted))
        value = self._node.labels[constraint.key]
        if value not in self._state.counts[index]:
            yield Row(text(N_("Not an eligible domain for this pod")), _domain(constraint, value))
        if constraint.selector.empty:
            yield Row(text(N_("An empty selector counts no pod")), selector_text(constraint.label_selector))
        leaving = [pod for pod in self._here(index) if self._terminating(pod, constraint)]
        if leaving:
            yield Row(text(N_("Terminating, so not counted")), names(leaving))

    def _here(self, index: int) -> Iterator[PodInfo]:
        """Pods on the nodes that count for this node's domain."""
        constraint = self._state.constraints[index]
        value = self._node.labels[constraint.key]
        for info in self._nodes:
            if info.labels.get(constraint.key) != value or not has_all_keys(info.labels, self._state.constraints):
                continue
            if self._state.inclusion.admits(constraint, info):
                yield from info.pods

    def _counted(self, index: int) -> list[PodInfo]:
        selector = self._state.constraints[index].selector
        return [pod for pod in self._here(index) if counts(pod, selector, self._pod.namespace)]

    def _terminating(self, pod: PodInfo, constraint: Constraint) -> bool:
        return (
            pod.namespace == self._pod.namespace
            and pod.pod.metadata.deletion_timestamp is not None
            and constraint.selector.matches(pod.labels)
        )


def _domain(constraint: Constraint, value: str) -> str:
    return f"{constraint.key}={value}"


def _few_domains(state: HardState, index: int) -> bool:
    return len(state.counts[index]) < state.constraints[index].min_domains


def _selector_row(constraint: Constraint, pod: PodInfo) -> Row:
    mark = pod_mark(pod, f"{constraint.path}.labelSelector") if constraint.path else None
    label = text(N_("Selector for %(key)s"), key=constraint.key)
    return Row(label, selector_text(constraint.label_selector), mark=mark)


def _constraint_marks(constraints: Sequence[Constraint], pod: PodInfo) -> list[Mark]:
    return [pod_mark(pod, constraint.path) for constraint in constraints if constraint.path]


def _domains(state: HardState, shown: Sequence[int], own: dict[int, str]) -> tuple[Table, list[Row]]:
    """One row a domain with the skew it would have, the node's own highlighted; and how many are left out."""
    rows: list[list[str]] = []
    highlight: list[int] = []
    hidden = 0
    for index in shown:
        constraint, domains = state.constraints[index], state.counts[index]
        here = own.get(index)
        ranked = sorted({*domains, *([here] if here is not None else [])}, key=_own_then_fewest(domains, here))
        hidden += len(ranked) - len(ranked[:SHOWN_DOMAINS])
        for value in sorted(ranked[:SHOWN_DOMAINS]):
            if value == here:
                highlight.append(len(rows))
            count = domains.get(value, 0)
            numbers = (
                count,
                count + constraint.self_match,
                state.minimums[index],
                state.skew(index, value),
                constraint.max_skew,
            )
            rows.append([_domain(constraint, value), *map(str, numbers)])
    remark = [Row(text(N_("Domains not listed")), str(hidden), amount=hidden)] if hidden else []
    return Table(COLUMNS, rows, highlight), remark


def _own_then_fewest(domains: dict[str, int], own: str | None) -> Callable[[str], tuple[bool, int, str]]:
    return lambda value: (value != own, domains.get(value, 0), value)
