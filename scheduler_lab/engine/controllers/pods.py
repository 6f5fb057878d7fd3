"""Which pods belong to which controller."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.objects.meta import KubeObject, LabelSelector, OwnerReference
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod
from scheduler_lab.engine.objects.selectors import InvalidSelector, compile_label_selector

Key = tuple[str, str, str]
"""kind, namespace, name"""


def key_of(obj: KubeObject) -> Key:
    """Kind, namespace and name."""
    return obj.kind, obj.metadata.namespace, obj.metadata.name


def controller_of(obj: KubeObject) -> OwnerReference | None:
    """The reference to the controller of an object."""
    return next((reference for reference in obj.metadata.owner_references if reference.controller), None)


def owns(owner: KubeObject, obj: KubeObject) -> bool:
    """Whether `owner` is the controller of `obj`.

    An owner that was written without a UID is known by its kind and name alone: no reference can name the UID that
    it is given here.
    """
    reference = controller_of(obj)
    if reference is None or (reference.kind, reference.name) != (owner.kind, owner.metadata.name):
        return False
    meta = owner.metadata
    if obj.metadata.namespace != meta.namespace:
        return False
    return reference.uid in ("", meta.uid) or meta.uid == f"{meta.namespace}/{meta.name}"


def is_active(pod: Pod) -> bool:
    """Whether a controller counts the pod: neither finished nor being deleted."""
    return pod.status.phase not in FINISHED_PHASES and not pod.metadata.deletion_timestamp


def is_running(pod: Pod) -> bool:
    """Whether the pod has a node and is not known to be unready; there is no kubelet here to say that it is ready."""
    if not pod.spec.node_name or not is_active(pod) or pod.status.phase == "Pending":
        return False
    return all(c.status == "True" for c in pod.status.conditions if c.type == "Ready")


def selects(selector: LabelSelector | None, labels: dict[str, str]) -> bool:
    """Whether the selector matches; one that is missing, empty or cannot be parsed selects nothing."""
    if selector is None or not (selector.match_labels or selector.match_expressions):
        return False
    try:
        return compile_label_selector(selector).matches(labels)
    except InvalidSelector:
        return False


class PodIndex:
    """All pods by name and by controller, those of the text included that are still to be created."""

    def __init__(self) -> None:
        self._pods: dict[tuple[str, str], Pod] = {}
        self._owned: dict[Key, dict[str, Pod]] = {}
        self._orphans: dict[str, dict[str, Pod]] = {}

    def put(self, pod: Pod) -> None:
        """Add a pod or its new version."""
        namespace, name = pod.metadata.namespace, pod.metadata.name
        old = self._pods.get((namespace, name))
        if old is not None and controller_of(old) != controller_of(pod):
            self.remove(old)
        self._pods[namespace, name] = pod
        self._group(pod)[name] = pod

    def remove(self, pod: Pod) -> None:
        """Forget a pod."""
        namespace, name = pod.metadata.namespace, pod.metadata.name
        known = self._pods.pop((namespace, name), None)
        if known is not None:
            self._group(known).pop(name, None)

    def _group(self, pod: Pod) -> dict[str, Pod]:
        reference = controller_of(pod)
        namespace = pod.metadata.namespace
        if reference is None:
            return self._orphans.setdefault(namespace, {})
        return self._owned.setdefault((reference.kind, namespace, reference.name), {})

    def get(self, namespace: str, name: str) -> Pod | None:
        """The pod of that name."""
        return self._pods.get((namespace, name))

    def owned(self, owner: KubeObject) -> list[Pod]:
        """The pods whose controller the owner is, finished ones included."""
        return [pod for pod in self._owned.get(key_of(owner), {}).values() if owns(owner, pod)]

    def counted(self, owner: KubeObject, selector: LabelSelector | None) -> list[Pod]:
        """The active pods that count for the owner: its own, and those without a controller that it would adopt."""
        orphans = self._orphans.get(owner.metadata.namespace, {}).values()
        adoptable = [pod for pod in orphans if is_active(pod) and selects(selector, pod.metadata.labels)]
        return [pod for pod in self.owned(owner) if is_active(pod)] + adoptable

    def of_unknown_owners(self, kind: str, namespace: str) -> Iterator[tuple[str, Pod]]:
        """(name of the controller, pod) for every active pod in the namespace with a controller of that kind."""
        for (owner_kind, owner_namespace, name), pods in self._owned.items():
            if (owner_kind, owner_namespace) == (kind, namespace):
                for pod in pods.values():
                    if is_active(pod):
                        yield name, pod
