"""Several scheduler processes: who leads, who waits for which lease, and where two got in each other's way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.present.facts import CycleFacts, Json, short_name
from scheduler_lab.present.links import Links
from scheduler_lab.present.texts import translated
from scheduler_lab.present.verdicts import Verdict

MOST_CONFLICTS = 20


@dataclass(frozen=True)
class Process:
    """One process; `do` and `act` are what a button would do to it."""

    name: str
    verdict: Verdict
    state: str
    said: str
    acts: list[tuple[str, str]]


@dataclass(frozen=True)
class Lease:
    """A lease; `state` is a word where something about it keeps pods waiting."""

    name: str
    said: str
    state: str


@dataclass(frozen=True)
class Conflict:
    """A binding that the API server refused, at the cycle where it was tried."""

    pod: str
    url: str
    said: str


@dataclass(frozen=True)
class Schedulers:
    """What the panel shows; false in a run with the main scheduler alone."""

    processes: list[Process] = field(default_factory=list)
    leases: list[Lease] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    more: int = 0

    def __bool__(self) -> bool:
        return bool(self.processes)


def build(record: Json, links: Links) -> Schedulers:
    """The panel of a record; nothing without lab/v1 Scheduler documents."""
    schedulers = record.get("x-schedulers", [])
    if not schedulers:
        return Schedulers()
    conflicts = sorted((c for entry in schedulers for c in entry.get("conflicts", [])), key=lambda c: c["cycle"])
    return Schedulers(
        processes=processes(record),
        leases=leases(record),
        conflicts=[_conflict(conflict, links) for conflict in conflicts[:MOST_CONFLICTS]],
        rejected=[
            (short_name(entry["pod"]), entry["message"])
            for entry in record.get("x-kubelet", [])
            if entry.get("phase") == "Failed" and entry.get("event")
        ][:MOST_CONFLICTS],
        more=max(0, len(conflicts) - MOST_CONFLICTS),
    )


def processes(record: Json) -> list[Process]:
    """Every process, in the order of their turns."""
    return [process for entry in record.get("x-schedulers", []) for process in _processes(entry)]


def leases(record: Json) -> list[Lease]:
    """Every lease that schedulers contend for."""
    return [_lease(lease) for lease in record.get("x-leases", [])]


def _processes(scheduler: Json) -> Iterator[Process]:
    states: dict[str, tuple[Verdict, str]] = {
        "leading": ("pass", _("leads")),
        "scheduling": ("pass", _("schedules")),
        "standby": ("wait", _("stands by")),
        "stopped": ("reject", _("stopped")),
    }
    for replica in scheduler["replicas"]:
        verdict, state = states[replica["state"]]
        name = replica["name"]
        acts = [
            (f"stop-scheduler:{name}", _("Crash")),
            (f"terminate-scheduler:{name}", _("Shut down")),
        ]
        if replica["state"] == "stopped":
            acts = [(f"start-scheduler:{name}", _("Start"))]
        elif replica["state"] != "leading":
            acts = acts[:1]
        yield Process(name, verdict, state, _said(scheduler, replica), acts)


def _said(scheduler: Json, replica: Json) -> str:
    """E.g. "serves batch-scheduler · lease kube-system/batch-scheduler · 3 cycles, 2 pods bound"."""
    lag = scheduler.get("viewLag", 0)
    cycles = ngettext("%(count)s cycle", "%(count)s cycles", replica["cycles"]) % {"count": replica["cycles"]}
    bound = ngettext("%(count)s pod bound", "%(count)s pods bound", replica["bound"]) % {"count": replica["bound"]}
    parts = [
        _("serves %(names)s") % {"names": ", ".join(scheduler["profiles"])},
        _("lease %(lease)s") % {"lease": scheduler["lease"]} if scheduler.get("lease") else _("no leader election"),
        f"{cycles}, {bound}",
    ]
    if lag:
        text = ngettext(
            "learns of others' bindings %(count)s cycle of its own later",
            "learns of others' bindings %(count)s cycles of its own later",
            lag,
        )
        parts.append(text % {"count": lag})
    return " · ".join(parts)


def _lease(lease: Json) -> Lease:
    parts, state = [_holder(lease)], ""
    if "takenAt" in lease:
        state = _("runs out") if lease["holder"] else _("free")
        parts.append(_("A candidate takes it at %(time)s s.") % {"time": f"{lease['takenAt']:g}"})
    if changes := lease["transitions"]:
        text = ngettext("It changed hands %(count)s time.", "It changed hands %(count)s times.", changes)
        parts.append(text % {"count": changes})
    parts.append(_("Candidates: %(names)s.") % {"names": ", ".join(lease["candidates"])})
    if "shared" in lease:
        state = _("shared")
        parts.append(
            _("Different schedulers contend for it (%(names)s): all but one of them never schedule.")
            % {"names": ", ".join(lease["shared"])}
        )
    return Lease(f"{lease['namespace']}/{lease['name']}", " ".join(parts), state)


def _holder(lease: Json) -> str:
    if not lease["holder"]:
        return _("Nobody holds it.")
    if "acquired" not in lease:
        return _("%(holder)s holds it, but does not renew it any more.") % {"holder": lease["holder"]}
    return _("%(holder)s holds it; it was last renewed at %(time)s s.") % {
        "holder": lease["holder"],
        "time": f"{lease['renewed']:g}",
    }


def _conflict(conflict: Json, links: Links) -> Conflict:
    said = _("%(process)s came too late: the pod was bound to %(node)s already (409).") % {
        "process": conflict["scheduler"],
        "node": conflict["node"],
    }
    return Conflict(short_name(conflict["pod"]), links.cycle(conflict["cycle"]), said)


def unseen(facts: CycleFacts) -> str:
    """What the cycle's process did not know yet: bindings by other schedulers; "" when it knew of all."""
    missed = facts.cycle.get("x-unseen", [])
    if not missed:
        return ""
    listed = ", ".join(f"{short_name(entry['pod'])} → {entry['node']}" for entry in missed[:8])
    return _("In this cycle %(process)s did not know yet what other schedulers had bound: %(bindings)s.") % {
        "process": facts.cycle.get("x-scheduler", ""),
        "bindings": listed + (" …" if len(missed) > 8 else ""),
    }


def profile(facts: CycleFacts) -> str:
    """The profile of a cycle, with the process that ran it where there are several."""
    return " · ".join(filter(None, (str(facts.cycle.get("profile", "")), facts.cycle.get("x-scheduler", ""))))


def reasons(record: Json) -> dict[str, str]:
    """Why no scheduler tried a pod: pod → sentence in the page's language."""
    return {entry["pod"]: translated(entry["note"]) for entry in record.get("x-unserved", []) if entry.get("note")}
