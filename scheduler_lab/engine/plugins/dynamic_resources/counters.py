"""Counters that the devices of a pool share (DRAPartitionableDevices)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scheduler_lab.engine.plugins.dynamic_resources.allocated import AllocatedState
from scheduler_lab.engine.plugins.dynamic_resources.pools import Counters, Pool, PooledDevice


class RemainingCounters:
    """What is left of the counters of each pool, in billionths, after the allocated devices of the pool."""

    __slots__ = ("_left",)

    def __init__(self, pools: Iterable[Pool], allocated: AllocatedState) -> None:
        self._left: dict[tuple[str, str], Counters] = {}
        for pool in pools:
            if not pool.counters or not pool.usable:
                continue
            self._left[pool.driver, pool.name] = {name: dict(counters) for name, counters in pool.counters.items()}
            for device in pool.consumers:
                if device.id in allocated.owners or device.id in allocated.consumed:
                    self.use(device)

    def suffice(self, device: PooledDevice) -> bool:
        """Whether the device's consumption is still there."""
        left = self._left[device.id.driver, device.id.pool]
        return all(left[counter_set][name] >= amount for counter_set, name, amount in _consumed(device))

    def use(self, device: PooledDevice, sign: int = 1) -> None:
        """Count the device's consumption, or with sign −1 give it back."""
        for counter_set, name, amount in _consumed(device):
            self._left[device.id.driver, device.id.pool][counter_set][name] -= sign * amount


def _consumed(device: PooledDevice) -> Iterator[tuple[str, str, int]]:
    for consumption in device.device.consumes_counters:
        for name, counter in consumption.counters.items():
            yield consumption.counter_set, name, counter.value.nanos if counter.value is not None else 0
