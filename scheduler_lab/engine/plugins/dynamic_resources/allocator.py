"""Allocation of a pod's claims, node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler_lab.engine.cluster import device_taint_rules
from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.objects.resource import (
    AllocationResult,
    DeviceClass,
    DeviceTaint,
    DeviceTaintRule,
    ResourceClaim,
)
from scheduler_lab.engine.plugins.dynamic_resources.allocated import AllocatedState
from scheduler_lab.engine.plugins.dynamic_resources.errors import NodeUnsuitable
from scheduler_lab.engine.plugins.dynamic_resources.features import Features
from scheduler_lab.engine.plugins.dynamic_resources.pools import Pool, PooledDevice, SliceIndex
from scheduler_lab.engine.plugins.dynamic_resources.requests import RequestReader, Wanted, WantedClaim
from scheduler_lab.engine.plugins.dynamic_resources.results import allocation_result
from scheduler_lab.engine.plugins.dynamic_resources.search import Search
from scheduler_lab.engine.plugins.dynamic_resources.selectors import Selectors

if TYPE_CHECKING:
    from scheduler_lab.engine.cluster.store import Store

TRIES_PER_SECOND = 20_000
"""How many devices a second of the filter timeout lets the search look at: virtual time has no other measure."""


class Allocator:
    """The devices of one scheduling cycle and who has them; `filter_timeout` in seconds, 0 for none."""

    def __init__(self, store: Store, allocated: AllocatedState, features: Features, filter_timeout: float) -> None:
        self._store = store
        self.allocated = allocated
        self.features = features
        self._rules: list[DeviceTaintRule] = store.list(device_taint_rules.KIND) if features.taint_rules else []
        slices = [device_taint_rules.with_taints(each, self._rules) for each in store.list("ResourceSlice")]
        self._index = SliceIndex(slices, features)
        self._selectors = Selectors(features.consumable_capacity)
        self._tries = int(filter_timeout * TRIES_PER_SECOND)
        self._selected: dict[tuple[int, str, tuple[str, ...]], bool] = {}

    def pools(self, node: NodeInfo) -> list[Pool]:
        """The pools with devices for the node."""
        return self._index.pools(node)

    def read(self, pools: Sequence[Pool], claims: Sequence[ResourceClaim]) -> list[WantedClaim]:
        """The claims' requests; AllocationError for what cannot be right."""
        reader = RequestReader(pools, self._class, self.features, self.selectable)
        return [reader.read(claim) for claim in claims]

    def allocate(self, node: NodeInfo, claims: Sequence[ResourceClaim]) -> list[AllocationResult]:
        """An allocation for each claim; NodeUnsuitable if the node cannot serve them all, AllocationError as above."""
        pools = self.pools(node)
        wanted = self.read(pools, claims)
        search = Search(pools, wanted, self.allocated, self.features, self.selectable, self._tries)
        if not search.run():
            raise NodeUnsuitable("cannot allocate all claims")
        return [
            allocation_result(claim, picks, node.name, self.features)
            for claim, picks in zip(wanted, search.picks, strict=True)
        ]

    def selectable(self, device: PooledDevice, wanted: Wanted) -> bool:
        """Whether every selector of the class and of the request is true for the device."""
        key = (id(device.device), wanted.device_class.metadata.name, wanted.expressions)
        known = self._selected.get(key)
        if known is None:
            known = self._selected[key] = self.mismatch(device, wanted) is None
        return known

    def mismatch(self, device: PooledDevice, wanted: Wanted) -> tuple[bool, int] | None:
        """(whether it is a selector of the class, its index) of the first selector that is false, or None."""
        device_class = wanted.device_class
        owner = f"class {device_class.metadata.name}"
        index = self._selectors.first_mismatch(device, device_class.spec.selectors, owner)
        if index is not None:
            return True, index
        index = self._selectors.first_mismatch(device, wanted.request.selectors, f"claim {wanted.claim.key}")
        return None if index is None else (False, index)

    def rule_of(self, taint: DeviceTaint) -> str:
        """The name of the DeviceTaintRule that put the taint on its device; "" for one of the driver's."""
        return next((rule.metadata.name for rule in self._rules if rule.spec.taint is taint), "")

    def _class(self, name: str) -> DeviceClass | None:
        found: DeviceClass | None = self._store.get("DeviceClass", "", name)
        return found
