"""The cluster before and after, as boxes: zones, nodes with their taints and bars, pods and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.present.facts import Json, short_name

BAR = 100
MOST_NODES = 36
MOST_PODS = 24
GIB = 1 << 30


@dataclass(frozen=True)
class PodBox:
    """`change` is "new", "gone", "waiting", "terminating", "stranded" (its node is gone) or ""; `key` its full name."""

    name: str
    change: str = ""
    key: str = ""


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
class Flag:
    """A taint or "cordoned"; `change` is "ins" or "del" where it came or went. `taint` is it as a button names it."""

    text: str
    change: str = ""
    taint: str = ""


@dataclass(frozen=True)
class NodeBox:
    """`change` is "new" or "gone" for a node that came or went."""

    name: str
    shut: bool
    flags: list[Flag]
    meters: list[Meter]
    pods: list[PodBox]
    more_pods: int
    nominated: list[PodBox]
    change: str = ""


@dataclass(frozen=True)
class Zone:
    name: str
    nodes: list[NodeBox]


@dataclass(frozen=True)
class Cluster:
    """`said` is what became different, in a few words."""

    before: list[Zone]
    after: list[Zone]
    nodes: int
    zones: int
    hidden: int
    said: list[str] = field(default_factory=list)
    stranded: bool = False


def build(
    before: list[Json], after: list[Json], deleted: set[str], stranded: dict[str, str] | None = None
) -> Cluster | None:
    """The two states side by side; None when the record holds none. Of many nodes MOST_NODES, first the changed.

    `stranded` are pods that are still bound to a node that is gone: pod → node.
    """
    if not before and not after:
        return None
    old = {node["name"]: node for node in before}
    span = _Span(
        there={pod["key"] for node in before for pod in node.get("pods", [])},
        left={pod["key"] for node in after for pod in node.get("pods", [])},
        deleted=deleted,
        stranded=stranded or {},
    )
    zones = {(node.get("region", ""), node.get("zone", "")) for node in after or before}
    now = {node["name"]: node for node in after}
    every = [*after, *(node for node in before if node["name"] not in now)] if before else after
    shown = _drawn(every, old, now)
    names = {node["name"] for node in shown}
    return Cluster(
        before=_zones([(_before(node), node) for node in before if node["name"] in names]),
        after=_zones(
            [
                (_after(node, old.get(node["name"]), span, compare=bool(before), gone=node["name"] not in now), node)
                for node in shown
            ]
        ),
        nodes=len(after or before),
        zones=len(zones - {("", "")}),
        hidden=len(every) - len(shown),
        said=_said(before, after, span),
        stranded=bool(stranded),
    )


def _drawn(every: list[Json], old: dict[str, Json], now: dict[str, Json]) -> list[Json]:
    """The nodes to draw, in their order: when there are too many, those that changed before the others."""
    if len(every) <= MOST_NODES:
        return every
    changed = [node["name"] for node in every if old.get(node["name"]) != now.get(node["name"])]
    rest = [node["name"] for node in every if node["name"] not in set(changed)]
    names = set([*changed, *rest][:MOST_NODES])
    return [node for node in every if node["name"] in names]


@dataclass(frozen=True)
class _Span:
    """The pods that were on nodes before, those that are now, those that were deleted, those without their node."""

    there: set[str]
    left: set[str]
    deleted: set[str]
    stranded: dict[str, str]

    def went(self, key: str) -> bool:
        return key not in self.left and key not in self.stranded


def _said(before: list[Json], after: list[Json], span: _Span) -> list[str]:
    pods = [pod for node in after for pod in node.get("pods", [])]
    waiting = sum(pod.get("state") == "waiting" for pod in pods)
    placed = sum(pod["key"] not in span.there and pod.get("state") != "waiting" for pod in pods)
    stranded = len(span.stranded)
    gone = len(span.there - span.left - set(span.stranded))
    nominated = sum(len(node.get("nominated", [])) for node in after)
    old, new = {node["name"] for node in before}, {node["name"] for node in after}
    counted = [
        (placed, ngettext("%(count)s placed", "%(count)s placed", placed)),
        (gone, ngettext("%(count)s gone", "%(count)s gone", gone)),
        (stranded, ngettext("%(count)s left without its node", "%(count)s left without their node", stranded)),
        (waiting, ngettext("%(count)s waiting at Permit", "%(count)s waiting at Permit", waiting)),
        (nominated, ngettext("%(count)s nominated", "%(count)s nominated", nominated)),
        (len(new - old), ngettext("%(count)s node added", "%(count)s nodes added", len(new - old))),
        (len(old - new), ngettext("%(count)s node removed", "%(count)s nodes removed", len(old - new))),
    ]
    return [text % {"count": count} for count, text in counted if count] if before else []


def _zones(boxes: list[tuple[NodeBox, Json]]) -> list[Zone]:
    grouped: dict[str, list[NodeBox]] = {}
    for box, node in boxes:
        grouped.setdefault(node.get("zone", ""), []).append(box)
    return [Zone(name, found) for name, found in grouped.items()]


def _before(node: Json) -> NodeBox:
    pods = [_pod_box(pod, "") for pod in node.get("pods", [])]
    return _box(node, [Flag(text, taint=taint) for text, taint in _flags(node)], _meters(node, None), pods)


def _after(node: Json, old: Json | None, span: _Span, *, compare: bool, gone: bool) -> NodeBox:
    if gone:
        pods = [_pod_box(pod, "gone") for pod in node.get("pods", []) if span.went(pod["key"])]
        pods += [PodBox(short_name(key), "stranded", key) for key, on in span.stranded.items() if on == node["name"]]
        flags = [Flag(text) for text, _taint in _flags(node)]
        return _box(node, flags, [], pods, change="gone")
    pods = [_pod_box(pod, _change(pod, span.there, compare)) for pod in node.get("pods", [])]
    went = [pod for pod in (old or {}).get("pods", []) if span.went(pod["key"])]
    pods = [_pod_box(pod, "gone") for pod in went] + pods
    change = "new" if compare and old is None else ""
    return _box(node, _compared(node, old), _meters(node, span.there if compare else None), pods, change=change)


def _box(node: Json, flags: list[Flag], meters: list[Meter], pods: list[PodBox], change: str = "") -> NodeBox:
    changed_first = sorted(pods, key=lambda pod: not pod.change)
    return NodeBox(
        name=node["name"],
        shut=bool(node.get("unschedulable")),
        flags=flags,
        meters=meters,
        pods=changed_first[:MOST_PODS],
        more_pods=max(0, len(pods) - MOST_PODS),
        nominated=[PodBox(short_name(key), key=key) for key in node.get("nominated", [])],
        change=change,
    )


def _pod_box(pod: Json, change: str) -> PodBox:
    state = pod.get("state")
    return PodBox(short_name(pod["key"]), change or (state if state in ("waiting", "terminating") else ""), pod["key"])


def _flags(node: Json) -> list[tuple[str, str]]:
    """(what is written, the taint it stands for) of a node; the taint that goes with a cordon is not told twice."""
    taints = [(taint, taint) for taint in node.get("taints", [])]
    if node.get("unschedulable"):
        return [(_("cordoned"), ""), *(flag for flag in taints if "node.kubernetes.io/unschedulable" not in flag[0])]
    return taints


def _compared(node: Json, old: Json | None) -> list[Flag]:
    now = _flags(node)
    if old is None:
        return [Flag(text, taint=taint) for text, taint in now]
    was = {text for text, _taint in _flags(old)}
    kept = [Flag(text, "" if text in was else "ins", taint) for text, taint in now]
    return kept + [Flag(text, "del") for text, _taint in _flags(old) if text not in {text for text, _taint in now}]


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
