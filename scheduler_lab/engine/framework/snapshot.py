"""The nodes as one scheduling cycle sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from scheduler_lab.engine.framework.node_info import NodeInfo


class Snapshot(Protocol):
    """Read access to every node with its pods; constant during a scheduling cycle."""

    @property
    def nodes(self) -> Sequence[NodeInfo]:
        """All nodes, zones interleaved, in the order Filter visits them."""

    def get(self, name: str) -> NodeInfo | None:
        """The node of that name."""

    @property
    def nodes_with_affinity_pods(self) -> Sequence[NodeInfo]:
        """Nodes with at least one pod that has an affinity or anti-affinity stanza, in order."""

    @property
    def nodes_with_required_anti_affinity_pods(self) -> Sequence[NodeInfo]:
        """Nodes with at least one pod that has required anti-affinity, in order."""

    def claim_in_use(self, key: str) -> bool:
        """Whether any pod on any node uses the claim ns/name."""
