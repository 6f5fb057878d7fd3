"""Which pending pods are nominated to which node, in order of nomination."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scheduler_lab.engine.framework.node_info import PodInfo


class Nominator:
    """kube-scheduler v1.35's nominator. `known` says whether a pod still exists unassigned."""

    def __init__(self, known: Callable[[PodInfo], bool]) -> None:
        self._known = known
        self._by_node: dict[str, list[PodInfo]] = {}
        self._node_of: dict[str, str] = {}

    def __bool__(self) -> bool:
        """Whether any pod is nominated."""
        return bool(self._by_node)

    def add(self, pod: PodInfo, node: str | None = None) -> None:
        """Nominate a pod to `node`; None takes what its status says, "" clears.

        Pods that are gone or assigned are refused.
        """
        self.remove(pod.uid)
        target = pod.pod.status.nominated_node_name if node is None else node
        if not target or not self._known(pod):
            return
        self._node_of[pod.uid] = target
        self._by_node.setdefault(target, []).append(pod)

    def remove(self, uid: str) -> None:
        """Forget a pod's nomination."""
        node = self._node_of.pop(uid, None)
        if node is None:
            return
        left = [pod for pod in self._by_node[node] if pod.uid != uid]
        if left:
            self._by_node[node] = left
        else:
            del self._by_node[node]

    def update(self, old: PodInfo, new: PodInfo) -> None:
        """Take a pod's new version; a nomination known only here survives if neither version names a node."""
        keep: str | None = None
        if not new.pod.status.nominated_node_name and not old.pod.status.nominated_node_name:
            keep = self._node_of.get(old.uid)
        self.remove(old.uid)
        self.add(new, keep)

    def pods(self, node: str) -> Sequence[PodInfo]:
        """Pods nominated to the node, oldest nomination first."""
        return self._by_node.get(node, ())

    def node_of(self, uid: str) -> str:
        """The node a pod is nominated to, or ""."""
        return self._node_of.get(uid, "")
