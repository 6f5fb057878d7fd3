"""Volcano's own words for a gang that does not start."""

from __future__ import annotations

from collections import Counter

from scheduler_lab.engine.custom.volcano.jobs import Job, Task

NOT_READY = "pod group is not ready"
READY = "pod group is ready"
SCHEDULED_REASON = "tasks in gang are ready to be scheduled"
NOT_ENOUGH_RESOURCES = "NotEnoughResources"
NOT_ENOUGH_TASKS = "NotEnoughTasks"
OVERUSED = "resource in cluster is overused"
QUOTA = "queue resource quota insufficient"
ALL_UNAVAILABLE = "all nodes are unavailable"
UNSCHEDULABLE = "Unschedulable"
SCHEDULABLE = "Schedulable"


def histogram(counts: Counter[str]) -> str:
    """`3 Pending, 3 minAvailable`: counts with their names, sorted as text."""
    return ", ".join(sorted(f"{count} {name}" for name, count in counts.items()))


def nodes_error(reasons: Counter[str], nodes: int) -> str:
    """Why a task fits on no node."""
    return f"0/{nodes} nodes are unavailable: {histogram(reasons)}."


def task_reason(task: Task) -> str:
    """What became of a task that has no node: it might have had one, or not."""
    return SCHEDULABLE if task.possible else UNSCHEDULABLE


def task_message(task: Task) -> str:
    """The message of the task's PodScheduled condition and event."""
    if task.possible:
        return f"Pod {task.pod.key} can possibly be assigned to {task.possible}, once minAvailable is satisfied"
    return task.fit_error or ALL_UNAVAILABLE


def fit_error(job: Job) -> str:
    """How the job's tasks stand, why the pending ones are pending, and the first reason of all."""
    states = Counter(task.status for task in job.tasks)
    states["minAvailable"] = job.needed
    message = f"{NOT_READY}, {histogram(states)}"
    pending = Counter(task_reason(task) for task in job.with_status("Pending"))
    if pending:
        message += f"; Pending: {histogram(pending)}"
    failed = next((task for task in job.tasks if task.fit_error), None)
    return message if failed is None else f"{message}. Origin reason is {failed.name}: {failed.fit_error}"


def condition_message(job: Job) -> str:
    """The message of the PodGroup's Unschedulable condition: how many are missing even if the possible ones count."""
    possible = sum(1 for task in job.with_status("Pending") if task.possible)
    missing = job.needed - job.ready_tasks - possible
    return f"{missing}/{len(job.tasks)} tasks in gang unschedulable: {fit_error(job)}"


def event_message(job: Job) -> str:
    """The message of the PodGroup's Unschedulable event."""
    return f"{len(job.with_status('Pending'))}/{len(job.tasks)} tasks in gang unschedulable: {fit_error(job)}"


def too_few_tasks(valid: int, needed: int) -> str:
    """The message of the condition of a PodGroup that has fewer pods than it needs."""
    return f"Not enough valid tasks for gang-scheduling, valid: {valid}, min: {needed}"
