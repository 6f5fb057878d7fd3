"""Volcano in a run: sessions after kube-scheduler has settled, until one changes nothing.

It takes the pods with schedulerName `volcano`, and is there when the text has an object of scheduling.volcano.sh. Its
record is additive: `sessions` [{number, step, jobs}], pods that are bound appear in the record like any others.

The rule is certain: a gang starts when minMember of its tasks have a node in one session, else every place is given
back. So are the phases. The wording of conditions and events is that of recent versions, which differ; it was not
checked against a running Volcano. Left out: drf, preemption and reclaim, the hierarchy and guarantees of queues,
minTaskMember, network topology, and the return from Inqueue to Pending after five minutes. A PodGroup that Volcano
makes for pods without one is taken as let in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from scheduler_lab.engine.custom.volcano import texts
from scheduler_lab.engine.custom.volcano.jobs import GROUP_NAME, VOLCANO, Job, Task, find_jobs, installed
from scheduler_lab.engine.custom.volcano.placement import Placement
from scheduler_lab.engine.custom.volcano.queues import find_shares
from scheduler_lab.engine.custom.volcano.session import Session
from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.gang import VolcanoPodGroup, VolcanoPodGroupCondition
from scheduler_lab.engine.objects.pod import Pod, PodCondition
from scheduler_lab.engine.record import Event

if TYPE_CHECKING:
    from scheduler_lab.engine.simulation import Simulation

MOST_SESSIONS = 50
NOT_SIMULATED = N_("Volcano's %(field)s is not simulated here.")
NO_GROUP = N_("%(pod)s names the PodGroup %(group)s, which does not exist: Volcano leaves it alone.")
NO_QUEUE = N_("The queue %(queue)s of %(group)s does not exist: Volcano does not let it in.")
IMPLICIT = N_("%(group)s was made for pods without the annotation %(annotation)s: no gang, each may start alone.")


class Volcano:
    """The scheduler of that name, if the run has one."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._store = simulation.store
        self._placement: Placement | None = None
        self._sessions: list[dict[str, Any]] = []
        self._last: list[dict[str, Any]] = []

    def run(self, step: int) -> bool:
        """Run sessions until one changes nothing; whether any pod was bound."""
        if not installed(self._store) or self._simulation.fleet.serves(VOLCANO):
            return False
        if self._placement is None:
            self._placement = Placement(self._simulation)
            self._tell_limits()
        bound = False
        for _ in range(MOST_SESSIONS):
            session, changed = self._session(self._placement, step)
            bound = bound or bool(session.started)
            if not changed:
                break
        return bound

    def _session(self, placement: Placement, step: int) -> tuple[Session, bool]:
        placement.begin()
        jobs, lost = find_jobs(self._store, self._pods())
        session = Session(jobs, find_shares(self._store, jobs, placement.whole), placement)
        session.run()
        changed = bool(session.started)
        entries = []
        for job in jobs:
            changed = self._close(session, job) or changed
            entries.append(self._entry(session, job))
        entries.extend(self._lost(pod) for pod in lost)
        if _settled(entries) != self._last:
            self._last = _settled(entries)
            self._sessions.append({"number": len(self._sessions) + 1, "step": step, "jobs": entries})
            self._simulation.record.x_volcano["sessions"] = self._sessions
        return session, changed

    def _pods(self) -> list[PodInfo]:
        pods: list[Pod] = self._store.list("Pod")
        return [self._simulation.process.pod_info(pod) for pod in pods if pod.spec.scheduler_name == VOLCANO]

    # -- what the objects say afterwards -------------------------------------------------------------------------

    def _close(self, session: Session, job: Job) -> bool:
        """Write conditions and phase, emit events; whether the phase is another one."""
        for task in job.tasks:
            if task in session.started:
                self._event("Normal", "Scheduled", task.pod.key, f"Successfully assigned {task.pod.key} to {task.node}")
            elif task.status == "Pending" and job not in session.invalid:
                self._note_pod(task)
        phase = session.phase(job) if job not in session.invalid else job.phase
        if job.implicit:
            job.group = replace(job.group, status=replace(job.group.status, phase=phase))
            return False
        changed = phase != job.phase or not job.group.status.phase
        condition = _condition(session, job)
        status = replace(
            job.group.status,
            phase=phase,
            conditions=[*(c for c in job.group.status.conditions if c.type != condition.type), condition],
            running=len(job.with_status("Running")),
            succeeded=len(job.with_status("Succeeded")),
            failed=len(job.with_status("Failed")),
        )
        if status != job.group.status:
            self._group_event(session, job, condition)
            job.group = replace(job.group, status=status)
            self._store.put(job.group)
        return changed

    def _group_event(self, session: Session, job: Job, condition: VolcanoPodGroupCondition) -> None:
        if job.rejection:
            self._event("Normal", "Unschedulable", job.key, job.rejection, kind="PodGroup")
        if job in session.invalid:
            return
        if condition.type == "Scheduled":
            self._event("Normal", "Scheduled", job.key, texts.READY, kind="PodGroup")
        else:
            self._event("Warning", "Unschedulable", job.key, texts.event_message(job), kind="PodGroup")

    def _note_pod(self, task: Task) -> None:
        reason, message = texts.task_reason(task), texts.task_message(task)
        pod: Pod | None = self._store.get("Pod", task.pod.namespace, task.name)
        condition = PodCondition(type="PodScheduled", status="False", reason=reason, message=message)
        if pod is None or condition in pod.status.conditions:
            return
        others = [c for c in pod.status.conditions if c.type != "PodScheduled"]
        self._event("Warning", "FailedScheduling", pod.key, message)
        self._store.put(replace(pod, status=replace(pod.status, conditions=[*others, condition])))

    def _event(self, type_: str, reason: str, key: str, message: str, kind: str = "Pod") -> None:
        self._simulation.record.x_events.append(Event(type_, reason, f"{kind} {key}", message))

    # -- the record ----------------------------------------------------------------------------------------------

    def _entry(self, session: Session, job: Job) -> dict[str, Any]:
        tasks = [_task_entry(session, task) for task in job.tasks]
        entry: dict[str, Any] = {
            "podGroup": job.key,
            "queue": job.queue,
            "minMember": job.needed,
            "phase": job.phase,
            "ready": job.ready_tasks,
            "tasks": tasks,
        }
        if job.rejection:
            entry["notEnqueued"] = job.rejection
        if job.implicit:
            entry["note"] = text(IMPLICIT, group=job.key, annotation=GROUP_NAME)
        elif self._store.get("Queue", "", job.queue) is None and job.queue != "default":
            entry["note"] = text(NO_QUEUE, queue=job.queue, group=job.key)
        conditions = job.group.status.conditions
        if conditions:
            last = conditions[-1]
            entry["condition"] = {"type": last.type, "reason": last.reason, "message": last.message}
        return entry

    def _lost(self, pod: PodInfo) -> dict[str, Any]:
        group = f"{pod.namespace}/{pod.pod.metadata.annotations[GROUP_NAME]}"
        return {"podGroup": group, "tasks": [], "note": text(NO_GROUP, pod=pod.key, group=group)}

    def _tell_limits(self) -> None:
        problems = self._simulation.problems
        groups: list[VolcanoPodGroup] = self._store.list("PodGroup.scheduling.volcano.sh")
        for group in groups:
            spec = group.spec
            given = {
                "minTaskMember": spec.min_task_member,
                "networkTopology": spec.network_topology,
                "subGroupPolicy": spec.sub_group_policy,
            }
            for field in [field for field, value in given.items() if value]:
                problems.add(NOT_SIMULATED, group, field=field)
        for queue in self._store.list("Queue"):
            spec = queue.spec
            given = {"parent": spec.parent, "deserved": spec.deserved, "guarantee": spec.guarantee.resource}
            for field in [field for field, value in given.items() if value]:
                problems.add(NOT_SIMULATED, queue, field=field)


def _condition(session: Session, job: Job) -> VolcanoPodGroupCondition:
    if job in session.invalid:
        return _unschedulable(texts.NOT_ENOUGH_TASKS, texts.too_few_tasks(job.valid_tasks, job.needed))
    if not job.ready:
        return _unschedulable(texts.NOT_ENOUGH_RESOURCES, texts.condition_message(job))
    return VolcanoPodGroupCondition(type="Scheduled", status="True", reason=texts.SCHEDULED_REASON)


def _unschedulable(reason: str, message: str) -> VolcanoPodGroupCondition:
    return VolcanoPodGroupCondition(type="Unschedulable", status="True", reason=reason, message=message)


def _settled(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries as a session would repeat them in which nothing happens."""
    return [
        {
            **entry,
            "tasks": [{**task, "outcome": task["outcome"].replace("started", "running")} for task in entry["tasks"]],
        }
        for entry in entries
    ]


def _task_entry(session: Session, task: Task) -> dict[str, Any]:
    """`started`, `possible` (given back with its gang), `overused` (its queue has its share), or its status."""
    outcome = "started" if task in session.started else "possible" if task.possible else task.status.lower()
    if task.overused:
        outcome = "overused"
    entry = {"pod": task.pod.key, "outcome": outcome, "node": task.node or task.possible, "reason": task.fit_error}
    return {name: value for name, value in entry.items() if value}
