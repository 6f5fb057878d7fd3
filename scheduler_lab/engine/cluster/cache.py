"""The scheduler's picture of nodes and their pods (kube-scheduler v1.35, cache, snapshot and node tree)."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.node import Node

_ZONE_LABELS = (
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
)


def zone_key(node: Node) -> str:
    """Region and zone as one string; "" when the node has neither label (beta labels win)."""
    labels = node.metadata.labels
    zone, region = (labels.get(beta) or labels.get(stable, "") for beta, stable in _ZONE_LABELS)
    return f"{region}:\x00:{zone}" if zone or region else ""


class Cache:
    """Nodes with their running and assumed pods, and the order in which Filter visits them.

    The scheduling cycle is serial, so the live cache serves as its snapshot: nothing changes it between the
    start of a cycle and the assumption of its pod. A node that was removed while pods remain stays as a ghost
    that is in no list.
    """

    def __init__(self) -> None:
        self._infos: dict[str, NodeInfo] = {}
        self._zones: dict[str, list[str]] = {}
        self._zone_of: dict[str, str] = {}
        self._order: list[NodeInfo] | None = None
        self._pod_nodes: dict[str, str] = {}
        self._assumed: dict[str, PodInfo] = {}
        self._claim_users: dict[str, int] = {}
        self._affinity: list[NodeInfo] | None = None
        self._anti_affinity: list[NodeInfo] | None = None
        self._images: dict[str, tuple[int, set[str]]] = {}
        self._changed: set[str] = set()

    # -- the snapshot ------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[NodeInfo]:
        """All nodes, zones interleaved: the first of every zone, then the second of every zone, and so on."""
        if self._order is None:
            self._order = [self._infos[name] for name in self._interleaved()]
        return self._order

    def _interleaved(self) -> Iterator[str]:
        position = 0
        while True:
            row = [names[position] for names in self._zones.values() if position < len(names)]
            if not row:
                return
            yield from row
            position += 1

    @property
    def sizes(self) -> dict[str, int]:
        """How many nodes, pods and assumed pods are held; a ghost is a node too."""
        return {"nodes": len(self._infos), "pods": len(self._pod_nodes), "assumed_pods": len(self._assumed)}

    def get(self, name: str) -> NodeInfo | None:
        """The node of that name; ghosts are not found."""
        info = self._infos.get(name)
        return info if info is not None and info.node is not None else None

    @property
    def nodes_with_affinity_pods(self) -> list[NodeInfo]:
        """Nodes with at least one pod that has an affinity or anti-affinity stanza."""
        if self._affinity is None:
            self._affinity = [info for info in self.nodes if info.pods_with_affinity]
        return self._affinity

    @property
    def nodes_with_required_anti_affinity_pods(self) -> list[NodeInfo]:
        """Nodes with at least one pod that has required anti-affinity."""
        if self._anti_affinity is None:
            self._anti_affinity = [info for info in self.nodes if info.pods_with_required_anti_affinity]
        return self._anti_affinity

    def claim_in_use(self, key: str) -> bool:
        """Whether any pod on any node mounts the claim ns/name through a persistentVolumeClaim volume."""
        return key in self._claim_users

    def refresh(self) -> None:
        """Begin a cycle: nodes that changed since the last one learn how many nodes have their images now.

        The others keep the older counts, as upstream's snapshot copies a node only when it has changed.
        """
        for name in self._changed:
            info = self._infos.get(name)
            if info is not None and info.node is not None:
                info.images = self._image_counts(info.node)
        self._changed.clear()

    def _image_counts(self, node: Node) -> dict[str, tuple[int, int]]:
        names = [name for image in node.status.images for name in image.names]
        return {name: (self._images[name][0], len(self._images[name][1])) for name in names}

    # -- nodes -------------------------------------------------------------------------------------------------

    def set_node(self, node: Node) -> None:
        """Add a node or take its new version."""
        name = node.metadata.name
        info = self._infos.get(name)
        if info is None:
            info = self._infos[name] = NodeInfo()
        self._forget_images(info)
        joined = info.node is None
        info.set_node(node)
        self._changed.add(name)
        self._note_images(node)
        self._place(name, zone_key(node))
        if joined:
            self._order = None
        self._affinity = self._anti_affinity = None

    def remove_node(self, name: str) -> None:
        """Drop a node; its pods, if any are left, stay counted on a ghost."""
        info = self._infos[name]
        self._forget_images(info)
        self._unplace(name)
        info.set_node(None)
        if not info.pods:
            del self._infos[name]
        self._order = self._affinity = self._anti_affinity = None

    def _place(self, name: str, zone: str) -> None:
        if self._zone_of.get(name) == zone:
            return
        self._unplace(name)
        self._zones.setdefault(zone, []).append(name)
        self._zone_of[name] = zone

    def _unplace(self, name: str) -> None:
        zone = self._zone_of.pop(name, None)
        if zone is not None:
            self._zones[zone].remove(name)
            if not self._zones[zone]:
                del self._zones[zone]

    def _note_images(self, node: Node) -> None:
        for image in node.status.images:
            for name in image.names:
                size, holders = self._images.setdefault(name, (image.size_bytes, set()))
                holders.add(node.metadata.name)
                self._images[name] = (size, holders)

    def _forget_images(self, info: NodeInfo) -> None:
        if info.node is None:
            return
        for image in info.node.status.images:
            for name in image.names:
                entry = self._images.get(name)
                if entry is not None:
                    entry[1].discard(info.name)
                    if not entry[1]:
                        del self._images[name]

    # -- pods --------------------------------------------------------------------------------------------------

    def add_pod(self, pod: PodInfo) -> None:
        """Count an assigned pod; confirms it if it was assumed."""
        if pod.uid in self._pod_nodes:
            self.remove_pod(pod.uid)
        node = pod.pod.spec.node_name
        info = self._infos.get(node)
        if info is None:
            info = self._infos[node] = NodeInfo()
        info.add_pod(pod)
        self._changed.add(node)
        self._pod_nodes[pod.uid] = node
        for name in pod.claim_names:
            key = f"{pod.namespace}/{name}"
            self._claim_users[key] = self._claim_users.get(key, 0) + 1
        if pod.has_affinity:
            self._affinity = self._anti_affinity = None

    def remove_pod(self, uid: str) -> None:
        """Stop counting a pod, running or assumed; nothing happens if it is not counted."""
        node = self._pod_nodes.pop(uid, None)
        self._assumed.pop(uid, None)
        if node is None:
            return
        info = self._infos[node]
        pod = next(pod for pod in info.pods if pod.uid == uid)
        info.remove_pod(uid)
        self._changed.add(node)
        for name in pod.claim_names:
            key = f"{pod.namespace}/{name}"
            self._claim_users[key] -= 1
            if not self._claim_users[key]:
                del self._claim_users[key]
        if info.node is None and not info.pods:
            del self._infos[node]
        if pod.has_affinity:
            self._affinity = self._anti_affinity = None

    def assume(self, pod: PodInfo) -> None:
        """Count a pod on the node the scheduler chose before the API server knows."""
        self.add_pod(pod)
        self._assumed[pod.uid] = pod

    def is_assumed(self, uid: str) -> bool:
        """Whether the pod is counted but not yet bound."""
        return uid in self._assumed

    def holds(self, uid: str) -> bool:
        """Whether the pod is counted at all."""
        return uid in self._pod_nodes
