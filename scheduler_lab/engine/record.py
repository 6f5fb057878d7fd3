"""The record of a run: every verdict in order, in the JSON that the conformance cases use.

Members named `x-…` are additions of this project: evidence, the cluster around a cycle, what woke whom.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

VERSION = "v1.35.4"


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One plugin's answer at one extension point."""

    plugin: str
    code: str
    reasons: tuple[str, ...] = ()
    node_names: tuple[str, ...] | None = None
    nominated_node: str = ""
    timeout_seconds: int | float | None = None


class PluginScore(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A node's score by one plugin: as returned, after normalising (0–100), times the weight.

    There is no weighted score when some score was out of range, which ends the attempt.
    """

    raw: int
    normalized: int
    weighted: int | None = None


class ExtenderScore(msgspec.Struct, frozen=True, gc=False):
    """What an extender added to a node's total."""

    weighted: int


class ScoreTable:
    """The scores of one cycle, kept by plugin; `rows` reads them by node."""

    __slots__ = ("raw", "normalized", "weights", "weighed", "extenders", "nodes")

    def __init__(self, nodes: list[str]) -> None:
        self.nodes = nodes
        self.raw: dict[str, dict[str, int]] = {}
        self.normalized: dict[str, dict[str, int]] = {}
        self.weights: dict[str, int] = {}
        self.weighed = True
        self.extenders: dict[str, dict[str, int]] = {}

    def rows(self) -> Iterator[tuple[str, dict[str, PluginScore | ExtenderScore]]]:
        """(node, scores by plugin or extender URL), nodes in the order they were scored."""
        for node in self.nodes:
            row: dict[str, PluginScore | ExtenderScore] = {}
            for plugin, weight in self.weights.items():
                normalized = self.normalized[plugin][node]
                weighted = normalized * weight if self.weighed else None
                row[plugin] = PluginScore(self.raw[plugin][node], normalized, weighted)
            for name, scores in self.extenders.items():
                if node in scores:
                    row[name] = ExtenderScore(scores[node])
            yield node, row

    def __bool__(self) -> bool:
        return bool(self.nodes) and bool(self.weights or self.extenders)


class Result(msgspec.Struct, omit_defaults=True, rename="camel"):
    """How a cycle ended: a node, or a code with the message of the PodScheduled condition."""

    node: str = ""
    code: str = ""
    message: str = ""
    nominated_node: str = ""
    victims: list[str] = []


class Cycle(msgspec.Struct, omit_defaults=True, rename="camel"):
    """One scheduling attempt. `step` counts Timeline steps from 1; 0 is before the first.

    `x_nodes` is how many nodes the scheduler knew, where that is more than a picture shows.
    """

    pod: str
    attempt: int
    profile: str
    step: int = 0
    pre_filter: list[Verdict] = []
    filter: dict[str, tuple[Verdict, ...]] = {}
    filter_with_nominated_pods: list[str] = []
    post_filter: list[Verdict] = []
    pre_score: list[Verdict] = []
    score: Any = None
    totals: dict[str, int] = {}
    reserve: list[Verdict] = []
    permit: list[Verdict] = []
    pre_bind_pre_flight: list[Verdict] = []
    pre_bind: list[Verdict] = []
    bind: list[Verdict] = []
    post_bind: list[Verdict] = []
    unreserve: list[Verdict] = []
    extenders: list[dict[str, Any]] = []
    node_hint: str = ""
    result: Result | None = None
    x_time: float = msgspec.field(default=0.0, name="x-time")
    x_queue: dict[str, list[str]] = msgspec.field(default_factory=dict, name="x-queue")
    x_requeue: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-requeue")
    x_cluster: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-cluster")
    x_evidence: dict[str, Any] = msgspec.field(default_factory=dict, name="x-evidence")
    x_calls: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-calls")
    x_nodes: int = msgspec.field(default=0, name="x-nodes")
    x_scheduler: str = msgspec.field(default="", name="x-scheduler")
    x_unseen: list[dict[str, str]] = msgspec.field(default_factory=list, name="x-unseen")


class PreEnqueueVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pod kept out of the queue by a PreEnqueue plugin."""

    pod: str
    plugin: str
    code: str
    reasons: tuple[str, ...] = ()
    step: int = 0
    x_scheduler: str = msgspec.field(default="", name="x-scheduler")


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """A Kubernetes event as `kubectl get events` would list it.

    With several scheduler processes, `x_scheduler` is the one that reports it, under its profile's name.
    """

    type: str
    reason: str
    regarding: str
    message: str
    x_scheduler: str = msgspec.field(default="", name="x-scheduler")
    x_reporting_controller: str = msgspec.field(default="", name="x-reportingController")


class Scheduled(msgspec.Struct, frozen=True, omit_defaults=True):
    """The PodScheduled condition."""

    status: str
    reason: str = ""
    message: str = ""


class PodState(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A pod at the end of the run."""

    node_name: str = ""
    nominated_node_name: str = ""
    scheduled: Scheduled | None = None


class QueueState(msgspec.Struct, omit_defaults=True, rename="camel"):
    """Who waits where at the end, and for which plugins."""

    active: list[str] = []
    backoff: list[str] = []
    unschedulable: list[str] = []
    gated: list[str] = []
    waiting_on_permit: list[str] = []
    unschedulable_plugins: dict[str, list[str]] = {}
    pending_plugins: dict[str, list[str]] = {}


class Record(msgspec.Struct, omit_defaults=True, rename="camel"):
    """A whole run. `error` or `scenario_error` stand instead of cycles when the input was refused."""

    kubernetes: str = ""
    feature_gates: dict[str, bool] = {}
    cycles: list[Cycle] = []
    pre_enqueue: list[PreEnqueueVerdict] = []
    pods: dict[str, PodState] = {}
    deleted: list[str] = []
    queue: QueueState | None = None
    events: list[Event] = []
    max_cycles_hit: bool = False
    error: str = ""
    scenario_error: str = ""
    x_cluster: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-cluster")
    x_events: list[Event] = msgspec.field(default_factory=list, name="x-events")
    x_kubelet: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-kubelet")
    x_leases: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-leases")
    x_pod_groups: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict, name="x-podGroups")
    x_problems: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-problems")
    x_requeue: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-requeue")
    x_schedulers: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-schedulers")
    x_unserved: list[dict[str, Any]] = msgspec.field(default_factory=list, name="x-unserved")
    x_volcano: dict[str, Any] = msgspec.field(default_factory=dict, name="x-volcano")

    def to_json(self) -> bytes:
        """The record as JSON with sorted keys."""
        return _encoder.encode(self)

    def to_builtins(self) -> dict[str, Any]:
        """The record as plain dicts and lists, equal to the decoded `to_json`."""
        result: dict[str, Any] = msgspec.json.decode(self.to_json())
        return result


def _encode(value: object) -> object:
    if isinstance(value, ScoreTable):
        return dict(value.rows())
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise NotImplementedError(type(value).__name__)


_encoder = msgspec.json.Encoder(enc_hook=_encode, order="sorted")
