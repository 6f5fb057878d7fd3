"""How much evidence a run gathers. Evidence costs time and space, so nobody pays for what nobody reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceMode:
    """Which verdicts are explained: all, none, or those of one cycle (and there of one node, if given).

    With `everything`, cycles over more than `max_nodes` nodes are left out; ask for one of their nodes instead.
    """

    everything: bool = False
    cycle: int | None = None
    node: str | None = None
    max_nodes: int = 100

    def wants_cycle(self, cycle: int, nodes: int) -> bool:
        """Whether anything in the cycle with this index (from 0) is to be explained."""
        return (self.everything and nodes <= self.max_nodes) or self.cycle == cycle

    def wants_node(self, node: str) -> bool:
        """Whether a node's verdicts are to be explained, in a cycle that is wanted."""
        return self.node is None or self.node == node


ALL = EvidenceMode(everything=True)
NONE = EvidenceMode()
