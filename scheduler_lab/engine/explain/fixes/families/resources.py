"""NodeResourcesFit: the pod asks for more than is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.evidence.format import amount
from scheduler_lab.engine.explain.edits import Change, Set
from scheduler_lab.engine.explain.fixes.families.lower_requests import lowered, without
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, delete_pods
from scheduler_lab.engine.explain.fixes.model import LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation, node_ref
from scheduler_lab.engine.framework.resources import CPU, PODS, RequestFeatures, is_extended, pod_resource
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Shortage:
    """A resource that does not suffice on a node, in milli-CPU, bytes or units."""

    resource: str
    requested: int
    allocatable: int
    taken: int

    @property
    def room(self) -> int:
        """What the pod could have."""
        return max(0, self.allocatable - self.taken)

    @property
    def needed(self) -> int:
        """What the node would have to offer."""
        return self.taken + self.requested


def resources(situation: Situation) -> Iterator[Candidate]:
    """Ask for less, a larger node, fewer pods on it."""
    found = [(r.node, shortages(r)) for r in situation.by("NodeResourcesFit")]
    found = [(node, short) for node, short in found if short]
    yield from _lower(situation, found)
    for node, short in sorted(found, key=_missing)[:SHOWN_NODES]:
        yield from _enlarge(situation, node, short)
        yield from delete_pods(situation, _enough(situation, node, short))


def shortages(rejection: Rejection) -> list[Shortage]:
    """What is short on the node, as the evidence's table tells: resource, in use, nominated, requested, allocatable."""
    found = []
    for row in rejection.failed_rows:
        if len(row) >= 5:
            used, kept, requested, allocatable = (_whole(row[0], cell) for cell in row[1:5])
            found.append(Shortage(row[0], requested, allocatable, used + kept))
    return found


def _whole(resource: str, cell: str) -> int:
    quantity = Quantity.parse(cell)
    return quantity.milli() if resource == CPU else quantity.value()


def _missing(item: tuple[str, list[Shortage]]) -> float:
    """How much larger the node would have to be, as a share of itself."""
    return sum(s.needed / s.allocatable if s.allocatable else 100.0 for s in item[1])


def _kept(item: tuple[str, list[Shortage]]) -> float:
    """How little of the request would be left, negative so that the node with most comes first."""
    return -min(s.room / s.requested if s.requested else 1.0 for s in item[1])


def _lower(situation: Situation, found: list[tuple[str, list[Shortage]]]) -> Iterator[Candidate]:
    """Requests as large as still fit some node, those first that keep most of what was asked for."""
    for node, short in sorted(found, key=_kept)[:SHOWN_NODES]:
        if any(s.resource == PODS for s in short):
            continue
        changes: list[Change] = []
        said: list[str] = []
        for shortage in short:
            edit = lowered(situation, shortage.resource, _room(situation, node, shortage))
            if edit is None:
                break
            changes += edit.changes
            said += edit.said
        else:
            names = {"node": node, "room": ", ".join(f"{s.resource} {amount(s.resource, s.room)}" for s in short)}
            yield Candidate(
                "lower-request",
                "pod",
                text(N_("Ask for less: %(requests)s"), requests=", ".join(said)),
                text(N_("That is the most for which %(node)s has room (%(room)s)."), **names),
                tuple(changes),
                SMALL,
            )
    for resource in sorted({s.resource for _, short in found for s in short}):
        edit = without(situation, resource) if is_extended(resource) else None
        if edit is not None:
            yield Candidate(
                "without-resource",
                "pod",
                text(N_("Do without %(resource)s"), resource=resource),
                text(N_("No node has enough of %(resource)s left, and it cannot be shared."), resource=resource),
                edit.changes,
                LARGE,
            )


def _room(situation: Situation, node: str, shortage: Shortage) -> int:
    """What the pod could have; with siblings on the node, which get the same template, an equal share of their room."""
    beside = sum(situation.node_of(key) == node for key in situation.siblings)
    return max(0, shortage.room + beside * shortage.requested) // (beside + 1) if beside else shortage.room


def _enlarge(situation: Situation, name: str, short: list[Shortage]) -> Iterator[Candidate]:
    """The node with as much as it takes."""
    node = situation.nodes.get(name)
    if node is None:
        return
    where = "allocatable" if node.status.allocatable else "capacity"
    changes = []
    said = []
    for shortage in short:
        written = amount(shortage.resource, shortage.needed)
        changes.append(Set(node_ref(name), ("status", where, shortage.resource), written))
        said.append(f"{shortage.resource} {written}")
    offers_some = any(shortage.allocatable for shortage in short)
    template = N_("Make %(node)s larger: %(amounts)s") if offers_some else N_("Let %(node)s offer %(amounts)s")
    yield Candidate(
        "larger-node",
        "cluster",
        text(template, node=name, amounts=", ".join(said)),
        text(N_("That is what runs on %(node)s and this pod together."), node=name),
        tuple(changes),
        LARGE,
    )


def _enough(situation: Situation, node: str, short: list[Shortage]) -> list[list[str]]:
    """Pods of the node that free enough, one by one: terminating ones first, then the least important and smallest."""
    options = []
    for key in situation.pods_on(node):
        pod = situation.pods[key]
        held = pod_resource(pod, RequestFeatures())
        if all((1 if s.resource == PODS else held.get(s.resource)) >= s.needed - s.allocatable for s in short):
            options.append((_weight(pod, short[0].resource), key))
    return [[key] for _weight, key in sorted(options)[:2]]


def _weight(pod: Pod, resource: str) -> tuple[bool, int, int]:
    size = pod_resource(pod, RequestFeatures()).get(resource)
    return pod.metadata.deletion_timestamp is None, pod.spec.priority or 0, size
