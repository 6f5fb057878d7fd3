"""All scheduler processes of a run: whose turn it is, who leads, and who is stopped and started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.objects.lab import TimelineStep
from scheduler_lab.engine.objects.lab_scheduler import Scheduler
from scheduler_lab.engine.objects.meta import ObjectMeta
from scheduler_lab.engine.problems import Problems
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.record import Cycle, Event, Record
from scheduler_lab.engine.scheduler.process import SchedulerProcess, Seen
from scheduler_lab.engine.scheduler.waiting import WaitingPod
from scheduler_lab.engine.schedulers.documents import Plan
from scheduler_lab.engine.schedulers.leases import Election
from scheduler_lab.engine.schedulers.replica import Replica
from scheduler_lab.engine.schedulers.view import View

MakeProcess = Callable[[Plan, Store, str, Seen], SchedulerProcess]
"""(plan, the store as the process sees it, its name or "", the PreEnqueue verdicts already told) → the process."""

NO_PROCESS: Final = N_("A Timeline step names the scheduler process %(name)s, which is not in this run.")


class Fleet:
    """The processes of one simulation, the main scheduler's first.

    They take turns of one scheduling cycle each, in order. With the main scheduler alone there is neither a view of
    its own nor leader election, and the record names no process.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        make: MakeProcess,
        *,
        store: Store,
        clock: Clock,
        record: Record,
        problems: Problems,
    ) -> None:
        self.several = len(plans) > 1 or plans[0].document is not None
        self.plans = list(plans)
        self.cycles: list[Cycle] = []
        self.made: Callable[[SchedulerProcess], None] = lambda process: None
        """Is told of each process that is started during the run."""
        self._make = make
        self._store = store
        self._clock = clock
        self._record = record
        self._problems = problems
        self._step = 0
        self._next = 0
        self._seen: dict[str, Seen] = {plan.name: set() for plan in plans}
        self.replicas: list[Replica] = []
        for plan in plans:
            for number in range(plan.replicas):
                process, view = self._process(plan, f"{plan.name}-{number}")
                self.replicas.append(Replica(plan, number, process, view))
        self.elections = self._elections() if self.several else []
        if self.several:
            store.subscribe(self._observe)

    def _process(self, plan: Plan, name: str) -> tuple[SchedulerProcess, View | None]:
        view = View(self._store, plan.view_lag) if self.several else None
        process = self._make(plan, view or self._store, name if view else "", self._seen[plan.name])
        process.scheduler.cycles = self.cycles
        process.scheduler.step = self._step
        self.made(process)
        return process, view

    def _elections(self) -> list[Election]:
        keys = dict.fromkeys(plan.lease for plan in self.plans if plan.lease is not None)
        return [
            Election(key, [r for r in self.replicas if r.plan.lease == key], self._store, self._clock) for key in keys
        ]

    def _observe(self, kind: str, old: Any, new: Any) -> None:
        for replica in self.replicas:
            if replica.running and replica.view is not None:
                replica.view.observe(kind, old, new)

    # -- who there is --------------------------------------------------------------------------------------------

    @property
    def step(self) -> int:
        """How many steps of the Timeline have been taken."""
        return self._step

    @step.setter
    def step(self, number: int) -> None:
        self._step = number
        for replica in self.replicas:
            replica.process.scheduler.step = number

    @property
    def running(self) -> list[Replica]:
        """The processes that run, leading or not."""
        return [replica for replica in self.replicas if replica.running]

    @property
    def active(self) -> list[Replica]:
        """The processes that schedule."""
        return [replica for replica in self.replicas if replica.active]

    def serves(self, scheduler_name: str) -> bool:
        """Whether any scheduler, running or not, has a profile of that name."""
        return any(scheduler_name in plan.profiles for plan in self.plans)

    def election_of(self, plan: Plan) -> Election | None:
        """The contest that the scheduler's processes take part in."""
        return next((election for election in self.elections if election.key == plan.lease), None)

    def waiting(self) -> Iterator[WaitingPod]:
        """All pods that wait on Permit."""
        for replica in self.running:
            yield from replica.process.binding.waiting

    # -- scheduling ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Settle who leads, and finish what has been decided since the last cycle."""
        self._next = 0
        self._elect()
        for replica in self.active:
            replica.begin(self._record)

    def schedule_one(self) -> bool:
        """Let the next process that has something to do make a cycle; False if nobody has."""
        while True:
            active = self.active
            for _ in active:
                replica = active[self._next % len(active)]
                self._next += 1
                if replica.turn(self._record):
                    return True
            if not self._catch_up():
                return False

    def _catch_up(self) -> bool:
        """Nobody has anything to do, so every watch gets through; whether any had news."""
        news = False
        for replica in self.running:
            if replica.view is not None and replica.view.catch_up(fully=True):
                news = True
        return news

    @property
    def busy(self) -> bool:
        """Whether pods are ready, or will be when their backoff is over."""
        return any(replica.process.queue.active or replica.process.queue.backoff for replica in self.active)

    def end_a_backoff(self, worth: Callable[[QueuedPod], bool]) -> bool:
        """Let time pass until the next pod in backoff is due; False if none is worth waiting for."""
        waiting = [entry for replica in self.active for entry in replica.in_backoff(worth)]
        if not waiting:
            return False
        due = min(entry.backoff_expiration for entry in waiting)
        queues = [replica.process.queue for replica in self.active]
        queues[0].clock.now = max(queues[0].clock.now, due + 1.0)
        for queue in queues:
            queue.flush_backoff(only=worth)
        return True

    def time_passed(self) -> None:
        """The clocks have moved: waits run out, leases run out, backoffs end."""
        self._elect()
        for replica in self.active:
            with replica.acting(self._record):
                replica.process.binding.fire_timeouts()
            replica.process.queue.flush_backoff()
            replica.process.queue.flush_unschedulable()

    # -- leader election -----------------------------------------------------------------------------------------

    def _elect(self) -> None:
        for election in self.elections:
            leader, lost = election.run()
            if lost is not None:
                self._tell(lost, "stopped leading")
                self._end(lost)
            for replica in election.candidates:
                replica.leads = replica is election.leader
            if leader is not None:
                self._tell(leader, "became leader")

    def _tell(self, replica: Replica, what: str) -> None:
        assert replica.plan.lease is not None
        regarding = f"Lease {'/'.join(replica.plan.lease)}"
        message = f"{replica.identity} {what}"
        self._record.events.append(
            Event("Normal", "LeaderElection", regarding, message, replica.name, replica.plan.profiles[0])
        )

    # -- steps ---------------------------------------------------------------------------------------------------

    def take(self, step: TimelineStep) -> None:
        """Do what the step asks of scheduler processes; a name that is none is told as a problem."""
        for replica in self._named(step.stop_scheduler):
            self._end(replica)
        for replica in self._named(step.terminate_scheduler):
            self._terminate(replica)
        for replica in self._named(step.start_scheduler):
            self._start(replica)

    def _named(self, name: str | None) -> list[Replica]:
        """The process of that name, or all processes of the scheduler of that name."""
        if name is None:
            return []
        found = [r for r in self.replicas if r.name == name] or [r for r in self.replicas if r.plan.name == name]
        if not found or not self.several:
            self._problems.add(NO_PROCESS, Scheduler(metadata=ObjectMeta(name=name)), name=name)
            return []
        return found

    def _end(self, replica: Replica) -> None:
        """The process is gone with all that it had only in memory; its lease stays as it is."""
        replica.running = replica.leads = False

    def _terminate(self, replica: Replica) -> None:
        election = self.election_of(replica.plan)
        if election is not None and election.leader is replica and replica.running:
            self._tell(replica, "stopped leading")
            election.release()
        self._end(replica)

    def _start(self, replica: Replica) -> None:
        """A new process in the old one's place: it lists everything, and knows nothing else."""
        if replica.running:
            return
        replica.process, replica.view = self._process(replica.plan, replica.name)
        assert replica.view is not None
        replica.view.replay()
        replica.starts += 1
        replica.started = self._clock.now
        replica.running = True
