"""The selector that default constraints get: what groups the pod with its siblings."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.evidence import Mark
from scheduler_lab.engine.objects.meta import KubeObject, LabelSelector, LabelSelectorRequirement, OwnerReference
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.selectors import InvalidSelector, compile_label_selector


@dataclass(frozen=True, slots=True)
class DefaultSelector:
    """The deduced selector, and the fields it was taken from."""

    selector: LabelSelector
    sources: tuple[Mark, ...]


def default_selector(pod: Pod, store: Store) -> DefaultSelector:
    """The merged selectors of the pod's services and of its controller (kube-scheduler v1.35, `DefaultSelector`).

    Services of the namespace that select the pod count, then a controlling v1 ReplicationController or apps/v1
    ReplicaSet or StatefulSet that exists. With neither the selector is empty.
    """
    equal: dict[str, str] = {}
    sources: list[Mark] = []
    for service in store.list("Service"):
        wanted = service.spec.selector
        if wanted and service.metadata.namespace == pod.metadata.namespace and _selects(wanted, pod):
            equal.update(wanted)
            sources.append(_mark(service))
    owner = _controller(pod)
    controller = store.get(owner.kind, pod.metadata.namespace, owner.name) if owner is not None else None
    expressions: list[LabelSelectorRequirement] = []
    if controller is not None and controller.kind == "ReplicationController":
        equal.update(controller.spec.selector)
        sources.append(_mark(controller))
    elif controller is not None:
        added = _requirements(controller.spec.selector)
        # A label that both name must satisfy both, so the controller's stay separate requirements.
        expressions = [r for r in added if not (r.operator == "In" and r.values == [equal.get(r.key)])]
        sources.append(_mark(controller))
    return DefaultSelector(LabelSelector(match_labels=equal, match_expressions=expressions), tuple(sources))


def _selects(wanted: dict[str, str], pod: Pod) -> bool:
    labels = pod.metadata.labels
    return all(labels.get(key) == value for key, value in wanted.items())


_UNDERSTOOD = {("v1", "ReplicationController"), ("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet")}


def _controller(pod: Pod) -> OwnerReference | None:
    for owner in pod.metadata.owner_references:
        if owner.controller:
            return owner if (owner.api_version, owner.kind) in _UNDERSTOOD else None
    return None


def _requirements(selector: LabelSelector | None) -> list[LabelSelectorRequirement]:
    """Every requirement of a selector as an expression; none of one that is nil or cannot be converted."""
    if selector is None:
        return []
    try:
        compile_label_selector(selector)
    except InvalidSelector:
        return []
    equal = sorted(selector.match_labels.items())
    return [
        *(LabelSelectorRequirement(key=key, operator="In", values=[value]) for key, value in equal),
        *selector.match_expressions,
    ]


def _mark(obj: KubeObject) -> Mark:
    return Mark(kind=obj.kind, namespace=obj.metadata.namespace, name=obj.metadata.name, path="spec.selector")
