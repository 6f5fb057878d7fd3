"""How many devices a node has for an extended resource that a DeviceClass serves, and how many are taken."""

from __future__ import annotations

from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.plugins.dynamic_resources.allocated import gather
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError
from scheduler_lab.engine.plugins.dynamic_resources.extended import device_class_of
from scheduler_lab.engine.plugins.dynamic_resources.features import Features
from scheduler_lab.engine.plugins.dynamic_resources.in_flight import InFlightClaims
from scheduler_lab.engine.plugins.dynamic_resources.pools import SliceIndex
from scheduler_lab.engine.plugins.dynamic_resources.selectors import Selectors


class DeviceCounts:
    """Counts devices as of one cycle, for scoring (kube-scheduler v1.35, NodeResourcesFit with DRAExtendedResource)."""

    def __init__(self, handle: Handle) -> None:
        features = Features.of(handle.gates)
        self._store = handle.store
        self._index = SliceIndex(handle.store.list("ResourceSlice"), features)
        self._selectors = Selectors(features.consumable_capacity)
        self._allocated = gather(handle.store, InFlightClaims.of(handle), shared_devices=features.consumable_capacity)

    def __call__(self, resource: str, node: NodeInfo) -> tuple[int, int]:
        """(devices of the resource's class on the node, how many of them are allocated); (0, 0) without a class.

        Devices that the class's selectors cannot judge do not count.
        """
        device_class = device_class_of(resource, self._store)
        if device_class is None:
            return 0, 0
        total = taken = 0
        for pool in self._index.pools(node):
            for device in pool.devices if pool.usable else ():
                try:
                    if self._selectors.first_mismatch(device, device_class.spec.selectors, "") is not None:
                        continue
                except AllocationError:
                    continue
                total += 1
                taken += device.id in self._allocated.owners or device.id in self._allocated.consumed
        return total, taken
