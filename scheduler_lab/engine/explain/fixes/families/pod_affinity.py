"""InterPodAffinity, affinity: the pods that the pod wants to be near are not there."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Create, Remove, Set
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, label_node, written
from scheduler_lab.engine.explain.fixes.families.spread import topology_value
from scheduler_lab.engine.explain.fixes.model import LARGE, RELAXED, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.affinity import PodAffinityTerm

REASON = "node(s) didn't match pod affinity rules"
_BASE = ("spec", "affinity", "podAffinity")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod_affinity(situation: Situation) -> Iterator[Candidate]:
    """Bring the wanted pod about, be one of them, or want it less."""
    rejected = [rejection.node for rejection in situation.by("InterPodAffinity", REASON)]
    affinity = situation.spec_pod.spec.affinity
    near = affinity.pod_affinity if affinity is not None else None
    if not rejected or near is None:
        return
    for index, term in enumerate(near.required_during_scheduling_ignored_during_execution):
        yield from _topology_labels(situation, term, rejected)
        yield from _first_of_its_kind(situation, term)
        yield from _wanted_pod(situation, term, rejected)
        yield Candidate(
            "prefer-affinity",
            "pod",
            text(N_("Make the pod affinity a preference")),
            text(N_("A preferred rule gives points to a node near such pods, but does not insist.")),
            (
                Append(situation.pod_ref, (*_BASE, _PREFERRED), {"weight": 100, "podAffinityTerm": written(term)}),
                Remove(situation.pod_ref, (*_BASE, _REQUIRED, index)),
            ),
            RELAXED,
        )
        yield Candidate(
            "remove-affinity",
            "pod",
            text(N_("Remove the pod affinity")),
            text(N_("Then the pod may run away from the pods that it wanted to be near.")),
            (Remove(situation.pod_ref, (*_BASE, _REQUIRED, index)),),
            LARGE,
        )


def _labels(term: PodAffinityTerm) -> dict[str, str] | None:
    """Labels that the term's selector matches, as far as In and Exists tell; None for others."""
    selector = term.label_selector
    if selector is None:
        return None
    labels = dict(selector.match_labels)
    for expression in selector.match_expressions:
        if expression.operator == "In" and expression.values:
            labels.setdefault(expression.key, expression.values[0])
        elif expression.operator == "Exists":
            labels.setdefault(expression.key, "any")
        elif expression.operator not in ("NotIn", "DoesNotExist"):
            return None
    return labels or None


def _topology_labels(situation: Situation, term: PodAffinityTerm, rejected: list[str]) -> Iterator[Candidate]:
    key = term.topology_key
    lacking = [n for n in rejected if n in situation.nodes and key not in situation.nodes[n].metadata.labels]
    if key == "kubernetes.io/hostname":
        return
    for node in lacking[:SHOWN_NODES]:
        yield label_node(node, key, topology_value(situation, node, key), SMALL)


def _first_of_its_kind(situation: Situation, term: PodAffinityTerm) -> Iterator[Candidate]:
    """A pod that matches its own term may be the first of its series."""
    labels = _labels(term)
    own = situation.spec_pod.metadata.labels
    missing = {key: value for key, value in (labels or {}).items() if own.get(key) != value}
    if not missing:
        return
    yield Candidate(
        "match-itself",
        "pod",
        text(N_("Label the pod with %(labels)s"), labels=_text(missing)),
        text(N_("A pod that matches its own affinity may start where no such pod is yet: the first of a series.")),
        tuple(Set(situation.pod_ref, ("metadata", "labels", key), value) for key, value in missing.items()),
        SMALL,
    )


def _wanted_pod(situation: Situation, term: PodAffinityTerm, rejected: list[str]) -> Iterator[Candidate]:
    labels = _labels(term)
    if labels is None:
        return
    namespace = term.namespaces[0] if term.namespaces else situation.namespace
    for node in rejected[:SHOWN_NODES]:
        document = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"wanted-by-{situation.name}"[:63], "namespace": namespace, "labels": labels},
            "spec": {"nodeName": node, "containers": [{"name": "main", "image": "example/main:1"}]},
        }
        yield Candidate(
            "wanted-pod",
            "cluster",
            text(N_("Start a pod with %(labels)s on %(node)s first"), labels=_text(labels), node=node),
            text(N_("The pod wants to be near such a pod, and there is none on a node that it may use.")),
            (Create(document),),
            SMALL,
        )


def _text(labels: dict[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in labels.items())
