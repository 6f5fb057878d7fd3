"""What a plugin may implement, and what the scheduler offers it.

A plugin is a class with a `name` and any of the methods below, named and called as in the scheduling framework of
kube-scheduler v1.35. Which extension points it serves is read from the methods it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scheduler_lab.engine.clock import Clock
    from scheduler_lab.engine.cluster.store import Store
    from scheduler_lab.engine.configuration.feature_gates import FeatureGates
    from scheduler_lab.engine.evidence import Evidence
    from scheduler_lab.engine.framework.cycle_state import CycleState
    from scheduler_lab.engine.framework.events import Registration
    from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
    from scheduler_lab.engine.framework.resources import RequestFeatures
    from scheduler_lab.engine.framework.snapshot import Snapshot
    from scheduler_lab.engine.framework.status import Status
    from scheduler_lab.engine.framework.statuses import NodeStatuses

POINTS: dict[str, str] = {
    "preEnqueue": "pre_enqueue",
    "queueSort": "less",
    "preFilter": "pre_filter",
    "filter": "filter",
    "postFilter": "post_filter",
    "preScore": "pre_score",
    "score": "score",
    "reserve": "reserve",
    "permit": "permit",
    "preBind": "pre_bind",
    "bind": "bind",
    "postBind": "post_bind",
}
"""Extension point as the configuration spells it → the method that serves it."""


class Plugin(Protocol):
    """The least a plugin has. The runtime looks up the methods of `POINTS` on it."""

    name: ClassVar[str]


class Explaining(Protocol):
    """Evidence on request; none of these is called unless somebody asks."""

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """Why PreFilter answered what it answered."""

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The numbers behind this plugin's Filter verdict for the node."""

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The numbers behind this plugin's raw score for the node."""


class PreEnqueuePlugin(Protocol):
    """May keep a pod out of the active queue."""

    def pre_enqueue(self, pod: PodInfo) -> Status | None:
        """None to let the pod in, a rejection to hold it."""


class PreFilterPlugin(Protocol):
    """Looks at the pod and the cluster once before nodes are filtered."""

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """(names of the only nodes worth looking at or None for all, status)."""


class PreFilterExtensions(Protocol):
    """Keeps PreFilter's state right while a dry run adds and removes pods."""

    def add_pod(self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) -> Status | None:
        """`added` has been put on `node`."""

    def remove_pod(self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo) -> Status | None:
        """`removed` has been taken from `node`."""


class FilterPlugin(Protocol):
    """Says whether a node can run the pod."""

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """None if it can."""


class PostFilterPlugin(Protocol):
    """Tries to make room when no node is feasible."""

    def post_filter(self, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> tuple[str | None, Status | None]:
        """(nominated node; "" to clear the nomination; None to leave it alone, status).

        `statuses.of(name)` is why a node of the snapshot was rejected.
        """


class PreScorePlugin(Protocol):
    """Prepares scoring over the feasible nodes."""

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]) -> Status | None:
        """Skip drops this plugin's scores for the cycle."""


class ScorePlugin(Protocol):
    """Ranks a feasible node."""

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """The raw score, or an Error status."""


class NormalizeScore(Protocol):
    """Brings raw scores to 0–100."""

    def normalize_score(self, state: CycleState, pod: PodInfo, scores: dict[str, int]) -> Status | None:
        """Change `scores` (node name → score) in place."""


class ReservePlugin(Protocol):
    """Sets something aside for the chosen node, and gives it back."""

    def reserve(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """None when it is set aside."""

    def unreserve(self, state: CycleState, pod: PodInfo, node: str) -> None:
        """Give back; must be harmless when nothing was reserved."""


class PermitPlugin(Protocol):
    """Allows, denies or delays binding."""

    def permit(self, state: CycleState, pod: PodInfo, node: str) -> tuple[Status | None, float]:
        """(status, timeout in seconds when the code is Wait)."""


class PreBindPlugin(Protocol):
    """Work that must be done before binding."""

    def pre_bind_pre_flight(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """Skip if `pre_bind` would have nothing to do."""

    def pre_bind(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """None when done."""


class BindPlugin(Protocol):
    """Binds the pod to the node, or Skips."""

    def bind(self, state: CycleState, pod: PodInfo, node: str) -> Status | None:
        """None when bound."""


class EventsToRegister(Protocol):
    """Which events may make a pod schedulable that this plugin rejected."""

    def events_to_register(self) -> Sequence[Registration]:
        """Registrations in upstream's order; a plugin without this method is woken by every default event."""


class Handle(Protocol):
    """What the scheduler offers its plugins."""

    clock: Clock
    store: Store
    gates: FeatureGates
    request_features: RequestFeatures
    shared: dict[str, Any]
    """What the plugins of all profiles of this scheduler share, by a key of the plugin's own."""

    @property
    def snapshot(self) -> Snapshot:
        """The cluster as the current cycle sees it."""

    @property
    def scheduler_name(self) -> str:
        """The profile's schedulerName."""

    def filter_with_nominated_pods(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Run this profile's Filter plugins, also with equally or more important nominated pods added."""

    def add_pod(self, state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo) -> Status | None:
        """Run the PreFilter plugins' `add_pod` that were not skipped."""

    def remove_pod(self, state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo) -> Status | None:
        """Run the PreFilter plugins' `remove_pod` that were not skipped."""

    def nominated_pods(self, node: str) -> Sequence[PodInfo]:
        """Pods nominated to the node, in order of nomination."""

    def pod_info(self, pod: Any) -> PodInfo:
        """The pod with its derived data, built with this cluster's features."""

    def waiting_pods(self) -> Iterable[Any]:
        """Pods that wait on Permit, in order."""

    def activate(self, keys: Sequence[str]) -> None:
        """Move pods (ns/name) from unschedulable or backoff to the active queue when the cycle's Permit is over."""

    def bind(self, pod: PodInfo, node: str) -> Status | None:
        """Ask the API server to bind the pod; Error with its message when it refuses."""

    def run_later(self, job: Callable[[], None]) -> None:
        """Do asynchronous work (evictions) when the cycle's failure has been handled, before the next cycle."""

    def event(self, type_: str, reason: str, regarding: str, message: str) -> None:
        """Emit a Kubernetes event; `regarding` reads `Pod ns/name`."""
