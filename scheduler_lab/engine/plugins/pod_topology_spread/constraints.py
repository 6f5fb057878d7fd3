"""Which spread constraints hold for a pod, and which nodes and pods they count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from scheduler_lab.engine.configuration.types import PodTopologySpreadArgs
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.affinity import TopologySpreadConstraint
from scheduler_lab.engine.objects.meta import LabelSelector, LabelSelectorRequirement
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.selectors import (
    CompiledLabelSelector,
    CompiledNodeSelector,
    compile_label_selector,
    compile_node_selector,
    tolerates_any,
)
from scheduler_lab.engine.plugins.pod_topology_spread.default_selector import default_selector

HARD = "DoNotSchedule"
SOFT = "ScheduleAnyway"

SYSTEM_DEFAULTS = (
    TopologySpreadConstraint(topology_key="kubernetes.io/hostname", when_unsatisfiable=SOFT, max_skew=3),
    TopologySpreadConstraint(topology_key="topology.kubernetes.io/zone", when_unsatisfiable=SOFT, max_skew=5),
)


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint with its defaults filled in and its selector compiled.

    `self_match` is 1 when the selector matches the pod's own labels, else 0. `index` is the position in the
    pod's topologySpreadConstraints, None for a default of the profile.
    """

    key: str
    max_skew: int
    label_selector: LabelSelector | None
    selector: CompiledLabelSelector
    self_match: int
    min_domains: int
    honor_affinity: bool
    honor_taints: bool
    index: int | None

    @property
    def path(self) -> str:
        """Where the pod spells it out; "" for a default of the profile."""
        return "" if self.index is None else f"spec.topologySpreadConstraints[{self.index}]"


Constraints = tuple[Constraint, ...]


class ConstraintSource:
    """A pod's own constraints, or the profile's defaults if it has none (kube-scheduler v1.35).

    Own constraints of either action keep all defaults away. Defaults get a selector deduced from the services
    and the controller of the pod; without any there are no constraints.
    """

    def __init__(self, args: PodTopologySpreadArgs, handle: Handle) -> None:
        self.system = args.defaulting_type != "List"
        self._defaults: Sequence[TopologySpreadConstraint] = (
            SYSTEM_DEFAULTS if self.system else args.default_constraints
        )
        self._match_label_keys = handle.gates.enabled("MatchLabelKeysInPodTopologySpread")
        self._store = handle.store
        self._own: dict[str, tuple[Pod, Constraints, Constraints]] = {}

    def hard(self, pod: Pod) -> Constraints:
        """The DoNotSchedule constraints, in order. Raises InvalidSelector."""
        return self._select(pod, HARD)

    def soft(self, pod: Pod) -> Constraints:
        """The ScheduleAnyway constraints, in order. Raises InvalidSelector."""
        return self._select(pod, SOFT)

    def needs_all_keys(self, pod: Pod) -> bool:
        """Whether scoring ignores nodes that lack a topology key; the system defaults take them in."""
        return bool(pod.spec.topology_spread_constraints) or not self.system

    def _select(self, pod: Pod, action: str) -> Constraints:
        if not pod.spec.topology_spread_constraints:
            return self._default(pod, action)
        entry = self._own.get(pod.metadata.uid)
        if entry is None or entry[0] is not pod:
            entry = self._own[pod.metadata.uid] = (pod, self._of_pod(pod, HARD), self._of_pod(pod, SOFT))
        return entry[1] if action == HARD else entry[2]

    def _of_pod(self, pod: Pod, action: str) -> Constraints:
        return tuple(
            _compile(constraint, pod, self._with_label_keys(constraint, pod), index)
            for index, constraint in enumerate(pod.spec.topology_spread_constraints)
            if constraint.when_unsatisfiable == action
        )

    def _with_label_keys(self, constraint: TopologySpreadConstraint, pod: Pod) -> LabelSelector | None:
        selector = constraint.label_selector
        if selector is None or not self._match_label_keys:
            return selector
        labels = pod.metadata.labels
        wanted = [
            LabelSelectorRequirement(key=key, operator="In", values=[labels[key]])
            for key in constraint.match_label_keys
            if key in labels
        ]
        known = [requirement for requirement in wanted if requirement not in selector.match_expressions]
        return msgspec.structs.replace(selector, match_expressions=[*selector.match_expressions, *known])

    def _default(self, pod: Pod, action: str) -> Constraints:
        defaults = [constraint for constraint in self._defaults if constraint.when_unsatisfiable == action]
        if not defaults:
            return ()
        selector = default_selector(pod, self._store).selector
        if not selector.match_labels and not selector.match_expressions:
            return ()
        return tuple(_compile(constraint, pod, selector, None) for constraint in defaults)


def _compile(
    constraint: TopologySpreadConstraint, pod: Pod, selector: LabelSelector | None, index: int | None
) -> Constraint:
    compiled = compile_label_selector(selector)
    return Constraint(
        key=constraint.topology_key,
        max_skew=constraint.max_skew,
        label_selector=selector,
        selector=compiled,
        self_match=int(compiled.matches(pod.metadata.labels)),
        min_domains=1 if constraint.min_domains is None else constraint.min_domains,
        honor_affinity=constraint.node_affinity_policy in (None, "Honor"),
        honor_taints=constraint.node_taints_policy == "Honor",
        index=index,
    )


class Inclusion:
    """Whether a node counts for a constraint: its nodeAffinityPolicy and nodeTaintsPolicy, for one pod."""

    __slots__ = ("_affinity", "_comparison", "_labels", "_tolerations")

    def __init__(self, pod: Pod, comparison_operators: bool) -> None:
        self._labels = list((pod.spec.node_selector or {}).items())
        self._affinity = _required_node_affinity(pod)
        self._tolerations = pod.spec.tolerations
        self._comparison = comparison_operators

    def admits(self, constraint: Constraint, info: NodeInfo) -> bool:
        """Whether the node's pods count and its domain is eligible."""
        if constraint.honor_affinity and (self._labels or self._affinity is not None) and not self._wanted(info):
            return False
        return not constraint.honor_taints or self._tolerated(info)

    def _wanted(self, info: NodeInfo) -> bool:
        labels = info.labels
        if any(labels.get(key) != value for key, value in self._labels):
            return False
        return self._affinity is None or self._affinity.matches(labels, info.name)

    def _tolerated(self, info: NodeInfo) -> bool:
        taints = info.node.spec.taints if info.node is not None else []
        return all(
            taint.effect not in ("NoSchedule", "NoExecute") or tolerates_any(self._tolerations, taint, self._comparison)
            for taint in taints
        )


def _required_node_affinity(pod: Pod) -> CompiledNodeSelector | None:
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity is not None else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    return compile_node_selector(required) if required is not None else None


def has_all_keys(labels: dict[str, str], constraints: Constraints) -> bool:
    """Whether a node with these labels belongs to a domain of every constraint."""
    for constraint in constraints:  # noqa: SIM110 - called for every node; a generator costs more
        if constraint.key not in labels:
            return False
    return True


def counts(pod: PodInfo, selector: CompiledLabelSelector, namespace: str) -> bool:
    """Whether an existing pod counts: same namespace, not terminating, selected by a selector that isn't `{}`."""
    meta = pod.pod.metadata
    return (
        meta.namespace == namespace
        and meta.deletion_timestamp is None
        and not selector.empty
        and selector.matches(meta.labels)
    )


def count_matching(pods: Sequence[PodInfo], selector: CompiledLabelSelector, namespace: str) -> int:
    """How many of a node's pods count. An empty selector counts none, although it matches every pod."""
    if not pods or selector.empty:
        return 0
    total = 0
    for pod in pods:
        meta = pod.pod.metadata
        if meta.namespace == namespace and meta.deletion_timestamp is None and selector.matches(meta.labels):
            total += 1
    return total
