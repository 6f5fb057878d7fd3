"""What each Volcano queue deserves of the cluster (the plugin proportion)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.custom.volcano.amounts import Amounts, capped, fits, less, listed, scaled, total
from scheduler_lab.engine.custom.volcano.jobs import DEFAULT_QUEUE, Job
from scheduler_lab.engine.objects.gang import VolcanoQueue


@dataclass(slots=True, eq=False)
class Share:
    """One queue in a session; amounts in milli-CPU, bytes and units."""

    name: str
    weight: int
    capability: Amounts
    request: Amounts = field(default_factory=dict)
    allocated: Amounts = field(default_factory=dict)
    inqueue: Amounts = field(default_factory=dict)
    deserved: Amounts = field(default_factory=dict)

    @property
    def used(self) -> Fraction:
        """The largest part of what it deserves that it has; queues with less go first."""
        shares = [
            Fraction(amount) / self.deserved[name] if self.deserved.get(name) else Fraction(1)
            for name, amount in self.allocated.items()
            if amount
        ]
        return max(shares, default=Fraction(0))

    def may_take(self, request: Amounts) -> bool:
        """Whether a task may be added without exceeding what the queue deserves."""
        return fits(request, less(self.deserved, self.allocated))

    def may_enqueue(self, wanted: Amounts) -> bool:
        """Whether a job may be let in without exceeding the queue's capability."""
        asked = total([wanted, self.allocated, self.inqueue])
        return all(asked[name] <= self.capability[name] for name in wanted if name in self.capability)


def find_shares(store: Store, jobs: Iterable[Job], whole: Amounts) -> dict[str, Share]:
    """The queues by name with what each deserves of `whole`; the queue `default` is always there."""
    queues: list[VolcanoQueue] = store.list("Queue")
    shares = {
        queue.metadata.name: Share(queue.metadata.name, max(queue.spec.weight, 1), listed(queue.spec.capability))
        for queue in queues
    }
    shares.setdefault(DEFAULT_QUEUE, Share(DEFAULT_QUEUE, 1, {}))
    for job in jobs:
        share = shares.get(job.queue)
        if share is None:
            continue
        share.allocated = total([share.allocated, job.allocated])
        share.request = total([share.request, job.allocated, *(task.request for task in job.with_status("Pending"))])
        if job.phase == "Inqueue":
            share.inqueue = total([share.inqueue, listed(job.group.spec.min_resources)])
    _divide(list(shares.values()), whole)
    return shares


def _divide(shares: list[Share], whole: Amounts) -> None:
    """Give out `whole` by weight, nobody more than it asks for or may have, the rest to the others."""
    remaining = dict(whole)
    open_shares = list(shares)
    while open_shares and any(remaining.values()):
        weights = sum(share.weight for share in open_shares)
        given: list[Amounts] = []
        left: list[Share] = []
        for share in open_shares:
            before = share.deserved
            offered = total([before, scaled(remaining, Fraction(share.weight, weights))])
            wanted = {name: min(amount, share.request.get(name, 0)) for name, amount in offered.items()}
            share.deserved = capped(wanted, share.capability)
            given.append(less(share.deserved, before))
            if share.deserved != before and not fits(share.request, share.deserved):
                left.append(share)
        remaining = less(remaining, total(given))
        open_shares = left
