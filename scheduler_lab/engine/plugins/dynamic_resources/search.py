"""Depth-first search for devices on one node (kube-scheduler v1.35, structured allocator).

Claims in order, their requests in order, alternatives in order, devices in order; the first complete solution wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scheduler_lab.engine.plugins.dynamic_resources.allocated import AllocatedState, Consumed, DeviceID, add_consumed
from scheduler_lab.engine.plugins.dynamic_resources.capacity import consumption
from scheduler_lab.engine.plugins.dynamic_resources.counters import RemainingCounters
from scheduler_lab.engine.plugins.dynamic_resources.errors import AllocationError, NodeUnsuitable
from scheduler_lab.engine.plugins.dynamic_resources.features import Features
from scheduler_lab.engine.plugins.dynamic_resources.pools import Pool, PooledDevice
from scheduler_lab.engine.plugins.dynamic_resources.requests import MAX_RESULTS, Selectable, Wanted, WantedClaim
from scheduler_lab.engine.plugins.dynamic_resources.taints import untolerated


class Pick(NamedTuple):
    """A device taken for a request; `consumed` is what it uses of a shared device, in billionths."""

    wanted: Wanted
    device: PooledDevice
    consumed: Consumed | None


class _At(NamedTuple):
    """Where the search stands: `taken` devices of the request, going on at `start` in the list."""

    claim: int
    request: int = 0
    wanted: Wanted | None = None
    taken: int = 0
    start: int = 0


class Search:
    """One search on one node; `tries` bounds the devices looked at, 0 for no bound."""

    def __init__(
        self,
        pools: Sequence[Pool],
        claims: Sequence[WantedClaim],
        allocated: AllocatedState,
        features: Features,
        selectable: Selectable,
        tries: int,
    ) -> None:
        self._claims = claims
        self._allocated = allocated
        self._features = features
        self._selectable = selectable
        self._devices = [device for pool in pools if pool.usable for device in pool.devices]
        self._counters = RemainingCounters(pools, allocated)
        self._invalid_pools = any(pool.invalid for pool in pools)
        self._met_invalid = False
        self._tries = tries
        self._looked_at = 0
        self._picked: dict[DeviceID, list[int]] = {}
        self._consumed: dict[DeviceID, Consumed] = {}
        self.picks: list[list[Pick]] = [[] for _ in claims]

    def run(self) -> bool:
        """Whether all claims can be served; `picks` then holds the devices of each claim.

        Raises NodeUnsuitable when the bound is reached or an unusable pool may be to blame, AllocationError when
        mode All meets a device that breaks a constraint.
        """
        open_choices = [self._choices(_At(0))]
        while open_choices:
            after = next(open_choices[-1], None)
            if after is None:
                open_choices.pop()
            elif after.claim == len(self._claims):
                return True
            else:
                open_choices.append(self._choices(after))
        if self._met_invalid:
            raise NodeUnsuitable("invalid resource pools were encountered")
        return False

    def _choices(self, at: _At) -> Iterator[_At]:
        """Make each choice in turn and give where it leads; being asked again takes the choice back."""
        claim = self._claims[at.claim]
        wanted = at.wanted
        if at.request == len(claim.requests):
            yield _At(at.claim + 1)
        elif wanted is None:
            for alternative in claim.requests[at.request]:
                yield _At(at.claim, at.request, alternative)
        elif at.taken == wanted.count and (at.taken > 0 or wanted.devices is None):
            yield _At(at.claim, at.request + 1)
        elif at.taken == wanted.count or len(self.picks[at.claim]) >= MAX_RESULTS:
            return
        elif wanted.devices is not None:
            if self._take(at.claim, wanted, wanted.devices[at.taken], must=True):
                yield at._replace(taken=at.taken + 1)
                self._give_back(at.claim)
        else:
            yield from self._one_of_many(at, wanted)

    def _one_of_many(self, at: _At, wanted: Wanted) -> Iterator[_At]:
        # The order within a request makes no difference, so that each set of devices is tried only once.
        for index in range(at.start, len(self._devices)):
            device = self._devices[index]
            self._count()
            if self._in_use(at.claim, wanted, device) or not self._selectable(device, wanted):
                continue
            if self._take(at.claim, wanted, device, must=False):
                again = index if self._is_shared(device) else index + 1
                yield at._replace(taken=at.taken + 1, start=again)
                self._give_back(at.claim)
        self._met_invalid = self._met_invalid or self._invalid_pools

    def _count(self) -> None:
        self._looked_at += 1
        if self._tries and self._looked_at > self._tries:
            raise NodeUnsuitable("timed out trying to allocate devices")

    # -- one device --------------------------------------------------------------------------------------------

    def _is_shared(self, device: PooledDevice) -> bool:
        return self._features.consumable_capacity and bool(device.device.allow_multiple_allocations)

    def _in_use(self, claim: int, wanted: Wanted, device: PooledDevice) -> bool:
        if wanted.admin:
            return claim in self._picked.get(device.id, ())
        if device.id in self._allocated.owners:
            return True
        return bool(self._picked.get(device.id)) and not self._is_shared(device)

    def _take(self, claim: int, wanted: Wanted, device: PooledDevice, *, must: bool) -> bool:
        if self._in_use(claim, wanted, device) or not self._allowed(wanted, device):
            return False
        consumed = None
        if self._features.consumable_capacity and (self._is_shared(device) or wanted.request.capacity is not None):
            consumed = self._consumption(wanted, device)
            if consumed is None:
                return False
        if not self._satisfies_constraints(claim, wanted, device):
            if must:
                raise AllocationError(
                    f"claim {wanted.claim.key}, request {wanted.name}: cannot add device {device.id} "
                    "because a claim constraint would not be satisfied"
                )
            return False
        if not self._is_shared(device):
            consumed = None
        self._note(claim, Pick(wanted, device, consumed))
        return True

    def _allowed(self, wanted: Wanted, device: PooledDevice) -> bool:
        spec, features = device.device, self._features
        if spec.binding_conditions and not features.binding_conditions:
            return False
        if features.device_taints and untolerated(spec, wanted.tolerations) is not None:
            return False
        if not spec.consumes_counters:
            return True
        return features.partitionable_devices and (wanted.admin or self._counters.suffice(device))

    def _consumption(self, wanted: Wanted, device: PooledDevice) -> Consumed | None:
        taken: Consumed = {}
        if self._is_shared(device):
            add_consumed(taken, self._allocated.consumed.get(device.id, {}))
            add_consumed(taken, self._consumed.get(device.id, {}))
        return consumption(device.device, wanted.request.capacity, taken, device.id.driver)

    def _satisfies_constraints(self, claim: int, wanted: Wanted, device: PooledDevice) -> bool:
        concerned = [c for c in self._claims[claim].constraints if c.concerns(wanted.name)]
        for number, constraint in enumerate(concerned):
            if not constraint.add(device):
                for earlier in concerned[:number]:
                    earlier.remove()
                return False
        return True

    def _note(self, claim: int, pick: Pick) -> None:
        self.picks[claim].append(pick)
        self._picked.setdefault(pick.device.id, []).append(claim)
        if pick.consumed is not None:
            add_consumed(self._consumed.setdefault(pick.device.id, {}), pick.consumed)
        if not pick.wanted.admin:
            self._counters.use(pick.device)

    def _give_back(self, claim: int) -> None:
        pick = self.picks[claim].pop()
        self._picked[pick.device.id].pop()
        if pick.consumed is not None:
            add_consumed(self._consumed[pick.device.id], pick.consumed, -1)
        if not pick.wanted.admin:
            self._counters.use(pick.device, -1)
        for constraint in self._claims[claim].constraints:
            if constraint.concerns(pick.wanted.name):
                constraint.remove()
