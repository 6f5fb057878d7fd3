"""The cluster before and after, as boxes: zones, nodes with their taints and bars, pods and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from scheduler_lab.present.facts import Json, short_name

BAR = 100
MOST_NODES = 60
MOST_PODS = 24
GIB = 1 << 30


@dataclass(frozen=True)
class PodBox:
    """`change` is "new", "gone", "waiting", "terminating" or ""."""

    name: str
    change: str = ""


@dataclass(frozen=True)
class Meter:
    """One resource: bar parts in percent of allocatable, and the figures as text."""

    name: str
    used: int
    added: int
    held: int
    text: str
    title: str

    @property
    def held_at(self) -> int:
        return self.used + self.added


@dataclass(frozen=True)
class NodeBox:
    name: str
    shut: bool
    flags: list[str]
    meters: list[Meter]
    pods: list[PodBox]
    more_pods: int
    nominated: list[str]


@dataclass(frozen=True)
class Zone:
    name: str
    nodes: list[NodeBox]


@dataclass(frozen=True)
class Cluster:
    before: list[Zone]
    after: list[Zone]
    nodes: int
    zones: int
    hidden: int


def build(before: list[Json], after: list[Json], deleted: set[str]) -> Cluster | None:
    """The two states side by side; None when the record holds none. At most MOST_NODES nodes each."""
    if not before and not after:
        return None
    old = {node["name"]: node for node in before}
    new = {node["name"]: node for node in after}
    there = {pod["key"] for node in before for pod in node.get("pods", [])}
    zones = {(node.get("region", ""), node.get("zone", "")) for node in after or before}
    return Cluster(
        before=_zones([_node(node, None, there, set()) for node in before[:MOST_NODES]], before),
        after=_zones([_node(new[name], old.get(name), there, deleted) for name in list(new)[:MOST_NODES]], after),
        nodes=len(after or before),
        zones=len(zones - {("", "")}),
        hidden=max(0, len(after or before) - MOST_NODES),
    )


def _zones(boxes: list[NodeBox], nodes: list[Json]) -> list[Zone]:
    grouped: dict[str, list[NodeBox]] = {}
    for box, node in zip(boxes, nodes, strict=False):
        grouped.setdefault(node.get("zone", ""), []).append(box)
    return [Zone(name, found) for name, found in grouped.items()]


def _node(node: Json, old: Json | None, there: set[str], deleted: set[str]) -> NodeBox:
    compare = old is not None
    pods = [PodBox(short_name(pod["key"]), _change(pod, there, compare)) for pod in node.get("pods", [])]
    if old is not None:
        present = {pod["key"] for pod in node.get("pods", [])}
        gone = [pod["key"] for pod in old.get("pods", []) if pod["key"] not in present and pod["key"] in deleted]
        pods = [PodBox(short_name(key), "gone") for key in gone] + pods
    changed_first = sorted(pods, key=lambda pod: not pod.change)
    flags = [*node.get("taints", [])]
    if node.get("unschedulable"):
        flags = [_("cordoned"), *(flag for flag in flags if "node.kubernetes.io/unschedulable" not in flag)]
    return NodeBox(
        name=node["name"],
        shut=bool(node.get("unschedulable")),
        flags=flags,
        meters=_meters(node, there if compare else None),
        pods=changed_first[:MOST_PODS],
        more_pods=max(0, len(pods) - MOST_PODS),
        nominated=[short_name(key) for key in node.get("nominated", [])],
    )


def _change(pod: Json, there: set[str], compare: bool) -> str:
    if pod.get("state") in ("waiting", "terminating"):
        return str(pod["state"])
    return "new" if compare and pod["key"] not in there else ""


def _meters(node: Json, there: set[str] | None) -> list[Meter]:
    allocatable, requested = node.get("allocatable", {}), node.get("requested", {})
    meters = []
    for resource in ("cpu", "memory"):
        whole = allocatable.get(resource, 0)
        if not whole:
            continue
        used = requested.get(resource, 0)
        added = held = 0
        if there is not None:
            for pod in node.get("pods", []):
                if pod.get("state") == "waiting":
                    held += pod.get(resource, 0)
                elif pod["key"] not in there:
                    added += pod.get(resource, 0)
        before, new, waiting = (
            min(BAR, round(BAR * max(0, part) / whole)) for part in (used - added - held, added, held)
        )
        figures = f"{_amount(resource, used)}/{_amount(resource, whole)}"
        label = _("cpu") if resource == "cpu" else _("mem")
        meters.append(Meter(label, before, new, waiting, figures, _unit(resource)))
    return meters


def _unit(resource: str) -> str:
    return _("CPU cores: requested/allocatable") if resource == "cpu" else _("memory in Gi: requested/allocatable")


def _amount(resource: str, amount: float) -> str:
    value = Decimal(int(amount)) / (1000 if resource == "cpu" else GIB)
    rounded = value.quantize(Decimal("0.1")) if value >= 10 else value.quantize(Decimal("0.01"))
    return f"{rounded.normalize():f}"
