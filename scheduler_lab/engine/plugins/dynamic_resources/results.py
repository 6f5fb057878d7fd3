"""What a finished search writes into the claims."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.objects.resource import (
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
)
from scheduler_lab.engine.plugins.dynamic_resources.features import Features
from scheduler_lab.engine.plugins.dynamic_resources.requests import WantedClaim
from scheduler_lab.engine.plugins.dynamic_resources.search import Pick

NODE_NAME = "metadata.name"


def allocation_result(wanted: WantedClaim, picks: Sequence[Pick], node: str, features: Features) -> AllocationResult:
    """The allocation of one claim on a node."""
    results = [_result(pick, number, features) for number, pick in enumerate(picks)]
    return AllocationResult(
        devices=DeviceAllocationResult(results=results, config=_configuration(wanted, picks)),
        node_selector=_node_selector(picks, node, features),
    )


def _result(pick: Pick, number: int, features: Features) -> DeviceRequestAllocationResult:
    device = pick.device
    result = DeviceRequestAllocationResult(
        request=pick.wanted.name,
        driver=device.id.driver,
        pool=device.id.pool,
        device=device.id.name,
        admin_access=True if pick.wanted.admin else None,
        tolerations=list(pick.wanted.tolerations) if features.device_taints else [],
    )
    if features.binding_conditions and device.device.binding_conditions:
        result.binding_conditions = list(device.device.binding_conditions)
        result.binding_failure_conditions = list(device.device.binding_failure_conditions)
    if pick.consumed is not None:
        result.consumed_capacity = {name: Quantity.from_nanos(amount) for name, amount in pick.consumed.items()}
        # Upstream draws a random UUID; all it has to do is to be there and to differ within the claim.
        result.share_id = f"{pick.wanted.claim.metadata.uid}/{number}"
    return result


def _configuration(wanted: WantedClaim, picks: Sequence[Pick]) -> list[DeviceAllocationConfiguration]:
    """The classes' configuration for each request that was served, then the claim's."""
    served = list(dict.fromkeys((pick.wanted.name, pick.wanted.device_class.metadata.name) for pick in picks))
    classes = {pick.wanted.device_class.metadata.name: pick.wanted.device_class for pick in picks}
    found = [
        DeviceAllocationConfiguration(source="FromClass", requests=[request], opaque=entry.opaque)
        for request, name in served
        for entry in classes[name].spec.config
    ]
    names = {request for request, _ in served}
    names |= {request.partition("/")[0] for request in names}
    return found + [
        DeviceAllocationConfiguration(source="FromClaim", requests=list(entry.requests), opaque=entry.opaque)
        for entry in wanted.claim.spec.devices.config
        if not entry.requests or names.intersection(entry.requests)
    ]


def _node_selector(picks: Sequence[Pick], node: str, features: Features) -> NodeSelector | None:
    """This node alone if any device is local to it, else what the devices' slices demand together, or None."""
    expressions: list[NodeSelectorRequirement] = []
    fields: list[NodeSelectorRequirement] = []
    for pick in picks:
        device = pick.device
        if device.node_name or (features.binding_conditions and device.device.binds_to_node):
            return on_node(node)
        for term in device.node_selector.node_selector_terms if device.node_selector is not None else ():
            expressions += [entry for entry in term.match_expressions if entry not in expressions]
            fields += [entry for entry in term.match_fields if entry not in fields]
    if not expressions and not fields:
        return None
    return NodeSelector(node_selector_terms=[NodeSelectorTerm(match_expressions=expressions, match_fields=fields)])


def on_node(node: str) -> NodeSelector:
    """A selector for the node of that name."""
    requirement = NodeSelectorRequirement(key=NODE_NAME, operator="In", values=[node])
    return NodeSelector(node_selector_terms=[NodeSelectorTerm(match_fields=[requirement])])
