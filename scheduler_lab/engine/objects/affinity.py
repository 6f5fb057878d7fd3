"""Affinity, taints, tolerations and topology spread constraints (core/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, Int64, KubeStruct
from scheduler_lab.engine.objects.meta import LabelSelector
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorTerm


class PreferredSchedulingTerm(KubeStruct):
    preference: NodeSelectorTerm = field(default_factory=NodeSelectorTerm)
    weight: Int32 = 0


class NodeAffinity(KubeStruct):
    preferred_during_scheduling_ignored_during_execution: list[PreferredSchedulingTerm] | None = None
    required_during_scheduling_ignored_during_execution: NodeSelector | None = None


class PodAffinityTerm(KubeStruct):
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] = []
    mismatch_label_keys: list[str] = []
    namespace_selector: LabelSelector | None = None
    namespaces: list[str] = []
    topology_key: str = ""


class WeightedPodAffinityTerm(KubeStruct):
    pod_affinity_term: PodAffinityTerm = field(default_factory=PodAffinityTerm)
    weight: Int32 = 0


class PodAffinity(KubeStruct):
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []
    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []


class PodAntiAffinity(KubeStruct):
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []
    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []


class Affinity(KubeStruct):
    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None


class Toleration(KubeStruct):
    effect: str = ""
    key: str = ""
    operator: str = ""
    toleration_seconds: Int64 | None = None
    value: str = ""


class TopologySpreadConstraint(KubeStruct):
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] = []
    max_skew: Int32 = 0
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    topology_key: str = ""
    when_unsatisfiable: str = ""


class Taint(KubeStruct):
    effect: str = ""
    key: str = ""
    time_added: str | None = None
    value: str = ""
