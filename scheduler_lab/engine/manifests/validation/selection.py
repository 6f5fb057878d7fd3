"""Selectors, affinity, tolerations and spread constraints of a pod."""

from typing import Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.manifests.validation.requirements import label_selector_flaws, node_term_flaws
from scheduler_lab.engine.objects.affinity import (
    Affinity,
    NodeAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
    Toleration,
    TopologySpreadConstraint,
)
from scheduler_lab.engine.objects.affinity import PodAffinity as PodAffinityRules
from scheduler_lab.engine.objects.meta import LabelSelector
from scheduler_lab.engine.objects.names import label_key_problem
from scheduler_lab.engine.objects.references import NodeSelectorTerm
from scheduler_lab.engine.objects.selectors import (
    CompiledNodeSelectorTerm,
    InvalidSelector,
    compile_label_selector,
    strict_integer,
)

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS: Final = ("Exists", "Equal", "Lt", "Gt")
_POLICIES: Final = ("Honor", "Ignore")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def check_label_selector(selector: LabelSelector | None, path: Path, checker: Checker) -> None:
    """Report a label selector that cannot be used."""
    if selector is None:
        return
    flaws = list(label_selector_flaws(selector, path))
    for flaw in flaws:
        checker.error(flaw.template, flaw.path, flaw.suggestion, **flaw.params)
    if not flaws:
        try:
            compile_label_selector(selector)
        except InvalidSelector as error:
            checker.error(messages.INVALID_SELECTOR, path, detail=str(error))


def check_affinity(affinity: Affinity, path: Path, checker: Checker) -> None:
    """Report what is wrong in node affinity, pod affinity and pod anti-affinity."""
    if affinity.node_affinity is not None:
        _check_node_affinity(affinity.node_affinity, (*path, "nodeAffinity"), checker)
    if affinity.pod_affinity is not None:
        _check_pod_affinity(affinity.pod_affinity, (*path, "podAffinity"), checker)
    if affinity.pod_anti_affinity is not None:
        _check_pod_affinity(affinity.pod_anti_affinity, (*path, "podAntiAffinity"), checker)


def _check_node_affinity(affinity: NodeAffinity, path: Path, checker: Checker) -> None:
    required = affinity.required_during_scheduling_ignored_during_execution
    if required is not None:
        terms_path = (*path, _REQUIRED, "nodeSelectorTerms")
        if not required.node_selector_terms:
            checker.error(messages.REQUIRED, terms_path)
        for index, term in enumerate(required.node_selector_terms):
            check_node_term(term, (*terms_path, index), checker)
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution or ()):
        checker.within(preferred.weight, 1, 100, (*path, _PREFERRED, index, "weight"))
        check_node_term(preferred.preference, (*path, _PREFERRED, index, "preference"), checker)


def check_node_term(term: NodeSelectorTerm, path: Path, checker: Checker) -> None:
    """Warn about a term that the scheduler cannot parse: the API server may let it in, and it never matches."""
    flaws = list(node_term_flaws(term, path))
    for flaw in flaws:
        checker.warning(flaw.template, flaw.path, flaw.suggestion, **flaw.params)
    if not flaws:
        for error in CompiledNodeSelectorTerm(term).errors:
            checker.warning(messages.INVALID_SELECTOR, path, detail=error)


def _check_pod_affinity(affinity: PodAffinityRules | PodAntiAffinity, path: Path, checker: Checker) -> None:
    for index, term in enumerate(affinity.required_during_scheduling_ignored_during_execution):
        _check_pod_term(term, (*path, _REQUIRED, index), checker)
    for index, weighted in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        checker.within(weighted.weight, 1, 100, (*path, _PREFERRED, index, "weight"))
        _check_pod_term(weighted.pod_affinity_term, (*path, _PREFERRED, index, "podAffinityTerm"), checker)


def _check_pod_term(term: PodAffinityTerm, path: Path, checker: Checker) -> None:
    _check_topology_key(term.topology_key, (*path, "topologyKey"), checker)
    check_label_selector(term.label_selector, (*path, "labelSelector"), checker)
    check_label_selector(term.namespace_selector, (*path, "namespaceSelector"), checker)
    if (term.match_label_keys or term.mismatch_label_keys) and term.label_selector is None:
        checker.error(messages.MATCH_LABEL_KEYS, path)


def _check_topology_key(key: str, path: Path, checker: Checker) -> None:
    if not key:
        checker.error(messages.REQUIRED, path)
    elif problem := label_key_problem(key):
        checker.error(messages.INVALID_LABEL_KEY, path, detail=problem)


def check_tolerations(tolerations: list[Toleration], path: Path, checker: Checker) -> None:
    """Report operators, effects and values that do not go together."""
    for index, toleration in enumerate(tolerations):
        _check_toleration(toleration, (*path, index), checker)


def _check_toleration(toleration: Toleration, path: Path, checker: Checker) -> None:
    operator = toleration.operator
    if toleration.key and (problem := label_key_problem(toleration.key)):
        checker.error(messages.INVALID_LABEL_KEY, (*path, "key"), detail=problem)
    if not toleration.key and operator != "Exists":
        checker.error(messages.TOLERATION_NO_KEY, (*path, "operator"))
    if operator == "Exists" and toleration.value:
        checker.error(messages.TOLERATION_EXISTS, (*path, "value"))
    checker.one_of(operator, _OPERATORS, (*path, "operator"))
    checker.one_of(toleration.effect, _EFFECTS, (*path, "effect"))
    if operator in ("Lt", "Gt") and strict_integer(toleration.value) is None:
        checker.warning(messages.NOT_A_JSON_NUMBER, (*path, "value"), value=toleration.value)
    if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        checker.error(messages.TOLERATION_SECONDS, (*path, "effect"))


def check_spread(constraints: list[TopologySpreadConstraint], path: Path, checker: Checker) -> None:
    """Report spread constraints the API server refuses."""
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(constraints):
        at = (*path, index)
        if constraint.max_skew <= 0:
            checker.error(messages.NOT_POSITIVE, (*at, "maxSkew"), value=str(constraint.max_skew))
        _check_topology_key(constraint.topology_key, (*at, "topologyKey"), checker)
        when = constraint.when_unsatisfiable
        if checker.required(when, (*at, "whenUnsatisfiable")):
            checker.one_of(when, ("DoNotSchedule", "ScheduleAnyway"), (*at, "whenUnsatisfiable"))
        if constraint.min_domains is not None:
            if constraint.min_domains <= 0:
                checker.error(messages.NOT_POSITIVE, (*at, "minDomains"), value=str(constraint.min_domains))
            if when == "ScheduleAnyway":
                checker.error(messages.MIN_DOMAINS, (*at, "minDomains"))
        checker.one_of(constraint.node_affinity_policy, _POLICIES, (*at, "nodeAffinityPolicy"))
        checker.one_of(constraint.node_taints_policy, _POLICIES, (*at, "nodeTaintsPolicy"))
        check_label_selector(constraint.label_selector, (*at, "labelSelector"), checker)
        if constraint.match_label_keys and constraint.label_selector is None:
            checker.error(messages.MATCH_LABEL_KEYS, (*at, "matchLabelKeys"))
        pair = (constraint.topology_key, when)
        if pair in seen:
            checker.error(messages.DUPLICATE_CONSTRAINT, at)
        seen.add(pair)
