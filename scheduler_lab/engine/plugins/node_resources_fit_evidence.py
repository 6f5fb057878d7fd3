"""Evidence of NodeResourcesFit: the sum that does or does not fit, and the sum that makes the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, Text, text
from scheduler_lab.engine.evidence import format as fmt
from scheduler_lab.engine.evidence.marks import entry, node_mark, request_marks
from scheduler_lab.engine.evidence.nominated import nominated_ahead, running
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.resources import CPU, MEMORY, PODS, Resource
from scheduler_lab.engine.plugins.resource_allocation import Allocation, utilization


@dataclass(frozen=True, slots=True)
class _Sum:
    """One resource of a node: in use, kept for nominated pods, asked for, and allocatable."""

    resource: str
    used: int
    nominated: tuple[tuple[PodInfo, int], ...]
    request: int
    allocatable: int

    @property
    def kept(self) -> int:
        return sum(amount for _, amount in self.nominated)

    @property
    def needed(self) -> int:
        return self.used + self.kept + self.request

    @property
    def short(self) -> bool:
        return self.needed > self.allocatable

    @property
    def fullness(self) -> float:
        return self.needed / self.allocatable if self.allocatable else float("inf")


def room(handle: Handle, pod: PodInfo, node: NodeInfo, request: Mapping[str, int]) -> Evidence:
    """Whether the request (only what Filter checks, amounts > 0) fits beside the node's and the nominated pods.

    Told in full is one resource: the first that makes the rejection unresolvable, else the first short one; when
    everything fits, the tightest. The table has them all.
    """
    nominated = nominated_ahead(handle, pod, node)
    here = running(node, nominated)
    pods = _Sum(PODS, len(here), tuple((p, 1) for p in nominated), 1, node.allocatable.allowed_pods)
    used = node.requested.clone()
    present = {p.uid for p in node.pods}
    for other in nominated:
        if other.uid in present:
            used.add(other.requests, -1)
    sums = [pods] + [
        _Sum(
            name,
            used.get(name),
            tuple((other, other.requests.get(name)) for other in nominated if other.requests.get(name)),
            amount,
            node.allocatable.get(name),
        )
        for name, amount in request.items()
    ]
    short = [item for item in sums if item.short]
    hopeless = [item for item in short if item.resource != PODS and item.request > item.allocatable]
    shown = (hopeless or short)[0] if short else max(sums[1:] or sums, key=lambda item: item.fullness)
    marks = [mark for item in short or [shown] for mark in _marks(pod, node, item)]
    sentence = _rejection(pod, node, shown) if short else _success(pod, node, shown)
    highlight = [index for index, item in enumerate(sums) if item.short]
    return Evidence(sentence, _rows(pod, node, shown), _table(sums, highlight), list(dict.fromkeys(marks)))


def _marks(pod: PodInfo, node: NodeInfo, item: _Sum) -> list[Mark]:
    marks = request_marks(pod, item.resource)
    for other, _ in item.nominated:
        marks += request_marks(other, item.resource)
    return [*marks, node_mark(node, entry("status.allocatable", item.resource))]


def _rows(pod: PodInfo, node: NodeInfo, item: _Sum) -> list[Row]:
    name = item.resource
    rest = abs(item.allocatable - item.needed)
    kept = [amount for _, amount in item.nominated]
    used, request, needed, whole, left, *held = fmt.amounts(
        name, [item.used, item.request, item.needed, item.allocatable, rest, *kept]
    )
    rows = [Row(text(N_("requested by pods on %(node)s"), node=node.name), used, "", "used", item.used)]
    for (other, amount), written in zip(item.nominated, held, strict=True):
        label = text(N_("nominated: %(pod)s"), pod=other.key)
        rows.append(Row(label, written, "+", "nominated", amount, _first(request_marks(other, name))))
    label = text(_counted(pod, name, item.request), pod=pod.key)
    rows.append(Row(label, request, "+", "pod", item.request, _first(request_marks(pod, name))))
    rows.append(Row(text(N_("needed")), needed, "=", "", item.needed))
    sign = ">" if item.short else "≤"
    mark = node_mark(node, entry("status.allocatable", name))
    rows.append(Row(text(N_("allocatable")), whole, sign, "capacity", item.allocatable, mark))
    if item.short:
        rows.append(Row(text(N_("short by")), left, "", "short", rest))
    else:
        rows.append(Row(text(N_("left")), left, "", "ok", rest))
    return rows


_FOR_INIT = N_("requested by %(pod)s: as much as its init containers need, for as long as the pod exists")


def _counted(pod: PodInfo, resource: str, request: int) -> str:
    """The label of the pod's request: what of the pod it is, where that is not the sum of its containers."""
    spec = pod.pod.spec
    if spec.resources is not None or not request:
        return N_("requested by %(pod)s")
    containers = [*spec.containers, *(c for c in spec.init_containers if c.restart_policy == "Always")]
    total = Resource.of({})
    for container in containers:
        total.add(Resource.of(container.resources.requests))
    overhead = Resource.of(spec.overhead).get(resource)
    if request - overhead > total.get(resource) and spec.init_containers:
        return _FOR_INIT
    if overhead:
        return N_("requested by %(pod)s, with the overhead of its RuntimeClass")
    return N_("requested by %(pod)s")


def _first(marks: list[Mark]) -> Mark | None:
    return marks[0] if marks else None


def _table(sums: Sequence[_Sum], highlight: list[int]) -> Table:
    columns = [
        text(N_("Resource")),
        text(N_("Requested already")),
        text(N_("Nominated")),
        text(N_("Requested")),
        text(N_("Allocatable")),
        text(N_("Left")),
    ]
    rows = [
        [
            item.resource,
            *fmt.amounts(
                item.resource,
                [item.used, item.kept, item.request, item.allocatable, item.allocatable - item.needed],
            ),
        ]
        for item in sums
    ]
    return Table(columns, rows, highlight)


def _rejection(pod: PodInfo, node: NodeInfo, item: _Sum) -> Text:
    used, kept, request, whole = fmt.amounts(item.resource, [item.used, item.kept, item.request, item.allocatable])
    names = {
        "pod": pod.key,
        "node": node.name,
        "resource": item.resource,
        "used": used,
        "kept": kept,
        "request": request,
        "allocatable": whole,
        "nominated": ", ".join(other.key for other, _ in item.nominated),
    }
    if item.resource == PODS and not item.kept:
        return text(N_("%(node)s allows %(allocatable)s pods and runs %(used)s already."), **names)
    if item.resource == PODS:
        return text(
            N_("%(node)s allows %(allocatable)s pods; it runs %(used)s and keeps room for %(nominated)s."), **names
        )
    if item.allocatable == 0:
        return text(N_("%(node)s offers no %(resource)s, and %(pod)s asks for %(request)s."), **names)
    if item.request > item.allocatable:
        return text(
            N_(
                "%(pod)s asks for %(request)s of %(resource)s, more than the %(allocatable)s of all of %(node)s: "
                "removing other pods cannot help."
            ),
            **names,
        )
    if item.kept:
        return text(
            N_(
                "Pods on %(node)s already request %(used)s of its %(allocatable)s of %(resource)s, and %(kept)s is "
                "kept for %(nominated)s, nominated to it with the same or a higher priority; the %(request)s that "
                "%(pod)s requests is too much."
            ),
            **names,
        )
    if _counted(pod, item.resource, item.request) == _FOR_INIT:
        return text(
            N_(
                "Pods on %(node)s already request %(used)s of its %(allocatable)s of %(resource)s, whatever they "
                "really use; %(pod)s requests %(request)s for its init containers, which counts for as long as it "
                "exists, and that is too much."
            ),
            **names,
        )
    return text(
        N_(
            "Pods on %(node)s already request %(used)s of its %(allocatable)s of %(resource)s, whatever they really "
            "use; the %(request)s that %(pod)s requests is too much."
        ),
        **names,
    )


def _success(pod: PodInfo, node: NodeInfo, item: _Sum) -> Text:
    needed, whole = fmt.amounts(item.resource, [item.needed, item.allocatable])
    if item.resource == PODS:
        return text(
            N_(
                "%(pod)s requests nothing, so only the number of pods counts on %(node)s: "
                "%(needed)s of %(allocatable)s."
            ),
            pod=pod.key,
            node=node.name,
            needed=needed,
            allocatable=whole,
        )
    return text(
        N_("%(pod)s fits on %(node)s. Tightest is %(resource)s: %(needed)s of %(allocatable)s with it."),
        pod=pod.key,
        node=node.name,
        resource=item.resource,
        needed=needed,
        allocatable=whole,
    )


def score(
    strategy: str, pod: PodInfo, node: NodeInfo, items: Sequence[Allocation], points: Sequence[int], total: int
) -> Evidence:
    """How each resource scores with the pod placed, and their average."""
    rows = [Row(_formula(strategy, item), str(value), amount=value) for item, value in zip(items, points, strict=True)]
    counted = [
        (item, value)
        for item, value in zip(items, points, strict=True)
        if value > 0 or strategy != "RequestedToCapacityRatio"
    ]
    if counted:
        parts = " + ".join(f"{value} × {item.weight}" for item, value in counted)
        average = f"({parts}) ÷ {sum(item.weight for item, _ in counted)}"
        rows.append(Row(text(N_("score: %(formula)s"), formula=average), str(total), "=", amount=total))
    else:
        rows.append(Row(text(N_("score")), str(total), "=", amount=total))
    rows += _notes(pod)
    shares = ", ".join(f"{item.name} {_percent(strategy, item)}%" for item in items) or "—"
    sentence = text(_sentence(strategy), pod=pod.key, node=node.name, shares=shares)
    marks = [mark for item in items for mark in request_marks(pod, item.name)]
    return Evidence(sentence, rows, marks=marks)


def _percent(strategy: str, item: Allocation) -> str:
    used = 100 * item.used / item.allocatable
    return fmt.number(100 - used if strategy == "LeastAllocated" else used, 1)


def _sentence(strategy: str) -> str:
    if strategy == "MostAllocated":
        return N_("MostAllocated prefers full nodes. With %(pod)s on it, %(node)s would be used to: %(shares)s.")
    if strategy == "RequestedToCapacityRatio":
        return N_(
            "RequestedToCapacityRatio looks up the use of each resource on its shape. With %(pod)s on it, "
            "%(node)s would be used to: %(shares)s."
        )
    return N_("LeastAllocated prefers empty nodes. With %(pod)s on it, %(node)s would have left: %(shares)s.")


def _formula(strategy: str, item: Allocation) -> Text:
    used, whole = fmt.amounts(item.name, [item.used, item.allocatable])
    names: dict[str, str | int] = {"resource": item.name, "used": used, "allocatable": whole}
    if strategy == "RequestedToCapacityRatio":
        names["percent"] = utilization(item)
        return text(N_("%(resource)s: %(used)s of %(allocatable)s is %(percent)d%%, on the shape"), **names)
    if item.used > item.allocatable:
        return text(N_("%(resource)s: %(used)s is more than %(allocatable)s"), **names)
    if strategy == "MostAllocated":
        return text(N_("%(resource)s: %(used)s × 100 ÷ %(allocatable)s"), **names)
    return text(N_("%(resource)s: (%(allocatable)s − %(used)s) × 100 ÷ %(allocatable)s"), **names)


def _notes(pod: PodInfo) -> list[Row]:
    """What surprises in these numbers."""
    spec = pod.pod.spec
    notes: list[Row] = []
    containers = [*spec.init_containers, *spec.containers]
    if any(name not in container.resources.requests for container in containers for name in (CPU, MEMORY)):
        label = text(N_("a container without a request counts as 100m of cpu or 200Mi of memory here"))
        notes.append(Row(label, ""))
    if spec.resources is not None and spec.resources.requests:
        notes.append(Row(text(N_("pod-level requests do not count in this score")), ""))
    return notes
