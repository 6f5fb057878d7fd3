"""What Coscheduling knows about each PodGroup: its pods, who of them holds a node, recent failures."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.gang import PodGroup
from scheduler_lab.engine.objects.meta import parse_time
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod

LABEL = "scheduling.x-k8s.io/pod-group"
DEFAULT_CHECK_SECONDS = 3.0
_INSTANT = 1e-6


def group_name(pod: Pod) -> str:
    """The namespace/name of the PodGroup that the pod's label names, or ""."""
    name = pod.metadata.labels.get(LABEL, "")
    return f"{pod.metadata.namespace}/{name}" if name else ""


class PodGroups:
    """The plugin's memory; every profile that enables the plugin has its own, as upstream.

    A pod counts as assigned from Permit on, or from its creation when it comes with a node, until it is unreserved or
    gone. Time of the checks and of the backoff is that of waiting pods, which moves when the learner lets it. Groups
    are ordered by creation: the timestamps of objects are the axis, and a failed attempt counts as later than
    everything created before it.
    """

    def __init__(self, store: Store, clock: Clock, timeout: float) -> None:
        self._store = store
        self._clock = clock
        self._timeout = timeout
        self._members: dict[str, dict[str, Pod]] = {}
        self._assigned: dict[str, set[str]] = {}
        self._checked: dict[str, float] = {}
        self._backed_off: dict[str, float] = {}
        self._failed: dict[str, float] = {}
        self._newest = 0.0
        self._failures = 0
        store.subscribe(self._observe)

    # -- who belongs to a group ----------------------------------------------------------------------------------

    def _observe(self, kind: str, old: Any, new: Any) -> None:
        if kind == "PodGroup" and new is not None:
            self._newest = max(self._newest, _created(new))
        if kind == "Pod":
            self._pod(_running(old), _running(new))

    def _pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is not None:
            self._newest = max(self._newest, _created(new))
        for pod, change in ((old, self._left), (new, self._joined)):
            if pod is not None and group_name(pod):
                change(group_name(pod), pod)
        if old is None and new is not None and new.spec.node_name:
            self.assign(new)
        elif new is None and old is not None and old.spec.node_name:
            self.unassign(old)

    def _joined(self, group: str, pod: Pod) -> None:
        self._members.setdefault(group, {})[pod.metadata.name] = pod

    def _left(self, group: str, pod: Pod) -> None:
        members = self._members.get(group, {})
        members.pop(pod.metadata.name, None)

    def find(self, pod: Pod) -> PodGroup | None:
        """The PodGroup that the pod's label names, if there is one."""
        name = pod.metadata.labels.get(LABEL, "")
        group: PodGroup | None = self._store.get("PodGroup", pod.metadata.namespace, name) if name else None
        return group

    def members(self, group: str) -> list[Pod]:
        """The unfinished pods with the group's label, by name."""
        return [pod for _, pod in sorted(self._members.get(group, {}).items())]

    # -- who holds a node ----------------------------------------------------------------------------------------

    def assign(self, pod: Pod) -> int:
        """Note that the pod holds a node; how many of its group do now."""
        group = group_name(pod)
        if not group:
            return 0
        assigned = self._assigned.setdefault(group, set())
        assigned.add(pod.metadata.name)
        return len(assigned)

    def unassign(self, pod: Pod) -> None:
        """Note that the pod holds a node no more."""
        assigned = self._assigned.get(group_name(pod))
        if assigned is not None:
            assigned.discard(pod.metadata.name)

    def assigned(self, group: str) -> int:
        """How many pods of the group hold a node."""
        return len(self._assigned.get(group, ()))

    # -- checks and backoff --------------------------------------------------------------------------------------

    def checked(self, group: str) -> bool:
        """Whether the group's minResources were found free a short while ago."""
        return self._clock.now < self._checked.get(group, 0.0)

    def note_check(self, group: str) -> None:
        """The group's minResources are free; this is believed for as long as a pod waits."""
        self._checked[group] = self._clock.now + (self._timeout or DEFAULT_CHECK_SECONDS)

    def forget_check(self, group: str) -> None:
        """Check the group's minResources again next time."""
        self._checked.pop(group, None)

    def back_off(self, group: str, seconds: float) -> None:
        """Reject the group's pods for so long; a backoff that still runs is not prolonged."""
        if not self.backing_off(group):
            self._backed_off[group] = self._clock.now + seconds

    def backing_off(self, group: str) -> bool:
        """Whether the group failed so recently that its pods are rejected."""
        return self._clock.now < self._backed_off.get(group, 0.0)

    # -- order ---------------------------------------------------------------------------------------------------

    def failed(self, group: str) -> None:
        """The group's attempt failed: from now on it stands behind what was created before."""
        self._failures += 1
        self._failed[group] = self._newest + self._failures * _INSTANT

    def succeeded(self, group: str) -> None:
        """The group has its quorum: it stands where its creation puts it again."""
        self._failed.pop(group, None)

    def time(self, pod: Pod) -> float:
        """The pod's place on the axis: its group's last failure or creation, else its own creation."""
        group = self.find(pod)
        if group is None:
            return _created(pod)
        return self._failed.get(group.key, _created(group))


def _running(pod: Pod | None) -> Pod | None:
    return None if pod is None or pod.status.phase in FINISHED_PHASES else pod


def _created(obj: Pod | PodGroup) -> float:
    stamp = obj.metadata.creation_timestamp
    return parse_time(stamp) if stamp else 0.0
