"""Pod affinity terms made ready for matching, and which pods and namespaces they cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.affinity import PodAffinityTerm, WeightedPodAffinityTerm
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.selectors import CompiledLabelSelector, InvalidSelector, compile_label_selector

NO_LABELS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a pod's `stanza` (podAffinity or podAntiAffinity); required when `weight` is None.

    Its owner's namespace is among `namespaces` when the term gives neither namespaces nor a namespaceSelector.
    """

    key: str
    namespaces: frozenset[str]
    namespace_selector: CompiledLabelSelector
    selector: CompiledLabelSelector
    source: PodAffinityTerm
    stanza: str
    index: int
    weight: int | None = None

    def matches(self, pod: Pod, namespace_labels: Mapping[str, str]) -> bool:
        """Whether the term is about the pod, whose namespace has these labels."""
        meta = pod.metadata
        return (
            meta.namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        ) and self.selector.matches(meta.labels)

    @property
    def path(self) -> str:
        """Where the pod spells the term out."""
        kind, inner = ("required", "") if self.weight is None else ("preferred", ".podAffinityTerm")
        return f"spec.affinity.{self.stanza}.{kind}DuringSchedulingIgnoredDuringExecution[{self.index}]{inner}"

    @property
    def label(self) -> str:
        """The term as people refer to it: `podAntiAffinity[0]`, `preferred podAffinity[1]`."""
        return f"{'' if self.weight is None else 'preferred '}{self.stanza}[{self.index}]"

    @property
    def covers_every_namespace(self) -> bool:
        """Whether its namespaceSelector matches even a namespace without labels, as `{}` does."""
        return self.namespace_selector.matches(NO_LABELS)


Terms = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class PodTerms:
    """All terms of a pod. A list with a selector that cannot be converted is empty and named in `problems`."""

    affinity: Terms = ()
    anti_affinity: Terms = ()
    preferred_affinity: Terms = ()
    preferred_anti_affinity: Terms = ()
    problems: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """The problems in one text, as upstream aggregates errors; "" without any."""
        return self.problems[0] if len(self.problems) == 1 else f"[{', '.join(self.problems)}]"


NO_TERMS = PodTerms()


def terms_of(pod: PodInfo) -> PodTerms:
    """The pod's terms, compiled once for each version of the pod; namespace selectors are not expanded."""
    if not pod.has_affinity:
        return NO_TERMS
    found: PodTerms | None = pod.derived.get("InterPodAffinity")
    if found is None:
        found = pod.derived["InterPodAffinity"] = _compile(pod.pod)
    return found


def _compile(pod: Pod) -> PodTerms:
    affinity = pod.spec.affinity
    towards = affinity.pod_affinity if affinity is not None else None
    away = affinity.pod_anti_affinity if affinity is not None else None
    problems: list[str] = []

    def compiled(name: str, stanza: str, terms: Sequence[PodAffinityTerm | WeightedPodAffinityTerm]) -> Terms:
        try:
            return tuple(_term(pod, term, stanza, index) for index, term in enumerate(terms))
        except InvalidSelector as problem:
            problems.append(f"{name}: {problem}")
            return ()

    return PodTerms(
        compiled(
            "requiredAffinityTerms",
            "podAffinity",
            towards.required_during_scheduling_ignored_during_execution if towards is not None else (),
        ),
        compiled(
            "requiredAntiAffinityTerms",
            "podAntiAffinity",
            away.required_during_scheduling_ignored_during_execution if away is not None else (),
        ),
        compiled(
            "preferredAffinityTerms",
            "podAffinity",
            towards.preferred_during_scheduling_ignored_during_execution if towards is not None else (),
        ),
        compiled(
            "preferredAntiAffinityTerms",
            "podAntiAffinity",
            away.preferred_during_scheduling_ignored_during_execution if away is not None else (),
        ),
        tuple(problems),
    )


def _term(pod: Pod, entry: PodAffinityTerm | WeightedPodAffinityTerm, stanza: str, index: int) -> Term:
    weight = entry.weight if isinstance(entry, WeightedPodAffinityTerm) else None
    term = entry.pod_affinity_term if isinstance(entry, WeightedPodAffinityTerm) else entry
    own = not term.namespaces and term.namespace_selector is None
    return Term(
        key=term.topology_key,
        namespaces=frozenset({pod.metadata.namespace} if own else term.namespaces),
        namespace_selector=compile_label_selector(term.namespace_selector),
        selector=compile_label_selector(term.label_selector),
        source=term,
        stanza=stanza,
        index=index,
        weight=weight,
    )


def expanded(terms: Terms, store: Store) -> Terms:
    """An incoming pod's terms with the namespaces that their selectors match added to the listed ones.

    The selector stays and is later held against no labels at all, so one made of NotIn and DoesNotExist alone
    matches every namespace (kube-scheduler v1.34 and v1.35, kubernetes/kubernetes#141526).
    """
    if all(term.namespace_selector.nothing or term.namespace_selector.empty for term in terms):
        return terms
    return tuple(_expand(term, store) for term in terms)


def _expand(term: Term, store: Store) -> Term:
    selector = term.namespace_selector
    if selector.nothing or selector.empty:
        return term
    matched = [ns.metadata.name for ns in store.list("Namespace") if selector.matches(ns.metadata.labels)]
    return replace(term, namespaces=term.namespaces.union(matched))


def namespace_labels(namespace: str, store: Store) -> Mapping[str, str]:
    """The labels of a namespace; none if there is no such object."""
    found = store.get("Namespace", "", namespace)
    labels: Mapping[str, str] = found.metadata.labels if found is not None else NO_LABELS
    return labels


def matches_all(terms: Terms, pod: Pod) -> bool:
    """Whether there are terms and each is about the pod, as an incoming pod's terms are matched."""
    return bool(terms) and all(term.matches(pod, NO_LABELS) for term in terms)
