"""Resource pools as one node sees them (kube-scheduler v1.35, structured allocator).

A driver publishes the devices of a pool in one or more ResourceSlices of one generation; only the newest counts. A
pool is complete when there are as many slices of that generation as it announces, wherever their devices are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.objects.references import NodeSelector
from scheduler_lab.engine.objects.resource import Device, ResourceSlice, ResourceSliceSpec
from scheduler_lab.engine.objects.selectors import CompiledNodeSelector, aggregate, compile_node_selector
from scheduler_lab.engine.plugins.dynamic_resources.allocated import DeviceID
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError
from scheduler_lab.engine.plugins.dynamic_resources.features import Features

PoolKey = tuple[str, str]
"""(driver, pool name)"""

Counters = dict[str, dict[str, int]]
"""Counter set → counter → amount in billionths."""


class PooledDevice:
    """A device that a node can reach, with the placement of its slice or its own."""

    __slots__ = ("device", "id", "node_name", "node_selector")

    def __init__(self, device: Device, in_slice: ResourceSlice) -> None:
        spec = in_slice.spec
        placed = device if spec.per_device_node_selection else spec
        self.id = DeviceID(spec.driver, spec.pool.name, device.name)
        self.device = device
        self.node_name = placed.node_name or ""
        self.node_selector = placed.node_selector


@dataclass(slots=True)
class Pool:
    """One pool: the devices for the node in order, and what keeps it from being used.

    `consumers` are all devices of the pool that use its shared counters, on whatever node.
    """

    driver: str
    name: str
    incomplete: bool = False
    invalid: str = ""
    devices: list[PooledDevice] = field(default_factory=list)
    counters: Counters = field(default_factory=dict)
    consumers: list[PooledDevice] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"

    @property
    def usable(self) -> bool:
        """Whether devices may be taken from it one by one."""
        return not self.incomplete and not self.invalid


class SliceIndex:
    """The cluster's slices by the node they are for and by pool."""

    def __init__(self, slices: Iterable[ResourceSlice], features: Features) -> None:
        self._features = features
        self._by_pool: dict[PoolKey, list[ResourceSlice]] = {}
        self._by_node: dict[str, list[tuple[int, ResourceSlice]]] = {}
        self._elsewhere: list[tuple[int, ResourceSlice]] = []
        self._selectors: dict[int, CompiledNodeSelector] = {}
        for order, each in enumerate(slices):
            spec = each.spec
            self._by_pool.setdefault((spec.driver, spec.pool.name), []).append(each)
            if spec.node_name and not spec.shared_counters:
                self._by_node.setdefault(spec.node_name, []).append((order, each))
            else:
                self._elsewhere.append((order, each))

    def pools(self, node: NodeInfo) -> list[Pool]:
        """The pools with devices for the node, in the order in which their slices were created.

        With binding conditions allowed, pools in which devices have some come last. Raises AllocationError for a
        node selector that cannot be parsed.
        """
        newest: dict[PoolKey, list[ResourceSlice]] = {}
        for _, each in sorted((*self._by_node.get(node.name, ()), *self._elsewhere), key=lambda entry: entry[0]):
            if not self._relevant(each, node):
                continue
            key = (each.spec.driver, each.spec.pool.name)
            known = newest.get(key)
            if known is None or each.spec.pool.generation > known[0].spec.pool.generation:
                newest[key] = [each]
            elif each.spec.pool.generation == known[0].spec.pool.generation:
                known.append(each)
        pools = [pool for key, slices in newest.items() if (pool := self._pool(key, slices, node)) is not None]
        if self._features.binding_conditions:
            pools.sort(key=lambda pool: any(each.device.binding_conditions for each in pool.devices))
        return pools

    def _relevant(self, each: ResourceSlice, node: NodeInfo) -> bool:
        spec = each.spec
        if not self._features.partitionable_devices and (
            spec.per_device_node_selection is not None or spec.shared_counters
        ):
            return False
        if spec.shared_counters:
            return True
        name = each.metadata.name
        if spec.per_device_node_selection:
            return any(self._is_for(d, node, f"device {d.name} in slice {name}") for d in spec.devices)
        return self._is_for(spec, node, f"slice {name}")

    def _is_for(self, placed: Device | ResourceSliceSpec, node: NodeInfo, what: str) -> bool:
        if placed.node_name:
            return placed.node_name == node.name
        if placed.all_nodes or placed.node_selector is None:
            return bool(placed.all_nodes)
        selector = self._compiled(placed.node_selector)
        if selector.errors:
            raise AllocationError(f"failed to perform node selection for {what}: {aggregate(selector.errors)}")
        return selector.matches(node.labels, node.name)

    def _compiled(self, selector: NodeSelector) -> CompiledNodeSelector:
        known = self._selectors.get(id(selector))
        if known is None:
            known = self._selectors[id(selector)] = compile_node_selector(selector)
        return known

    def _pool(self, key: PoolKey, slices: Sequence[ResourceSlice], node: NodeInfo) -> Pool | None:
        """None if a newer generation exists that has nothing for this node."""
        wanted = slices[0].spec.pool
        everything = self._by_pool[key]
        if any(each.spec.pool.generation > wanted.generation for each in everything):
            return None
        generation = [each for each in everything if each.spec.pool.generation == wanted.generation]
        pool = Pool(*key)
        if len(generation) != wanted.resource_slice_count:
            pool.incomplete = True
            return pool
        names: set[str] = set()
        for each in slices:
            for device in each.spec.devices:
                if device.name in names:
                    pool.invalid = f"duplicate device name {device.name}"
                    return pool
                names.add(device.name)
                if not each.spec.per_device_node_selection or self._is_for(device, node, device.name):
                    pool.devices.append(PooledDevice(device, each))
        if self._features.partitionable_devices:
            _add_counters(pool, generation)
        return pool


def _add_counters(pool: Pool, generation: Iterable[ResourceSlice]) -> None:
    slices = list(generation)
    for each in slices:
        for counter_set in each.spec.shared_counters:
            if counter_set.name in pool.counters:
                pool.invalid = f"duplicate counter set name {counter_set.name}"
                return
            amounts = counter_set.counters.items()
            pool.counters[counter_set.name] = {name: c.value.nanos if c.value else 0 for name, c in amounts}
    for each in slices:
        for device in each.spec.devices:
            if not device.consumes_counters:
                continue
            pool.consumers.append(PooledDevice(device, each))
            for consumption in device.consumes_counters:
                known = pool.counters.get(consumption.counter_set)
                if known is None:
                    pool.invalid = f"counter set {consumption.counter_set} not found"
                    return
                for name in consumption.counters:
                    if name not in known:
                        pool.invalid = f"counter {name} not found in counter set {consumption.counter_set}"
                        return
