"""InterPodAffinity, anti-affinity: the pod's own, or that of a pod already there."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Ref, Remove, Set
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, delete_pods, written
from scheduler_lab.engine.explain.fixes.model import DRASTIC, LARGE, RELAXED, Candidate, Side
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation, pod_ref
from scheduler_lab.engine.manifests.located import parse_path
from scheduler_lab.engine.objects.affinity import PodAffinityTerm
from scheduler_lab.engine.objects.meta import LabelSelector
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.selectors import InvalidSelector, label_selector_matches

OWN = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_HOSTNAME = "kubernetes.io/hostname"


def pod_anti_affinity(situation: Situation) -> Iterator[Candidate]:
    """Relax the rule, or take away the pods that it is about."""
    own = situation.by("InterPodAffinity", OWN)
    indexes = dict.fromkeys(i for r in own for i in _indexes(r, situation.name))
    if not own and OWN in situation.message:
        # Preemption's dry run met the rule, after the node had failed for something that victims can cure.
        indexes = dict.fromkeys(range(len(_terms(situation.spec_pod))))
    for index in indexes:
        yield from _relax(situation.pod_ref, situation.spec_pod, index, "pod")
    yield from delete_pods(situation, [_conflicting(rejection, situation.name) for rejection in own[:SHOWN_NODES]])
    yield from _existing(situation)


def _terms(pod: Pod) -> list[PodAffinityTerm]:
    affinity = pod.spec.affinity
    away = affinity.pod_anti_affinity if affinity is not None else None
    return away.required_during_scheduling_ignored_during_execution if away is not None else []


def _indexes(rejection: Rejection, pod: str) -> Iterator[int]:
    for path in rejection.paths("Pod", pod):
        steps = parse_path(path)
        if "podAntiAffinity" in steps and isinstance(steps[-1], int):
            yield steps[-1]


def _conflicting(rejection: Rejection, pod: str) -> list[str]:
    """The pods that the evidence marks beside the rule itself, if it marks them all."""
    marks = [m for m in rejection.evidence.get("marks", []) if m["kind"] == "Pod" and m["path"] == "metadata.labels"]
    return list(dict.fromkeys(f"{m.get('namespace') or 'default'}/{m['name']}" for m in marks if m["name"] != pod))


def _relax(ref: Ref, pod: Pod, index: int, side: Side) -> Iterator[Candidate]:
    """Narrower, preferred, or gone."""
    terms = _terms(pod)
    if index >= len(terms):
        return
    base = ("spec", "affinity", "podAntiAffinity")
    term = terms[index]
    owner = f"{ref.namespace}/{ref.name}"
    soft, hard = (RELAXED, LARGE) if side == "pod" else (LARGE, DRASTIC)
    if term.topology_key != _HOSTNAME:
        yield Candidate(
            f"narrow-anti-affinity-{side}",
            side,
            text(N_("Let %(pod)s keep its distance by node, not by %(key)s"), pod=owner, key=term.topology_key),
            text(N_("Two of them then share a domain of %(key)s, but no node."), key=term.topology_key),
            (Set(ref, (*base, _REQUIRED, index, "topologyKey"), _HOSTNAME),),
            soft,
        )
    preferred = {"weight": 100, "podAffinityTerm": written(term)}
    yield Candidate(
        f"prefer-anti-affinity-{side}",
        side,
        text(N_("Make the anti-affinity of %(pod)s a preference"), pod=owner),
        text(N_("A preferred rule takes points from a node, but never forbids it.")),
        (Append(ref, (*base, _PREFERRED), preferred), Remove(ref, (*base, _REQUIRED, index))),
        soft,
    )
    yield Candidate(
        f"remove-anti-affinity-{side}",
        side,
        text(N_("Remove the anti-affinity of %(pod)s"), pod=owner),
        text(N_("Then it may share a domain with the pods that the rule is about.")),
        (Remove(ref, (*base, _REQUIRED, index)),),
        hard,
    )


def _existing(situation: Situation) -> Iterator[Candidate]:
    """Rules of pods already there, which forbid this one."""
    owners: dict[str, int] = {}
    for rejection in situation.by("InterPodAffinity", EXISTING):
        for mark in rejection.evidence.get("marks", []):
            steps = parse_path(mark["path"])
            if mark["kind"] == "Pod" and "podAntiAffinity" in steps and isinstance(steps[-1], int):
                owners.setdefault(f"{mark.get('namespace') or 'default'}/{mark['name']}", steps[-1])
    known = {key: index for key, index in owners.items() if key in situation.pods}
    for key, index in list(known.items())[:SHOWN_NODES]:
        yield from _drop_label(situation, situation.pods[key], index)
        yield from _relax(pod_ref(key), situation.pods[key], index, "cluster")
    yield from delete_pods(situation, [[key] for key in list(known)[:SHOWN_NODES]])


def _drop_label(situation: Situation, owner: Pod, index: int) -> Iterator[Candidate]:
    """The label without which the owner's rule is not about this pod."""
    terms = _terms(owner)
    selector = terms[index].label_selector if index < len(terms) else None
    if selector is None:
        return
    labels = situation.spec_pod.metadata.labels
    for key in [*selector.match_labels, *(e.key for e in selector.match_expressions)]:
        rest = {name: value for name, value in labels.items() if name != key}
        if key in labels and not _matches(selector, rest):
            yield Candidate(
                "drop-label",
                "pod",
                text(N_("Take the label %(label)s off the pod"), label=f"{key}={labels[key]}"),
                text(
                    N_("The anti-affinity of %(owner)s is about pods with this label, and works both ways."),
                    owner=f"{owner.metadata.namespace or 'default'}/{owner.metadata.name}",
                ),
                (Remove(situation.pod_ref, ("metadata", "labels", key)),),
                LARGE,
            )
            return


def _matches(selector: LabelSelector, labels: dict[str, str]) -> bool:
    try:
        return label_selector_matches(selector, labels)
    except InvalidSelector:
        return False
