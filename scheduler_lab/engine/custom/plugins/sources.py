"""Where the variables of each extension point come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scheduler_lab.engine.custom.plugins.values import Members, Plain, Values, status_value
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.plugins.pod_claims import claim_name, find_claim
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.scheduler.handle import ProfileHandle
from scheduler_lab.engine.scheduler.handlers import running

Given = Mapping[str, Callable[[], object]]


class PluginState:
    """What a plugin remembers in one cycle; it is replaced, never changed."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def clone(self) -> PluginState:
        """Itself, for nobody changes it."""
        return self


class Sources:
    """Gives the variables in scope of one plugin's calls, as functions, since most are not used."""

    def __init__(self, plugin: str, members: Members, args: Mapping[str, Any], handle: ProfileHandle) -> None:
        self.key = f"lab/v1 Plugin {plugin}"
        self.values = Values(members)
        self._args = dict(args)
        self._handle = handle

    def state(self, state: CycleState) -> Mapping[str, Any]:
        """What the plugin remembers in this cycle."""
        remembered: PluginState | None = state.read(self.key)
        return remembered.values if remembered is not None else {}

    # -- by extension point ------------------------------------------------------------------------------------

    def queued(self, first: QueuedPod, second: QueuedPod) -> Given:
        """For queueSort."""
        return {"a": lambda: self._queued(first), "b": lambda: self._queued(second), "args": self._given_args}

    def pod(self, pod: PodInfo) -> Given:
        """For preEnqueue."""
        return {
            "pod": lambda: self.values.pod(pod),
            "pods": self._pods,
            "claims": lambda: self._claims(pod),
            "resourceClaims": lambda: self._resource_claims(pod),
            "args": self._given_args,
        }

    def cycle(self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo] | None) -> Given:
        """For preFilter and preScore, which are given nodes; None stands for all of the snapshot."""
        return {
            **self.pod(pod),
            "nodes": lambda: [
                self.values.node(node) for node in (self._handle.snapshot.nodes if nodes is None else nodes)
            ],
            "waitingPods": self._waiting,
            "state": lambda: dict(self.state(state)),
        }

    def on_node(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Given:
        """For filter and score."""
        return {**self.cycle(state, pod, None), "node": lambda: self.values.node(node)}

    def chosen(self, state: CycleState, pod: PodInfo, node: str) -> Given:
        """For what comes once a node is chosen."""
        return {**self.cycle(state, pod, None), "node": lambda: self._node(node)}

    def rejected(self, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> Given:
        """For postFilter."""

        def verdicts() -> dict[str, Plain]:
            return {node.name: status_value(statuses.of(node.name)) for node in self._handle.snapshot.nodes}

        return {**self.cycle(state, pod, None), "statuses": verdicts}

    def scored(self, state: CycleState, pod: PodInfo, scores: Mapping[str, int]) -> Callable[[str], Given]:
        """For normalizeScore: what each node's evaluation is given."""
        low, high = min(scores.values()), max(scores.values())

        def given(node: str) -> Given:
            return {
                **self.chosen(state, pod, node),
                "score": lambda: scores[node],
                "scores": lambda: dict(scores),
                "minScore": lambda: low,
                "maxScore": lambda: high,
            }

        return given

    def event(self, pod: PodInfo, old: Any, new: Any) -> Given:
        """For the hint of an event: the object before and after, null where there is none."""
        return {
            "pod": lambda: self.values.pod(pod),
            "object": lambda: self._object(new if new is not None else old),
            "oldObject": lambda: self._object(old),
            "args": self._given_args,
        }

    # -- the variables -----------------------------------------------------------------------------------------

    def _given_args(self) -> Plain:
        return self._args

    def _queued(self, entry: QueuedPod) -> Plain:
        return {
            "pod": self.values.pod(entry.pod),
            "timestamp": float(entry.timestamp),
            "attempts": entry.attempts,
        }

    def _object(self, value: Any) -> object:
        return self.values.pod(value) if isinstance(value, PodInfo) else self.values.object(value)

    def _node(self, name: str) -> Plain:
        info = self._handle.snapshot.get(name)
        return self.values.node(info) if info is not None else {"name": name}

    def _pods(self) -> list[Plain]:
        pods: list[Pod] = self._handle.store.list("Pod")
        return self.values.pods(self._handle.pod_info(pod) for pod in pods if running(pod))

    def _waiting(self) -> list[Plain]:
        return [
            {"pod": self.values.pod(waiting.pod), "node": waiting.node, "plugins": list(waiting.deadlines)}
            for waiting in self._handle.waiting_pods()
        ]

    def _claims(self, pod: PodInfo) -> list[Any]:
        names = [claim_name(pod.pod, volume) for volume in pod.pod.spec.volumes]
        found = [find_claim(self._handle.store, pod, name) for name in names if name is not None]
        return [self.values.object(claim) for claim in found if claim is not None]

    def _resource_claims(self, pod: PodInfo) -> list[Any]:
        made = {status.name: status.resource_claim_name for status in pod.pod.status.resource_claim_statuses}
        names = [claim.resource_claim_name or made.get(claim.name) for claim in pod.pod.spec.resource_claims]
        found = [self._handle.store.get("ResourceClaim", pod.namespace, name) for name in names if name]
        return [self.values.object(claim) for claim in found if claim is not None]
