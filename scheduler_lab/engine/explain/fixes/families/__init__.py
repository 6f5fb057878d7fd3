"""What can be proposed, one module a kind of obstacle. Each proposes; whether it helps is for a run to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scheduler_lab.engine.explain.fixes.families.claims import claims
from scheduler_lab.engine.explain.fixes.families.devices import devices
from scheduler_lab.engine.explain.fixes.families.extenders import extenders
from scheduler_lab.engine.explain.fixes.families.gangs import gangs
from scheduler_lab.engine.explain.fixes.families.gates import gates
from scheduler_lab.engine.explain.fixes.families.host_ports import host_ports
from scheduler_lab.engine.explain.fixes.families.new_node import new_node
from scheduler_lab.engine.explain.fixes.families.node_affinity import node_affinity
from scheduler_lab.engine.explain.fixes.families.permits import permits
from scheduler_lab.engine.explain.fixes.families.pod_affinity import pod_affinity
from scheduler_lab.engine.explain.fixes.families.pod_anti_affinity import pod_anti_affinity
from scheduler_lab.engine.explain.fixes.families.priority import priority
from scheduler_lab.engine.explain.fixes.families.replicas import replicas
from scheduler_lab.engine.explain.fixes.families.resources import resources
from scheduler_lab.engine.explain.fixes.families.scheduler_name import scheduler_name
from scheduler_lab.engine.explain.fixes.families.shared_leases import shared_leases
from scheduler_lab.engine.explain.fixes.families.spread import spread
from scheduler_lab.engine.explain.fixes.families.taints import taints
from scheduler_lab.engine.explain.fixes.families.unschedulable import unschedulable
from scheduler_lab.engine.explain.fixes.families.volumes import volumes
from scheduler_lab.engine.explain.fixes.model import Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation

Family = Callable[[Situation], Iterator[Candidate]]

FAMILIES: tuple[Family, ...] = (
    scheduler_name,
    shared_leases,
    gates,
    unschedulable,
    taints,
    node_affinity,
    resources,
    replicas,
    host_ports,
    spread,
    pod_anti_affinity,
    pod_affinity,
    claims,
    volumes,
    devices,
    gangs,
    permits,
    extenders,
    priority,
    new_node,
)


def candidates(situation: Situation) -> Iterator[Candidate]:
    """Every edit that the verdicts suggest, each once."""
    seen: set[str] = set()
    for family in FAMILIES:
        for candidate in family(situation):
            if candidate.key not in seen:
                seen.add(candidate.key)
                yield candidate
