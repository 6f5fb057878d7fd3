"""Evidence of DynamicResources: the pod's claims, and every device on a node with what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, Text, text
from scheduler_lab.engine.evidence.marks import pod_mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.resource import AllocationResult, ResourceClaim
from scheduler_lab.engine.plugins.dynamic_resources.claims import ClaimError, pod_claims
from scheduler_lab.engine.plugins.dynamic_resources.device_table import DeviceTable
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError
from scheduler_lab.engine.plugins.dynamic_resources.in_flight import InFlightClaims
from scheduler_lab.engine.plugins.dynamic_resources.pools import Pool
from scheduler_lab.engine.plugins.dynamic_resources.score import TooFewAllocations, served_alternatives
from scheduler_lab.engine.plugins.dynamic_resources.state import NodeAllocation, PodState

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store

_CLAIMS = "spec.resourceClaims"
NONE = "—"


def claims(pod: PodInfo, store: Store, in_flight: InFlightClaims, *, extended: bool) -> Evidence:
    """A row a claim: where it stands. `extended`: the pod also asks for extended resources that devices serve."""
    try:
        found = pod_claims(pod.pod, store)
    except ClaimError as reason:
        sentence = text(N_("A claim of %(pod)s cannot be used: %(reason)s."), pod=pod.key, reason=str(reason))
        return Evidence(sentence, marks=[pod_mark(pod, _CLAIMS)])
    if not found and extended:
        sentence = text(
            N_("A DeviceClass serves extended resources of %(pod)s: where a node has none, devices are allocated."),
            pod=pod.key,
        )
        return Evidence(sentence)
    if not found:
        return Evidence(text(N_("%(pod)s names no ResourceClaim."), pod=pod.key))
    rows = [_claim_row(claim, in_flight) for claim in found]
    columns = [text(N_("Claim")), text(N_("Allocated devices")), text(N_("Reserved for"))]
    waiting = [claim for claim in found if claim.status.allocation is None]
    busy = [claim for claim in waiting if claim.metadata.uid in in_flight]
    if busy:
        sentence = text(
            N_("%(claim)s is being allocated for another pod; until that is written, %(pod)s has to wait."),
            claim=busy[0].key,
            pod=pod.key,
        )
    elif waiting:
        names = ", ".join(claim.metadata.name for claim in waiting)
        sentence = text(N_("Claims of %(pod)s that still need devices: %(claims)s."), pod=pod.key, claims=names)
    else:
        sentence = text(
            N_("Every claim of %(pod)s already has its devices, so only the nodes of these will do."), pod=pod.key
        )
    highlight = [index for index, claim in enumerate(found) if claim in busy]
    return Evidence(sentence, table=Table(columns, rows, highlight), marks=[pod_mark(pod, _CLAIMS)])


def _claim_row(claim: ResourceClaim, in_flight: InFlightClaims) -> list[str]:
    allocation = claim.status.allocation
    if allocation is None:
        pending = next((c for c in in_flight if c.metadata.uid == claim.metadata.uid), None)
        allocation = pending.status.allocation if pending is not None else None
    users = ", ".join(consumer.name for consumer in claim.status.reserved_for)
    return [claim.key, _devices(allocation), users or NONE]


def _devices(allocation: AllocationResult | None) -> str:
    results = allocation.devices.results if allocation is not None else []
    return ", ".join(f"{result.driver}/{result.pool}/{result.device}" for result in results) or NONE


def unsuitable(pod: PodInfo, node: NodeInfo, reason: str) -> Evidence:
    """The node cannot serve the pod's extended resources, whatever its devices are."""
    sentence = text(
        N_("%(node)s cannot serve the extended resources of %(pod)s: %(reason)s."),
        node=node.name,
        pod=pod.key,
        reason=reason,
    )
    return Evidence(sentence)


def devices(data: PodState, pod: PodInfo, node: NodeInfo, on_node: ResourceClaim | None) -> Evidence:
    """The node against the claims: those that are allocated elsewhere, else the devices for those that are not.

    `on_node` is the claim for extended resources as this node would have to serve it.
    """
    elsewhere = [
        data.claims[index] for index, selector in data.selectors.items() if not selector.matches(node.labels, node.name)
    ]
    wanted = [data.claims[index] for index in data.to_allocate if index != data.extended]
    found = data.allocations.get(node.name)
    if on_node is not None:
        wanted.append(on_node)
    if data.allocator is None or not wanted:
        return _allocated(pod, node, elsewhere)
    try:
        pools = data.allocator.pools(node)
        table = DeviceTable(data.allocator, data.allocator.read(pools, wanted), found, pools)
    except AllocationError as failure:
        sentence = text(N_("The devices cannot be judged, which ends the attempt: %(error)s."), error=str(failure))
        return Evidence(sentence, marks=[_claim_mark(claim) for claim in wanted])
    if found is None and elsewhere:
        return _allocated(pod, node, elsewhere)
    sentence = _sentence(pod, node, pools, table, served=found is not None)
    rows = [Row(label, str(count), amount=count) for label, count in table.counts()]
    return Evidence(sentence, rows, table.table(), [*(_claim_mark(claim) for claim in wanted), *table.marks])


def _allocated(pod: PodInfo, node: NodeInfo, elsewhere: Sequence[ResourceClaim]) -> Evidence:
    if not elsewhere:
        sentence = text(N_("The allocated claims of %(pod)s can be used on %(node)s."), pod=pod.key, node=node.name)
        return Evidence(sentence)
    sentence = text(
        N_("The devices of %(claims)s are on another node than %(node)s, and %(pod)s has to follow them."),
        claims=", ".join(claim.key for claim in elsewhere),
        node=node.name,
        pod=pod.key,
    )
    path = "status.allocation.nodeSelector"
    marks = [Mark("ResourceClaim", c.metadata.name, path, c.metadata.namespace) for c in elsewhere]
    return Evidence(sentence, marks=marks)


def _claim_mark(claim: ResourceClaim) -> Mark:
    return Mark("ResourceClaim", claim.metadata.name, "spec.devices.requests", claim.metadata.namespace)


def _sentence(pod: PodInfo, node: NodeInfo, pools: Sequence[Pool], table: DeviceTable, *, served: bool) -> Text:
    if served:
        return text(N_("%(node)s has devices for every claim of %(pod)s."), node=node.name, pod=pod.key)
    invalid = [pool for pool in pools if pool.invalid]
    if invalid:
        return text(
            N_("The pool %(pool)s is invalid (%(reason)s), so none of its devices on %(node)s can be given away."),
            pool=str(invalid[0]),
            reason=invalid[0].invalid,
            node=node.name,
        )
    incomplete = [pool for pool in pools if pool.incomplete]
    if incomplete:
        return text(
            N_("The driver has not published all slices of the pool %(pool)s yet; its devices do not count so far."),
            pool=str(incomplete[0]),
        )
    if not any(pool.devices for pool in pools):
        return text(N_("No driver publishes devices for %(node)s."), node=node.name)
    short = table.short()
    if short is None:
        return text(
            N_(
                "Each request of %(pod)s would find devices on %(node)s, but not all of them at once: a constraint, "
                "a shared capacity or the requests among themselves stand in the way."
            ),
            pod=pod.key,
            node=node.name,
        )
    name, wanted, fitting = short
    return text(
        N_("%(request)s asks for %(count)d of the devices on %(node)s, but %(fitting)d fit and are free."),
        request=name,
        count=wanted,
        node=node.name,
        fitting=fitting,
    )


def alternatives(data: PodState, pod: PodInfo, node: NodeInfo, found: NodeAllocation) -> Evidence:
    """A row an alternative that was allocated, with its points."""
    try:
        served = list(served_alternatives(data.claims, found.results))
    except TooFewAllocations as failure:
        return Evidence(text(N_("The score cannot be computed: %(error)s."), error=str(failure)))
    rows = [
        Row(text(N_("%(claim)s gets %(name)s"), claim=claim.key, name=name), str(points), "+", "ok", points)
        for claim, name, points in served
    ]
    total = sum(points for _, _, points in served)
    if not rows:
        sentence = text(
            N_("No request of %(pod)s has alternatives (firstAvailable), so devices make no difference."), pod=pod.key
        )
        return Evidence(sentence)
    rows.append(Row(text(N_("sum")), str(total), "=", amount=total))
    sentence = text(
        N_(
            "On %(node)s the alternatives are worth %(points)d: 8 for the first of a list, 7 for the second and so on. "
            "Normalizing gives 100 to the node with most."
        ),
        node=node.name,
        points=total,
    )
    return Evidence(sentence, rows)
