"""Leader election: who holds a lease, and when another may take it (client-go's leader election, v1.35).

Every candidate looks at the lease once a retry period, here without the jitter that client-go adds; a holder renews it
as often. A candidate takes a lease that is free, or that has not changed for its duration since the candidate first
saw it that way. Time is that of waiting pods: it moves only when the learner lets it.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.cluster.api_server import FIRST_CREATION
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.coordination import Lease, LeaseSpec
from scheduler_lab.engine.objects.meta import ObjectMeta

if TYPE_CHECKING:
    from scheduler_lab.engine.schedulers.replica import Replica

KIND: Final = "Lease"
RELEASED_SECONDS: Final = 1


class Election:
    """The contest for one lease. `candidates` are the replicas whose configurations name it, running or not."""

    def __init__(self, key: tuple[str, str], candidates: list[Replica], store: Store, clock: Clock) -> None:
        self.key = key
        self.candidates = candidates
        self.leader: Replica | None = None
        self.acquired = 0.0
        self.changed = 0.0
        self._looked: set[str] = set()
        self._store = store
        self._clock = clock

    @property
    def lease(self) -> Lease | None:
        """The object in the API server."""
        found: Lease | None = self._store.get(KIND, *self.key)
        return found

    @property
    def holder(self) -> str:
        """The identity in the lease; "" when nobody holds it."""
        return (self.lease and self.lease.spec.holder_identity) or ""

    # -- time ----------------------------------------------------------------------------------------------------

    def run(self) -> tuple[Replica | None, Replica | None]:
        """Let the candidates act up to now: (who became leader, who found that it is not leader any more)."""
        lost = None
        if self.leader is not None and self.lease is not None and self.holder != self.leader.identity:
            # Somebody wrote another holder into the lease: the process that led finds out when it renews, and exits.
            self.changed = self._clock.now
            lost, self.leader = self.leader, None
        if self.leader is not None and self.leader.running:
            self._renew(self.leader)
            return None, lost
        self.leader = None
        waiting = [replica for replica in self.candidates if replica.running and replica is not lost]
        turns = [(self._turn(replica), order, replica) for order, replica in enumerate(waiting)]
        self._looked.update(replica.identity for replica in waiting)
        if not turns:
            return None, lost
        when, _order, replica = min(turns, key=lambda turn: turn[:2])
        if when > self._clock.now:
            return None, lost
        self._acquire(replica, when)
        self._renew(replica)
        return replica, lost

    def runs_out(self) -> float | None:
        """When a candidate will take the lease that nobody renews; None while there is a leader, or no candidate."""
        turns = [self._turn(replica) for replica in self.candidates if replica.running]
        return min(turns) if turns and self.leader is None else None

    def following(self) -> str:
        """The identity of the candidate that will take the lease then, or ""."""
        running = [replica for replica in self.candidates if replica.running]
        return min(running, key=self._turn).identity if running else ""

    @property
    def now(self) -> float:
        """The time of leases, in seconds since the start of the run."""
        return self._clock.now

    def release(self) -> None:
        """The leader ends in good order: it gives the lease back."""
        lease = self.lease
        if lease is None:
            return
        now = self._stamp(self._clock.now)
        spec = replace(
            lease.spec,
            holder_identity=None,
            lease_duration_seconds=RELEASED_SECONDS,
            acquire_time=now,
            renew_time=now,
        )
        self._store.put(replace(lease, spec=spec))
        self.changed = self._clock.now
        self.leader = None

    def _turn(self, replica: Replica) -> float:
        """When the replica will find the lease free."""
        if not self.holder or self.holder == replica.identity:
            return self._look(replica, self.changed, strictly=replica.identity in self._looked)
        lease = self.lease
        seconds = (lease.spec.lease_duration_seconds if lease else None) or 0
        return self._look(replica, self._look(replica, self.changed) + seconds)

    @staticmethod
    def _look(replica: Replica, since: float, *, strictly: bool = False) -> float:
        """The replica's first look at the lease from a time on (or after it, for one that was there already)."""
        if since < replica.started or (since == replica.started and not strictly):
            return replica.started
        looks = (since - replica.started) / replica.retry_period
        count = math.floor(looks) + 1 if strictly else math.ceil(looks)
        return replica.started + count * replica.retry_period

    # -- writing -------------------------------------------------------------------------------------------------

    def _acquire(self, replica: Replica, when: float) -> None:
        before = self.lease
        transitions = 0
        if before is not None:
            kept = before.spec.holder_identity == replica.identity
            transitions = (before.spec.lease_transitions or 0) + (not kept)
        else:
            namespace, name = self.key
            before = Lease(metadata=ObjectMeta(name=name, namespace=namespace, uid=f"{namespace}/{name}"))
        spec = LeaseSpec(
            holder_identity=replica.identity,
            lease_duration_seconds=replica.lease_seconds,
            acquire_time=self._stamp(when),
            renew_time=self._stamp(when),
            lease_transitions=transitions,
        )
        self._store.put(replace(before, spec=spec))
        self.leader, self.acquired, self.changed = replica, when, when

    def _renew(self, replica: Replica) -> None:
        """Renew as often as the retry period says, up to now; only the last renewal is written."""
        last = self.acquired + (self._clock.now - self.acquired) // replica.retry_period * replica.retry_period
        if self.lease is None:
            self._acquire(replica, max(last, self.changed))
        elif last > self.changed:
            self.changed = last
            spec = replace(self.lease.spec, renew_time=self._stamp(last))
            self._store.put(replace(self.lease, spec=spec))

    @staticmethod
    def _stamp(seconds: float) -> str:
        return datetime.fromtimestamp(FIRST_CREATION + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
