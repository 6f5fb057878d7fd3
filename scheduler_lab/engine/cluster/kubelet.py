"""The kubelets' answers to the pods that have a node, told beside the record and without any effect on it.

The scheduler never sees a pod that comes with `spec.nodeName`; whether it runs is for that node's kubelet to say. Pods
that the scheduler has bound are judged too, which matters where two schedulers fill one node. A rejected pod stays what
it is in the cluster: here nothing changes its status, so that the scheduler goes on counting it until the text says
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.cluster.api_server import FIRST_BINDING
from scheduler_lab.engine.cluster.claims import WAIT_FOR_FIRST_CONSUMER, claim_class, fully_bound
from scheduler_lab.engine.cluster.kubelet_admission import Rejection, is_critical, is_static, mismatch, shortage
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.evidence import N_, Text, text
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.meta import parse_time
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod
from scheduler_lab.engine.objects.storage import StorageClass

QUARANTINE_SECONDS = 40.0
NO_LONGER_EXISTS = "PodGC: node no longer exists"
NOT_BOUND = "PVC is not bound"
WAITING_FOR_CONSUMER = "waiting for first consumer to be created before binding"
HOSTNAME = "kubernetes.io/hostname"
ADVICE = N_(
    "spec.nodeName skips the scheduler; nodeSelector kubernetes.io/hostname: %(host)s names the same node and has "
    "everything checked."
)
_PENDING = "Pending"


class Kubelets:
    """All nodes' kubelets. `clock` is the one that moves when the learner lets time pass.

    `entries` is rewritten by every `sync`: rejections, what cannot be mounted, and pods without a node; pods that are
    admitted appear for nodes that have rejected one, since their requests are why.
    """

    def __init__(
        self,
        store: Store,
        gates: FeatureGates,
        pod_info: Callable[[Pod], PodInfo],
        clock: Clock,
        entries: list[dict[str, Any]],
    ) -> None:
        self._store = store
        self._operators = gates.enabled("TaintTolerationComparisonOperators")
        self._pod_info = pod_info
        self._clock = clock
        self._entries = entries
        self._nodes: dict[str, NodeInfo] = {}
        self._judged: dict[str, tuple[str, Pod]] = {}
        self._orphans: dict[str, float] = {}
        self._told: list[dict[str, Any]] = []
        self._strict: set[str] = set()

    def sync(self, step: int) -> None:
        """Judge the pods that have come to a node since the last time, in the order in which they came."""
        pods: list[Pod] = self._store.list("Pod")
        present = {pod.metadata.uid: pod for pod in pods if _on_node(pod)}
        for uid in [uid for uid in self._judged if uid not in present]:
            node = self._judged.pop(uid)[0]
            if node in self._nodes:
                self._nodes[node].remove_pod(uid)
        for uid in [uid for uid in self._orphans if uid not in present]:
            del self._orphans[uid]
        new = [pod for uid, pod in present.items() if uid not in self._judged]
        for pod in sorted(new, key=_arrival):
            self._arrived(pod, step)
        shown = [entry for entry in self._told if entry["phase"] != "Running" or entry["node"] in self._strict]
        self._entries[:] = shown

    def _arrived(self, pod: Pod, step: int) -> None:
        name = pod.spec.node_name
        node = self._store.get("Node", "", name)
        if node is None:
            self._orphan(pod, step)
            return
        self._orphans.pop(pod.metadata.uid, None)
        self._judged[pod.metadata.uid] = (name, pod)
        info, view = self._pod_info(pod), self._view(node)
        if _runs_already(pod):
            view.add_pod(info)
            return
        rejected, note = self._judge(info, view)
        if rejected is not None:
            self._strict.add(name)
            self._reject(pod, rejected, step)
            return
        view.add_pod(info)
        unbound = self._unbound_claim(pod)
        if unbound is not None:
            self._cannot_mount(pod, unbound, step)
        else:
            self._tell(pod, step, "Running", note=note)

    def _view(self, node: Node) -> NodeInfo:
        view = self._nodes.setdefault(node.metadata.name, NodeInfo(node))
        if view.node is not node:
            view.set_node(node)
        return view

    def _judge(self, pod: PodInfo, node: NodeInfo) -> tuple[Rejection | None, Text | None]:
        """(why the kubelet rejects the pod or None, what there is to say about a pod that it admits)."""
        missing = shortage(pod, node)
        if missing is not None and not is_critical(pod.pod):
            return missing, None
        other = mismatch(pod, node, comparison_operators=self._operators)
        if other is not None:
            return other, None
        if missing is not None:
            note = N_(
                "%(pod)s is critical: the kubelet evicts less important pods to make room, which is not shown here."
            )
            return None, text(note, pod=pod.key)
        if is_static(pod.pod):
            return None, text(N_("%(pod)s is a static pod: the kubelet runs it without any scheduler."), pod=pod.key)
        return None, None

    # -- what is told --------------------------------------------------------------------------------------------

    def _tell(
        self,
        pod: Pod,
        step: int,
        phase: str,
        *,
        reason: str = "",
        message: str = "",
        event: dict[str, str] | None = None,
        note: Text | None = None,
        claim: dict[str, Any] | None = None,
    ) -> None:
        entry: dict[str, Any] = {"pod": pod.key, "node": pod.spec.node_name, "phase": phase, "step": step}
        advice = None if phase == "Running" else self._advice(pod)
        more = {"reason": reason, "message": message, "event": event, "note": note, "claim": claim, "advice": advice}
        self._told.append({**entry, **{name: value for name, value in more.items() if value}})

    def _advice(self, pod: Pod) -> Text | None:
        """What to write instead of nodeName, if that is how the pod came to its node."""
        node: Node | None = self._store.get("Node", "", pod.spec.node_name)
        if node is None or _bound_here(pod) or is_static(pod):
            return None
        host = node.metadata.labels.get(HOSTNAME, node.metadata.name)
        return text(ADVICE, host=host)

    def _reject(self, pod: Pod, rejection: Rejection, step: int) -> None:
        reason, message = rejection
        event = {"type": "Warning", "reason": reason, "message": message}
        self._tell(pod, step, "Failed", reason=reason, message=f"Pod was rejected: {message}", event=event)

    def _cannot_mount(self, pod: Pod, claim: PersistentVolumeClaim, step: int) -> None:
        """The wording is that of recent kubelets; it has changed between versions."""
        event = {
            "type": "Warning",
            "reason": "FailedMount",
            "message": f"error processing PVC {claim.key}: {NOT_BOUND}",
        }
        about: dict[str, Any] = {"name": claim.key, "phase": _PENDING}
        if self._waits_for_consumer(claim):
            about["event"] = {"type": "Normal", "reason": WAIT_FOR_FIRST_CONSUMER, "message": WAITING_FOR_CONSUMER}
            note = N_("Claim %(claim)s of %(pod)s waits until a scheduler selects a node, and none does.")
        else:
            note = N_("Claim %(claim)s of %(pod)s has no volume.")
        self._tell(
            pod,
            step,
            _PENDING,
            reason="ContainerCreating",
            message=event["message"],
            event=event,
            note=text(note, claim=claim.key, pod=pod.key),
            claim=about,
        )

    def _waits_for_consumer(self, claim: PersistentVolumeClaim) -> bool:
        kind: StorageClass | None = self._store.get("StorageClass", "", claim_class(claim))
        return kind is not None and kind.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER

    def _orphan(self, pod: Pod, step: int) -> None:
        uid, node = pod.metadata.uid, pod.spec.node_name
        if uid not in self._orphans:
            self._orphans[uid] = self._clock.now
            note = text(N_("There is no node %(node)s, so nobody runs %(pod)s."), node=node, pod=pod.key)
            self._tell(pod, step, _PENDING, note=note)
        elif self._clock.now - self._orphans[uid] >= QUARANTINE_SECONDS:
            self._judged[uid] = (node, pod)
            note = text(
                N_("%(pod)s is marked as failed and deleted: its node has not existed for %(seconds)d seconds."),
                pod=pod.key,
                seconds=int(QUARANTINE_SECONDS),
            )
            self._tell(pod, step, "Failed", reason="DeletionByPodGC", message=NO_LONGER_EXISTS, note=note)

    def _unbound_claim(self, pod: Pod) -> PersistentVolumeClaim | None:
        """The first claim of the pod that exists and has no volume."""
        for volume in pod.spec.volumes:
            if volume.persistent_volume_claim is None:
                continue
            name = volume.persistent_volume_claim.claim_name
            claim: PersistentVolumeClaim | None = self._store.get("PersistentVolumeClaim", pod.metadata.namespace, name)
            if claim is not None and not fully_bound(claim) and not claim.spec.volume_name:
                return claim
        return None


def _on_node(pod: Pod) -> bool:
    return bool(pod.spec.node_name) and pod.status.phase not in FINISHED_PHASES


def _arrival(pod: Pod) -> float:
    stamp = pod.status.start_time or pod.metadata.creation_timestamp
    return parse_time(stamp) if stamp else 0.0


def _bound_here(pod: Pod) -> bool:
    """Whether a scheduler of this run has bound the pod."""
    return pod.status.start_time is not None and parse_time(pod.status.start_time) > FIRST_BINDING


def _runs_already(pod: Pod) -> bool:
    """Whether the pod comes from a dump of a cluster in which its kubelet has admitted it."""
    return pod.status.phase == "Running" and bool(pod.status.pod_ip or pod.status.container_statuses)
