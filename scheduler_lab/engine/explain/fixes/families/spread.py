"""PodTopologySpread: a DoNotSchedule constraint keeps the pod out of the domains that have room."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Change, Remove, Set
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, label_node
from scheduler_lab.engine.explain.fixes.model import LARGE, RELAXED, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation
from scheduler_lab.engine.manifests.located import parse_path
from scheduler_lab.engine.objects.affinity import TopologySpreadConstraint

MISSING_LABEL = "node(s) didn't match pod topology spread constraints (missing required label)"
HOSTNAME = "kubernetes.io/hostname"
TEMPLATE_HASH = "pod-template-hash"
_FIELD = "topologySpreadConstraints"


def spread(situation: Situation) -> Iterator[Candidate]:
    """Loosen the constraint that failed, or label the node that is in no domain."""
    skews: dict[int, list[int]] = {}
    for rejection in situation.by("PodTopologySpread"):
        index = _index(rejection, situation.name)
        if index is None or index >= len(situation.spec_pod.spec.topology_spread_constraints):
            continue
        skews.setdefault(index, [])
        if MISSING_LABEL not in rejection.reasons:
            skews[index] += [int(row[4]) for row in rejection.failed_rows if len(row) > 5 and row[4].isdigit()]
    for index, found in skews.items():
        constraint = situation.spec_pod.spec.topology_spread_constraints[index]
        if found:
            yield from _count_less(situation, index, constraint)
            yield from _loosen(situation, index, constraint, min(found))
        yield from _give_up(situation, index, constraint)
    yield from _label(situation)


def _index(rejection: Rejection, pod: str) -> int | None:
    for path in rejection.paths("Pod", pod):
        steps = parse_path(path)
        if len(steps) > 2 and steps[1] == _FIELD and isinstance(steps[2], int):
            return steps[2]
    return None


def _loosen(situation: Situation, index: int, constraint: TopologySpreadConstraint, skew: int) -> Iterator[Candidate]:
    pod, path = situation.pod_ref, ("spec", _FIELD, index)
    key = constraint.topology_key
    if skew > constraint.max_skew:
        yield Candidate(
            "max-skew",
            "pod",
            text(N_("Allow a skew of %(skew)d over %(key)s"), skew=skew, key=key),
            text(N_("The least full domain with room would be %(skew)d ahead of the emptiest one."), skew=skew),
            (Set(pod, (*path, "maxSkew"), skew),),
            SMALL,
        )
    if constraint.min_domains:
        yield Candidate(
            "min-domains",
            "pod",
            text(N_("Do not insist on %(count)d domains of %(key)s"), count=constraint.min_domains, key=key),
            text(N_("With fewer domains than minDomains the minimum counts as 0.")),
            (Remove(pod, (*path, "minDomains")),),
            SMALL,
        )


def _count_less(situation: Situation, index: int, constraint: TopologySpreadConstraint) -> Iterator[Candidate]:
    """Leave nodes out that cannot take the pod anyway, and pods of another revision."""
    pod, path = situation.pod_ref, ("spec", _FIELD, index)
    key = constraint.topology_key
    closed = any(node.spec.taints or node.spec.unschedulable for node in situation.nodes.values())
    if constraint.node_taints_policy != "Honor" and closed:
        yield Candidate(
            "honor-taints",
            "pod",
            text(N_("Leave tainted nodes out of the skew over %(key)s"), key=key),
            text(N_("Without nodeTaintsPolicy: Honor, domains whose taints the pod does not tolerate count as empty.")),
            (Set(pod, (*path, "nodeTaintsPolicy"), "Honor"),),
            SMALL,
        )
    if constraint.node_affinity_policy == "Ignore":
        yield Candidate(
            "honor-affinity",
            "pod",
            text(N_("Leave nodes that the pod does not select out of the skew over %(key)s"), key=key),
            text(N_("With nodeAffinityPolicy: Ignore, domains that the pod cannot use count as empty.")),
            (Set(pod, (*path, "nodeAffinityPolicy"), "Honor"),),
            SMALL,
        )
    if TEMPLATE_HASH in situation.spec_pod.metadata.labels and TEMPLATE_HASH not in constraint.match_label_keys:
        yield Candidate(
            "match-label-keys",
            "pod",
            text(N_("Count pods of the same revision only, over %(key)s"), key=key),
            text(N_("Pods of the old revision match the selector too, and fill the domains.")),
            (Append(pod, (*path, "matchLabelKeys"), TEMPLATE_HASH),),
            SMALL,
        )


def _give_up(situation: Situation, index: int, constraint: TopologySpreadConstraint) -> Iterator[Candidate]:
    pod, path = situation.pod_ref, ("spec", _FIELD, index)
    changes: list[Change] = [Set(pod, (*path, "whenUnsatisfiable"), "ScheduleAnyway")]
    if constraint.min_domains is not None:
        changes.append(Remove(pod, (*path, "minDomains")))
    key = constraint.topology_key
    yield Candidate(
        "schedule-anyway",
        "pod",
        text(N_("Prefer an even spread over %(key)s instead of requiring it"), key=key),
        text(N_("ScheduleAnyway only takes points from uneven nodes.")),
        tuple(changes),
        RELAXED,
    )
    yield Candidate(
        "remove-constraint",
        "pod",
        text(N_("Remove the spread constraint over %(key)s"), key=key),
        text(N_("Then nothing asks for an even spread over %(key)s."), key=key),
        (Remove(pod, path),),
        LARGE,
    )


def _label(situation: Situation) -> Iterator[Candidate]:
    """A topology label for a node without one: its own name, else the value that fewest nodes have."""
    for rejection in situation.by("PodTopologySpread", MISSING_LABEL)[:SHOWN_NODES]:
        index = _index(rejection, situation.name)
        node = situation.nodes.get(rejection.node)
        if index is None or node is None:
            continue
        key = situation.spec_pod.spec.topology_spread_constraints[index].topology_key
        yield label_node(rejection.node, key, topology_value(situation, rejection.node, key), SMALL)


def topology_value(situation: Situation, node: str, key: str) -> str:
    """A value for a topology label that a node lacks."""
    if key == HOSTNAME:
        return node
    values = [n.metadata.labels[key] for n in situation.nodes.values() if key in n.metadata.labels]
    return min(sorted(set(values)), key=values.count) if values else f"{key.rpartition('/')[2]}-a"
