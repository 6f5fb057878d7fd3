"""One session of Volcano: let jobs in, give their tasks nodes, start the gangs that are complete.

Actions as in Volcano's usual configuration: enqueue, allocate, backfill. Of its plugins these are modelled: priority,
gang, overcommit (factor 1.2), proportion, predicates and the node order of kube-scheduler's default profile.
"""

from __future__ import annotations

from fractions import Fraction

from scheduler_lab.engine.custom.volcano.amounts import fits, listed, scaled, total
from scheduler_lab.engine.custom.volcano.jobs import Job, Task
from scheduler_lab.engine.custom.volcano.placement import Placement
from scheduler_lab.engine.custom.volcano.queues import Share
from scheduler_lab.engine.custom.volcano.texts import OVERUSED, QUOTA

OVERCOMMIT = Fraction(12, 10)


class Session:
    """The jobs of one moment, scheduled once. Jobs with too few pods are left out and stay as they are."""

    def __init__(self, jobs: list[Job], shares: dict[str, Share], placement: Placement) -> None:
        self.invalid = [job for job in jobs if job.valid_tasks < job.needed]
        self.jobs = [job for job in jobs if job not in self.invalid]
        self.phases = {job.key: job.phase for job in jobs}
        self.started: list[Task] = []
        self._shares = shares
        self._placement = placement

    def run(self) -> None:
        """Take the three actions."""
        self._enqueue()
        self._allocate()
        self._backfill()

    def _ordered(self, jobs: list[Job]) -> list[Job]:
        """Jobs in turn by queue, the queue with the smallest share first; then as the queue orders them."""
        return sorted(
            (job for job in jobs if job.queue in self._shares),
            key=lambda job: (self._shares[job.queue].used, job.queue, job.order),
        )

    # -- enqueue -------------------------------------------------------------------------------------------------

    def _enqueue(self) -> None:
        for job in self._ordered([job for job in self.jobs if job.phase == "Pending"]):
            job.rejection = self._why_not_in(job)
            if not job.rejection:
                self.phases[job.key] = "Inqueue"
                share = self._shares[job.queue]
                share.inqueue = total([share.inqueue, listed(job.group.spec.min_resources)])

    def _why_not_in(self, job: Job) -> str:
        """Why the job's minResources keep it out: the cluster is overcommitted, or its queue is full."""
        wanted = listed(job.group.spec.min_resources)
        if not wanted:
            return ""
        inqueue = total([wanted, *(share.inqueue for share in self._shares.values())])
        offered, used = scaled(self._placement.whole, OVERCOMMIT), self._placement.used
        idle = {name: amount - used.get(name, 0) for name, amount in offered.items()}
        if not fits({name: inqueue[name] for name in wanted}, idle):
            return OVERUSED
        return "" if self._shares[job.queue].may_enqueue(wanted) else QUOTA

    # -- allocate ------------------------------------------------------------------------------------------------

    def _allocate(self) -> None:
        waiting = [job for job in self.jobs if self.phases[job.key] != "Pending"]
        while waiting:
            ordered = self._ordered(waiting)
            if not ordered:
                return
            job = ordered[0]
            waiting = [other for other in ordered if other is not job]
            if self._attempt(job):
                waiting.append(job)

    def _attempt(self, job: Job) -> bool:
        """Give nodes to the job's tasks until it is ready; whether there is more to try for it."""
        given: list[Task] = []
        tasks = [task for task in job.with_status("Pending") if not task.best_effort and not task.fit_error]
        for task in tasks:
            task.overused = not self._shares[job.queue].may_take(task.request)
            if task.overused:
                continue
            node = self._placement.find(task)
            if not node:
                break
            self._hold(job, task, node)
            given.append(task)
            if job.ready:
                break
        if not job.ready:
            for task in reversed(given):
                self._give_back(job, task)
            return False
        for task in given:
            self._start(job, task)
        return bool(given) and bool(job.with_status("Pending"))

    def _hold(self, job: Job, task: Task, node: str) -> None:
        task.status, task.node = "Allocated", node
        self._placement.hold(task, node)
        share = self._shares[job.queue]
        share.allocated = total([share.allocated, task.request])

    def _give_back(self, job: Job, task: Task) -> None:
        task.status, task.possible, task.node = "Pending", task.node, ""
        self._placement.release(task)
        share = self._shares[job.queue]
        share.allocated = {name: amount - task.request.get(name, 0) for name, amount in share.allocated.items()}

    def _start(self, job: Job, task: Task) -> None:
        task.fit_error = self._placement.bind(task)
        if task.fit_error:
            task.status, task.node = "Pending", ""
            return
        task.status = "Running"
        self.started.append(task)

    # -- backfill ------------------------------------------------------------------------------------------------

    def _backfill(self) -> None:
        """Tasks that ask for nothing go wherever a node takes them."""
        for job in self.jobs:
            if self.phases[job.key] == "Pending" or job.queue not in self._shares:
                continue
            for task in [task for task in job.with_status("Pending") if task.best_effort]:
                node = self._placement.find(task)
                if node:
                    self._hold(job, task, node)
                    self._start(job, task)

    # -- the end -------------------------------------------------------------------------------------------------

    def phase(self, job: Job) -> str:
        """The phase of the job's PodGroup when the session closes."""
        if job.with_status("Running") and not job.ready:
            return "Unknown"
        done = len(job.with_status("Succeeded", "Failed"))
        scheduled = done + len(job.with_status("Running"))
        if scheduled and scheduled >= job.needed:
            return "Completed" if scheduled == done else "Running"
        return "Inqueue" if self.phases[job.key] == "Inqueue" else "Pending"
