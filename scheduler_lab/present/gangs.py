"""Gangs at the end of a run: the status of Coscheduling's PodGroups, and what Volcano's sessions did."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from scheduler_lab.present.facts import Json, short_name
from scheduler_lab.present.texts import translated
from scheduler_lab.present.verdicts import Verdict

MOST_SESSIONS = 12
MOST_TASKS = 12
VOLCANO = "volcano"


@dataclass(frozen=True)
class Task:
    """A pod of a gang and what became of it; `why` is Volcano's own text."""

    pod: str
    verdict: Verdict
    said: str
    why: str = ""


@dataclass(frozen=True)
class Gang:
    """A PodGroup: its phase as Kubernetes spells it, a sentence on it, and its pods where they are known."""

    name: str
    verdict: Verdict
    phase: str
    said: str
    message: str = ""
    note: str = ""
    tasks: list[Task] = field(default_factory=list)
    more: int = 0


@dataclass(frozen=True)
class Session:
    """One pass of Volcano over its queue; `number` counts from 1."""

    number: int
    gangs: list[Gang]


@dataclass(frozen=True)
class Gangs:
    """`groups` are Coscheduling's, `sessions` Volcano's, the last one first."""

    groups: list[Gang] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    hidden: int = 0

    def __bool__(self) -> bool:
        return bool(self.groups or self.sessions)


def build(record: Json) -> Gangs:
    """The panel of a record; nothing without gangs."""
    sessions = record.get("x-volcano", {}).get("sessions", [])
    shown = sessions[-MOST_SESSIONS:][::-1]
    return Gangs(
        [_group(name, status) for name, status in sorted(record.get("x-podGroups", {}).items())],
        [Session(session["number"], [_job(job) for job in session["jobs"]]) for session in shown],
        len(sessions) - len(shown),
    )


def volcano_pods(record: Json) -> set[str]:
    """The pods that Volcano looked at."""
    sessions = record.get("x-volcano", {}).get("sessions", [])
    return {task["pod"] for session in sessions for job in session["jobs"] for task in job["tasks"]}


def _group(name: str, status: Json) -> Gang:
    needed, running = status.get("minMember", 0), status.get("running", 0)
    said = _("Running pods: %(running)s; needed at once: %(needed)s.") % {"running": running, "needed": needed}
    phase = str(status.get("phase", ""))
    return Gang(short_name(name), _verdict(phase, running >= needed), phase, said)


def _verdict(phase: str, complete: bool) -> Verdict:
    if phase == "Failed":
        return "reject"
    return "chosen" if complete else "wait"


def _job(job: Json) -> Gang:
    ready, needed = job.get("ready", 0), job.get("minMember", 0)
    said = ""
    if job["tasks"] or needed:
        said = _("Queue %(queue)s. Pods with a node: %(ready)s; needed at once: %(needed)s.") % {
            "queue": job.get("queue", ""),
            "ready": ready,
            "needed": needed,
        }
    if job.get("notEnqueued"):
        said += " " + _("It was not let into the queue's work: %(why)s.") % {"why": job["notEnqueued"]}
    phase = job.get("phase", "")
    return Gang(
        short_name(job["podGroup"]),
        _verdict(phase, bool(job["tasks"]) and ready >= needed),
        phase,
        said,
        (job.get("condition") or {}).get("message", ""),
        translated(job["note"]) if job.get("note") else "",
        [_task(task) for task in job["tasks"][:MOST_TASKS]],
        max(0, len(job["tasks"]) - MOST_TASKS),
    )


def _task(task: Json) -> Task:
    outcome, node = task["outcome"], task.get("node", "")
    verdict, said = _outcomes(node).get(outcome, ("none", outcome))
    return Task(short_name(task["pod"]), verdict, said, task.get("reason", ""))


def _outcomes(node: str) -> dict[str, tuple[Verdict, str]]:
    at = {"node": node}
    return {
        "started": ("chosen", _("starts on %(node)s") % at),
        "running": ("pass", _("runs on %(node)s") % at),
        "possible": ("wait", _("would fit on %(node)s, but its gang is not complete") % at),
        "overused": ("wait", _("its queue has its share already")),
        "pending": ("reject", _("found no node")),
        "succeeded": ("pass", _("has finished")),
        "failed": ("reject", _("has failed")),
        "releasing": ("wait", _("is being deleted")),
    }
