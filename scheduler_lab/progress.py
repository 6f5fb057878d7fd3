"""How far a run has come, for a page that waits for it. Known to the worker, so without Django."""

from __future__ import annotations

from typing import Any, Literal

from scheduler_lab.engine.manifests import Manifest
from scheduler_lab.engine.simulation import Simulation

Stage = Literal["read", "run", "write"]


class Progress:
    """The stage of the run in this process, what is run, and how many cycles were made."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """A new run begins."""
        self._stage: Stage = "read"
        self._nodes = self._pods = 0
        self._simulation: Simulation | None = None

    def at(self, stage: Stage, manifest: Manifest | None = None) -> None:
        """The run has come to a stage."""
        self._stage = stage
        if manifest is not None:
            kinds = [entry.object.kind for entry in manifest.entries]
            self._nodes, self._pods = kinds.count("Node"), kinds.count("Pod")
        if stage == "write":
            self._simulation = None

    def watch(self, simulation: Simulation) -> None:
        """Count the cycles of this simulation."""
        self._simulation = simulation

    def state(self) -> dict[str, Any]:
        """Stage, nodes and pods of the text, cycles made so far."""
        simulation = self._simulation
        cycles = len(simulation.process.scheduler.cycles) if simulation is not None else 0
        return {"stage": self._stage, "nodes": self._nodes, "pods": self._pods, "cycles": cycles}
