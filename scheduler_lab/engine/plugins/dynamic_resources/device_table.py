"""The devices of a node against the requests of a pod, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler_lab.engine.evidence import N_, Mark, Table, Text, text
from scheduler_lab.engine.plugins.dynamic_resources.allocated import DeviceID
from scheduler_lab.engine.plugins.dynamic_resources.allocator import Allocator
from scheduler_lab.engine.plugins.dynamic_resources.pools import Pool, PooledDevice
from scheduler_lab.engine.plugins.dynamic_resources.requests import Wanted, WantedClaim
from scheduler_lab.engine.plugins.dynamic_resources.state import NodeAllocation
from scheduler_lab.engine.plugins.dynamic_resources.taints import untolerated

MAX_ROWS = 200
NONE = "—"


class DeviceTable:
    """One row a request and device; cells hold names and expressions only, so that they need no translation."""

    def __init__(self, allocator: Allocator, claims: Sequence[WantedClaim], found: NodeAllocation | None) -> None:
        self._allocator = allocator
        self._wanted = [wanted for claim in claims for options in claim.requests for wanted in options]
        self._chosen = _chosen(claims, found)
        self._rows: list[list[str]] = []
        self._highlight: list[int] = []
        self._fitting: dict[int, int] = {}
        self.marks: list[Mark] = []

    def add(self, pools: Sequence[Pool]) -> None:
        """Judge the devices of all usable pools; raises AllocationError for a selector that fails."""
        for wanted in self._wanted:
            for pool in pools:
                for device in pool.devices if pool.usable else ():
                    self._add(wanted, device)

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
                f"{wanted.claim.metadata.name}: {wanted.name}",
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
        if spec.consumes_counters and not features.partitionable_devices:
            return f"consumesCounters: {', '.join(entry.counter_set for entry in spec.consumes_counters)}"
        taint = untolerated(spec, wanted.tolerations) if features.device_taints else None
        if taint is None:
            return ""
        return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"

    def counts(self) -> Iterator[tuple[Text, int]]:
        """For each request how many devices it wants, and how many fit it and are free."""
        for wanted in self._wanted:
            name = f"{wanted.claim.metadata.name}: {wanted.name}"
            yield text(N_("%(request)s wants"), request=name), wanted.count
            yield text(N_("devices that fit %(request)s and are free"), request=name), self._fitting.get(id(wanted), 0)

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


def _chosen(claims: Sequence[WantedClaim], found: NodeAllocation | None) -> set[tuple[str, str, DeviceID]]:
    if found is None:
        return set()
    return {
        (claim.claim.key, result.request, DeviceID(result.driver, result.pool, result.device))
        for claim, allocation in zip(claims, found.results, strict=False)
        for result in allocation.devices.results
    }
