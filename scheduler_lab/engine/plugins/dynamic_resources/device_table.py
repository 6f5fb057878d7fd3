"""The devices of a node against the requests of a pod, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler_lab.engine.cluster import device_taint_rules
from scheduler_lab.engine.evidence import N_, Mark, Table, Text, text
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.resource import DeviceTaint
from scheduler_lab.engine.plugins.dynamic_resources.allocated import DeviceID
from scheduler_lab.engine.plugins.dynamic_resources.allocator import Allocator
from scheduler_lab.engine.plugins.dynamic_resources.capacity import consumption
from scheduler_lab.engine.plugins.dynamic_resources.counters import RemainingCounters
from scheduler_lab.engine.plugins.dynamic_resources.pools import Pool, PooledDevice
from scheduler_lab.engine.plugins.dynamic_resources.requests import Wanted, WantedClaim
from scheduler_lab.engine.plugins.dynamic_resources.state import NodeAllocation
from scheduler_lab.engine.plugins.dynamic_resources.taints import untolerated

MAX_ROWS = 200
NONE = "—"


class DeviceTable:
    """One row a request and device; cells hold names and expressions only, so that they need no translation."""

    def __init__(
        self,
        allocator: Allocator,
        claims: Sequence[WantedClaim],
        found: NodeAllocation | None,
        pools: Sequence[Pool],
    ) -> None:
        """Judge the devices of all usable pools; raises AllocationError for a selector that fails."""
        self._allocator = allocator
        self._requests = [options for claim in claims for options in claim.requests]
        self._counters = RemainingCounters(pools, allocator.allocated)
        self._chosen = _chosen(claims, found)
        self._rows: list[list[str]] = []
        self._highlight: list[int] = []
        self._fitting: dict[int, int] = {}
        self.marks: list[Mark] = []
        for wanted in self._alternatives():
            for pool in pools:
                for device in pool.devices if pool.usable else ():
                    self._add(wanted, device)

    def _alternatives(self) -> Iterator[Wanted]:
        for options in self._requests:
            yield from options

    def _add(self, wanted: Wanted, device: PooledDevice) -> None:
        false = self._false_selector(wanted, device)
        owner = "" if wanted.admin else self._allocator.allocated.owners.get(device.id, "")
        obstacle = self._obstacle(wanted, device)
        if not (false or owner or obstacle):
            self._fitting[id(wanted)] = self._fitting.get(id(wanted), 0) + 1
        if len(self._rows) >= MAX_ROWS:
            return
        chosen = (wanted.claim.key, wanted.name, device.id) in self._chosen
        if chosen if self._chosen else (false or owner or obstacle):
            self._highlight.append(len(self._rows))
        self._rows.append(
            [
                _name(wanted),
                str(device.id),
                f"✗ {false}" if false else "✓",
                owner or NONE,
                obstacle or NONE,
                "✓" if chosen else "",
            ]
        )

    def _false_selector(self, wanted: Wanted, device: PooledDevice) -> str:
        """The first selector that is false for the device, "" if none is."""
        mismatch = self._allocator.mismatch(device, wanted)
        if mismatch is None:
            return ""
        of_class, index = mismatch
        if of_class:
            path = f"spec.selectors[{index}].cel.expression"
            self._mark(Mark("DeviceClass", wanted.device_class.metadata.name, path))
        selectors = wanted.device_class.spec.selectors if of_class else wanted.request.selectors
        cel = selectors[index].cel
        return cel.expression if cel is not None else ""

    def _mark(self, mark: Mark) -> None:
        if mark not in self.marks:
            self.marks.append(mark)

    def _obstacle(self, wanted: Wanted, device: PooledDevice) -> str:
        spec, features = device.device, self._allocator.features
        if spec.binding_conditions and not features.binding_conditions:
            return f"bindingConditions: {', '.join(spec.binding_conditions)}"
        taint = untolerated(spec, wanted.tolerations) if features.device_taints else None
        if taint is not None:
            return self._taint(taint)
        if spec.consumes_counters:
            enough = features.partitionable_devices and (wanted.admin or self._counters.suffice(device))
            sets = ", ".join(entry.counter_set for entry in spec.consumes_counters)
            return "" if enough else f"consumesCounters: {sets}"
        if features.consumable_capacity and (spec.allow_multiple_allocations or wanted.request.capacity is not None):
            return self._capacity(wanted, device)
        return ""

    def _taint(self, taint: DeviceTaint) -> str:
        """The taint, with the rule it comes from if it is not the driver's."""
        value = f"={taint.value}" if taint.value else ""
        rule = self._allocator.rule_of(taint)
        if rule:
            self._mark(Mark(device_taint_rules.KIND, rule, "spec.taint"))
        source = f" ({device_taint_rules.KIND}/{rule})" if rule else ""
        return f"{taint.key}{value}:{taint.effect}{source}"

    def _capacity(self, wanted: Wanted, device: PooledDevice) -> str:
        """What is used of the device's capacities, if the request does not fit in besides."""
        shared = bool(device.device.allow_multiple_allocations)
        taken = self._allocator.allocated.consumed.get(device.id, {}) if shared else {}
        if consumption(device.device, wanted.request.capacity, taken, device.id.driver) is not None:
            return ""
        used = {name: str(Quantity.from_nanos(taken.get(name, 0))) for name in device.device.capacity}
        return ", ".join(f"{name}: {used[name]}/{c.value}" for name, c in device.device.capacity.items()) or "capacity"

    def counts(self) -> Iterator[tuple[Text, int]]:
        """For each request how many devices it wants, and how many fit it and are free."""
        for wanted in self._alternatives():
            name = _name(wanted)
            yield text(N_("%(request)s wants"), request=name), wanted.count
            yield text(N_("devices that fit %(request)s and are free"), request=name), self._fits(wanted)

    def _fits(self, wanted: Wanted) -> int:
        return self._fitting.get(id(wanted), 0)

    def short(self) -> tuple[str, int, int] | None:
        """(request, devices wanted, devices that fit) of the first request that not even alone could be served."""
        for options in self._requests:
            if all(self._fits(wanted) < wanted.count or not wanted.count for wanted in options):
                return _name(options[-1]), options[-1].count, self._fits(options[-1])
        return None

    def table(self) -> Table | None:
        """None if there is no device."""
        columns = [
            text(N_("Request")),
            text(N_("Device")),
            text(N_("Selectors")),
            text(N_("In use by")),
            text(N_("Obstacle")),
            text(N_("Chosen")),
        ]
        return Table(columns, self._rows, self._highlight) if self._rows else None


def _name(wanted: Wanted) -> str:
    return f"{wanted.claim.metadata.name}: {wanted.name}"


def _chosen(claims: Sequence[WantedClaim], found: NodeAllocation | None) -> set[tuple[str, str, DeviceID]]:
    if found is None:
        return set()
    return {
        (claim.claim.key, result.request, DeviceID(result.driver, result.pool, result.device))
        for claim, allocation in zip(claims, found.results, strict=False)
        for result in allocation.devices.results
    }
