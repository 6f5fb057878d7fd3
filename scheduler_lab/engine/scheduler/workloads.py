"""Which pods belong to which gang, and how far each has come (kube-scheduler v1.35, workload manager)."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_lab.engine.framework.node_info import PodInfo

GroupKey = tuple[str, str, str, str]
"""(namespace, Workload, pod group, replica key): every replica key is a gang of its own."""

GANG_TIMEOUT_SECONDS = 300.0


@dataclass(slots=True)
class GangState:
    """The known pods of one gang by UID, in order of arrival, and the deadline its waiting pods share."""

    pods: dict[str, PodInfo] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)
    deadline: float | None = None

    @property
    def placed(self) -> int:
        """How many pods have a node: assigned ones and those that hold one."""
        return sum(1 for uid, pod in self.pods.items() if pod.pod.spec.node_name or uid in self.assumed)

    @property
    def unscheduled(self) -> list[PodInfo]:
        """Pods that have no node yet."""
        return [pod for uid, pod in self.pods.items() if not pod.pod.spec.node_name and uid not in self.assumed]

    def seconds_left(self, now: float) -> float:
        """Time until the shared deadline; the first waiter sets it, and one after its expiry sets it anew."""
        if self.deadline is None or self.deadline <= now:
            self.deadline = now + GANG_TIMEOUT_SECONDS
        return self.deadline - now


def group_key(pod: PodInfo) -> GroupKey | None:
    """The gang a pod belongs to, or None."""
    ref = pod.pod.spec.workload_ref
    return None if ref is None else (pod.namespace, ref.name, ref.pod_group, ref.pod_group_replica_key)


class WorkloadManager:
    """Hears of every pod ahead of cache and queue, and keeps the gangs; shared by all profiles."""

    def __init__(self) -> None:
        self._gangs: dict[GroupKey, GangState] = {}

    def observe(self, before: PodInfo | None, after: PodInfo | None) -> None:
        """A pod was created, changed or deleted."""
        pod = after or before
        key = group_key(pod) if pod is not None else None
        if pod is None or key is None:
            return
        if after is None:
            self._remove(key, pod.uid)
            return
        gang = self._gangs.setdefault(key, GangState())
        gang.pods[pod.uid] = after
        if after.pod.spec.node_name:
            gang.assumed.discard(pod.uid)

    def _remove(self, key: GroupKey, uid: str) -> None:
        gang = self._gangs.get(key)
        if gang is None:
            return
        gang.pods.pop(uid, None)
        gang.assumed.discard(uid)
        if not gang.pods:
            del self._gangs[key]

    def gang(self, pod: PodInfo) -> GangState | None:
        """The state of the pod's gang, if it is known."""
        key = group_key(pod)
        return None if key is None else self._gangs.get(key)
