"""Nominated pods, as Filter counts them."""

from __future__ import annotations

from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo


def nominated_ahead(handle: Handle, pod: PodInfo, node: NodeInfo) -> list[PodInfo]:
    """The pods nominated to the node that Filter adds before it judges `pod`: as important or more, not itself."""
    return [
        other for other in handle.nominated_pods(node.name) if other.priority >= pod.priority and other.uid != pod.uid
    ]


def running(node: NodeInfo, nominated: list[PodInfo]) -> list[PodInfo]:
    """The node's pods without the nominated ones, in case they have been added to it."""
    uids = {pod.uid for pod in nominated}
    return [pod for pod in node.pods if pod.uid not in uids]
