"""Which events may let a pod in that inter-pod (anti-)affinity kept out (kube-scheduler v1.35).

The hints hold the terms' namespace selectors against no labels and do not expand them, and they know only the
waiting pod's own terms. So a pod may go on waiting although the obstacle is gone (kubernetes/kubernetes#141953).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.plugins.inter_pod_affinity.terms import PodTerms, matches_all, terms_of


def registrations() -> Sequence[Registration]:
    """Pod and node events, each with its hint."""
    return (
        Registration(Resource.POD, Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE, after_pod_change),
        Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL, after_node_change),
    )


def after_pod_change(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    """Queue when a running pod begins to match all affinity terms or stops matching all anti-affinity terms."""
    if any(not pod.pod.spec.node_name for pod in (old, new) if pod is not None):
        return Hint.SKIP
    terms = _required_terms(waiting)
    if old is not None and new is not None:
        joined = not matches_all(terms.affinity, old.pod) and matches_all(terms.affinity, new.pod)
        left = matches_all(terms.anti_affinity, old.pod) and not matches_all(terms.anti_affinity, new.pod)
        return _queue_if(joined or left)
    if new is not None:
        return _queue_if(matches_all(terms.affinity, new.pod))
    return _queue_if(old is not None and matches_all(terms.anti_affinity, old.pod))


def after_node_change(waiting: PodInfo, old: Node | None, new: Node) -> Hint:
    """Queue when a node enters a domain of an affinity term, or leaves one of an anti-affinity term."""
    terms = _required_terms(waiting)
    after = new.metadata.labels
    if old is None:
        return _queue_if(bool(terms.anti_affinity) or any(term.key in after for term in terms.affinity))
    before = old.metadata.labels
    entered = any(term.key in after and _differs(term.key, before, after) for term in terms.affinity)
    left = any(term.key in before and _differs(term.key, before, after) for term in terms.anti_affinity)
    return _queue_if(entered or left)


def _required_terms(waiting: PodInfo) -> PodTerms:
    """The waiting pod's terms; raises ValueError if its required ones cannot be parsed."""
    terms = terms_of(waiting)
    if any(problem.startswith("required") for problem in terms.problems):
        raise ValueError(terms.problem)
    return terms


def _differs(key: str, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    return before.get(key) != after.get(key)


def _queue_if(condition: bool) -> Hint:
    return Hint.QUEUE if condition else Hint.SKIP
