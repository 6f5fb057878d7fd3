"""DaemonSet: a pod for every node that can take it (kube-controller-manager v1.35, daemon)."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.pods import Key, is_active, is_running, key_of, owns
from scheduler_lab.engine.controllers.template import (
    REVISION_HASH,
    pod_from,
    same_template,
    template_hash,
    with_labels,
)
from scheduler_lab.engine.objects.affinity import Affinity, NodeAffinity, Taint, Toleration
from scheduler_lab.engine.objects.apps import DaemonSet
from scheduler_lab.engine.objects.base import IntOrString
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod, PodSpec, PodTemplateSpec
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.objects.selectors import node_selector_matches, tolerates_any

NODE_NAME = "metadata.name"
_TAINTS = "node.kubernetes.io/"
_TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)
_HOST_NETWORK = ("network-unavailable", "NoSchedule")


class DaemonSetController:
    """Keeps one pod on each node that the template's selectors match and whose taints its pods tolerate."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._first: dict[Key, PodTemplateSpec] = {}

    def template(self, owner: DaemonSet) -> PodTemplateSpec | None:
        """The template of the owner's pods."""
        return owner.spec.template

    def selects_pods(self, owner: DaemonSet) -> bool:
        """Whether the owner has the selector that the API server requires."""
        return owner.spec.selector is not None

    def covered(self, owner: DaemonSet) -> bool:
        """Whether the text already holds some of the owner's pods, so that they are the text's business."""
        return bool(self._by_node(owner))

    def sync(self, owner: DaemonSet) -> list[Key]:
        """Create a pod for each node that lacks one, up to the first refusal; delete those out of place."""
        self._first.setdefault(key_of(owner), owner.spec.template)
        by_node = self._by_node(owner)
        nodes = self._nodes()
        for node in nodes:
            pods = by_node.pop(node.metadata.name, [])
            if not _should_continue(owner, node):
                self._delete(owner, pods)
            elif not pods and _should_run(owner, node) and not self._create(owner, node):
                return []
            elif len(pods) > 1:
                self._delete(owner, [pod for pod in pods if owns(owner, pod)][1:])
        for pods in by_node.values():
            self._delete(owner, [pod for pod in pods if not pod.spec.node_name])
        self._update(owner)
        return []

    def _nodes(self) -> list[Node]:
        return self._client.store.list("Node")

    def _by_node(self, owner: DaemonSet) -> dict[str, list[Pod]]:
        """Pods by the node that they are on or meant for; finished ones of the owner are deleted to be made anew."""
        found: dict[str, list[Pod]] = {}
        for pod in self._client.index.counted(owner, owner.spec.selector):
            found.setdefault(target_node(pod), []).append(pod)
        for pod in self._client.index.owned(owner):
            # One that is being deleted keeps its node until it is gone.
            if not is_active(pod) and pod.status.phase not in FINISHED_PHASES:
                found.setdefault(target_node(pod), []).append(pod)
        return found

    def _create(self, owner: DaemonSet, node: Node) -> bool:
        revision = template_hash(owner.spec.template)
        name = self._client.pod_name(owner, f"{owner.metadata.name}-")
        pod = with_labels(pod_from(owner.spec.template, owner, name), {REVISION_HASH: revision})
        spec = replace(
            pod.spec,
            affinity=_pinned(pod.spec.affinity, node.metadata.name),
            tolerations=daemon_tolerations(pod.spec),
        )
        return self._client.create_pod(owner, replace(pod, spec=spec), revision)

    def _delete(self, owner: DaemonSet, pods: list[Pod]) -> None:
        for pod in pods:
            self._client.delete_pod(owner, pod)

    def _update(self, owner: DaemonSet) -> None:
        """Delete pods of an older template, as many as may be unavailable; they are made anew at the next sync."""
        if owner.spec.update_strategy.type == "OnDelete":
            return
        current = template_hash(owner.spec.template)
        original = self._first[key_of(owner)]
        unknown = current if same_template(original, owner.spec.template) else template_hash(original)
        pods = [pod for pod in self._client.index.owned(owner) if is_active(pod)]
        outdated = [pod for pod in pods if self._client.revision_of(pod, unknown) != current]
        if not outdated:
            return
        rolling = owner.spec.update_strategy.rolling_update
        allowed = max(scaled(rolling.max_unavailable if rolling else None, len(pods), 1, up=True), 1)
        unavailable = [pod for pod in outdated if not is_running(pod)]
        room = max(allowed - sum(not is_running(pod) for pod in pods), 0)
        self._delete(owner, unavailable + [pod for pod in outdated if is_running(pod)][:room])


def scaled(value: IntOrString | None, total: int, default: int, *, up: bool) -> int:
    """A number, or a percentage of the total rounded up or down; the default where it is absent or unreadable."""
    if value is None:
        return default
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    if digits == value or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return default
    product = int(digits) * total
    return -(-product // 100) if up else product // 100


def target_node(pod: Pod) -> str:
    """The node that a DaemonSet's pod is on or pinned to; "" when it is neither."""
    if pod.spec.node_name:
        return pod.spec.node_name
    affinity = pod.spec.affinity
    if affinity is None or affinity.node_affinity is None:
        return ""
    required = affinity.node_affinity.required_during_scheduling_ignored_during_execution
    for term in required.node_selector_terms if required is not None else []:
        for requirement in term.match_fields:
            if requirement.key == NODE_NAME and requirement.operator == "In" and len(requirement.values) == 1:
                return requirement.values[0]
    return ""


def daemon_tolerations(spec: PodSpec) -> list[Toleration]:
    """The template's tolerations and those that every pod of a DaemonSet gets."""
    added = (*_TOLERATED, _HOST_NETWORK) if spec.host_network else _TOLERATED
    usual = [Toleration(key=_TAINTS + key, operator="Exists", effect=effect) for key, effect in added]
    replaced = {(t.key, t.operator, t.effect) for t in usual}
    return [t for t in spec.tolerations if (t.key, t.operator, t.effect) not in replaced or t.value] + usual


def _pinned(affinity: Affinity | None, node: str) -> Affinity:
    """The affinity with the node in place of the required terms, which the controller has looked at already."""
    term = NodeSelectorTerm(match_fields=[NodeSelectorRequirement(key=NODE_NAME, operator="In", values=[node])])
    selector = NodeSelector(node_selector_terms=[term])
    affinity = affinity or Affinity()
    towards = affinity.node_affinity or NodeAffinity()
    return replace(
        affinity, node_affinity=replace(towards, required_during_scheduling_ignored_during_execution=selector)
    )


def _matches(owner: DaemonSet, node: Node) -> bool:
    spec = owner.spec.template.spec
    name, labels = node.metadata.name, node.metadata.labels
    if spec.node_name and spec.node_name != name:
        return False
    if any(labels.get(key) != value for key, value in (spec.node_selector or {}).items()):
        return False
    towards = spec.affinity.node_affinity if spec.affinity is not None else None
    required = towards.required_during_scheduling_ignored_during_execution if towards is not None else None
    return node_selector_matches(required, labels, name)


def _untolerated(owner: DaemonSet, node: Node, effects: tuple[str, ...]) -> list[Taint]:
    tolerations = daemon_tolerations(owner.spec.template.spec)
    return [t for t in node.spec.taints if t.effect in effects and not tolerates_any(tolerations, t)]


def _should_run(owner: DaemonSet, node: Node) -> bool:
    return _matches(owner, node) and not _untolerated(owner, node, ("NoSchedule", "NoExecute"))


def _should_continue(owner: DaemonSet, node: Node) -> bool:
    """A pod that is there stays in spite of a new NoSchedule taint."""
    return _matches(owner, node) and not _untolerated(owner, node, ("NoExecute",))
