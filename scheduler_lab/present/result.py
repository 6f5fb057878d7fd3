"""The whole result of a run as one view model, for the lab page and for a question's embedded lab alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.outcome import RunOutcome
from scheduler_lab.present import (
    attempts,
    cluster,
    events,
    extender_calls,
    matrix,
    panels,
    pending,
    requeue,
    score,
    short,
)
from scheduler_lab.present import gangs as gang_panel
from scheduler_lab.present import kubelets as kubelet_panel
from scheduler_lab.present import schedulers as processes
from scheduler_lab.present.events import Event
from scheduler_lab.present.facts import CycleFacts, Json, short_name
from scheduler_lab.present.links import CLEAN, Links, Selection
from scheduler_lab.present.phases import Phase, phases, telling
from scheduler_lab.present.schedulers import Schedulers
from scheduler_lab.present.texts import translated
from scheduler_lab.present.vocabulary import PHASES


@dataclass(frozen=True)
class CycleView:
    """The selected cycle: its strip and the panels that the selection opens."""

    number: int
    count: int
    pod: str
    attempt: int
    profile: str
    time: str
    row: attempts.Attempt
    short: short.Short
    phases: list[Phase]
    phase: str
    overview: bool
    note: str
    matrix: matrix.Matrix | None = None
    score: score.ScoreTable | None = None
    panel: panels.Panel | None = None
    calls: extender_calls.Calls | None = None
    previous_url: str = ""
    next_url: str = ""
    overview_url: str = ""
    error: str = ""
    unseen: str = ""


@dataclass(frozen=True)
class ResultView:
    """Everything that a result shows. `refused` is the engine's reason when the configuration was refused."""

    links: Links
    headline: str = ""
    subline: str = ""
    rows: list[attempts.Attempt] = field(default_factory=list)
    held: list[attempts.Held] = field(default_factory=list)
    rows_previous: str = ""
    rows_next: str = ""
    rows_shown: str = ""
    cycle: CycleView | None = None
    not_running: pending.NotRunning = field(default_factory=pending.NotRunning)
    cluster: cluster.Cluster | None = None
    span: str = "run"
    events: list[Event] = field(default_factory=list)
    events_hidden: int = 0
    refused: str = ""
    by_api_server: bool = False
    limits: list[str] = field(default_factory=list)
    untouched: str = ""
    woken: list[requeue.Moment] = field(default_factory=list)
    woken_hidden: int = 0
    done: list[Event] = field(default_factory=list)
    schedulers: Schedulers = field(default_factory=Schedulers)
    kubelets: list[kubelet_panel.Judged] = field(default_factory=list)
    kubelets_hidden: int = 0
    gangs: gang_panel.Gangs = field(default_factory=gang_panel.Gangs)

    @property
    def menus(self) -> bool:
        """Whether nodes of the picture may be acted on: it shows the end of the run, where a further step acts."""
        return self.acts and self.span == "run"

    @property
    def fixable(self) -> str:
        """Where on the page it is told what would fix the pod of the cycle; "" for a pod that runs."""
        if not self.acts or not self.cycle:
            return ""
        return next((f"fix-{pod.number}" for pod in self.not_running.pending if pod.name == self.cycle.pod), "")

    @property
    def plain_url(self) -> str:
        """The same view without the comparison."""
        return self.links.to(against="")

    @property
    def acts(self) -> bool:
        """Whether the page may offer to change the cluster: not inside a question, which has no editor."""
        return not self.links.embed

    @property
    def stops(self) -> list[tuple[Phase, str]]:
        """The strip's stops with their addresses."""
        return [(stop, self.links.phase(stop.name)) for stop in self.cycle.phases] if self.cycle else []


def build(outcome: RunOutcome, text: str, digest: str, selection: Selection, *, embed: bool = False) -> ResultView:
    """The view of a run that has a record; the selection says which cycle, phase and cell are looked at."""
    record = outcome.record or {}
    refused = record.get("error") or record.get("scenarioError") or ""
    if refused:
        return ResultView(Links(digest, selection, embed), refused=refused, by_api_server="error" not in record)
    everything = attempts.all_facts(record)
    current = _current(everything, record, selection)
    chosen = _settle(selection, current)
    links = Links(digest, chosen, embed)
    shown_events, hidden = events.build(record)
    woken, woken_hidden = requeue.story(record)
    judged, judged_hidden = kubelet_panel.build(record)
    start, end = attempts.window(len(everything), current.number if current else 1)
    return ResultView(
        links=links,
        headline=headline(record, everything),
        subline=subline(record, everything),
        rows=[attempts.describe(facts) for facts in everything[start:end]],
        held=attempts.held_pods(record),
        rows_previous=links.cycle(start) if start else "",
        rows_next=links.cycle(end + 1) if end < len(everything) else "",
        rows_shown=f"{start + 1}–{end} / {len(everything)}" if len(everything) > attempts.WINDOW else "",
        cycle=_cycle(current, everything, record, links, text, outcome.lines) if current else None,
        not_running=pending.build(everything, record, links, current),
        cluster=_cluster(record, current, chosen.span),
        span=chosen.span,
        events=shown_events,
        events_hidden=hidden,
        limits=limits(record),
        untouched="" if everything else untouched(record),
        woken=woken,
        woken_hidden=woken_hidden,
        done=events.of_controllers(record),
        schedulers=processes.build(record, links),
        kubelets=judged,
        kubelets_hidden=judged_hidden,
        gangs=gang_panel.build(record),
    )


def settled(record: Json, selection: Selection) -> Selection:
    """The selection with the cycle that is shown for it."""
    if record.get("error") or record.get("scenarioError"):
        return selection
    return _settle(selection, _current(attempts.all_facts(record), record, selection))


def _current(everything: list[CycleFacts], record: Json, selection: Selection) -> CycleFacts | None:
    if not everything:
        return None
    if 1 <= selection.cycle <= len(everything):
        return everything[selection.cycle - 1]
    if selection.step and (caused := _last_step(everything)):
        return caused
    # The most telling one: the first pod that did not get a node, else the last cycle.
    for facts in everything:
        if facts.code and not record.get("pods", {}).get(facts.pod, {}).get("nodeName"):
            return facts
    last = everything[-1]
    return short.nominating(last, everything) or last


def _last_step(everything: list[CycleFacts]) -> CycleFacts | None:
    """The first cycle after the last Timeline step, if there is any."""
    steps = [facts.cycle.get("step", 0) for facts in everything]
    last = max(steps, default=0)
    return everything[steps.index(last)] if last else None


def _settle(selection: Selection, current: CycleFacts | None) -> Selection:
    return replace(selection, cycle=current.number) if current else selection


def _cycle(
    facts: CycleFacts, everything: list[CycleFacts], record: Json, links: Links, text: str, lines: dict[str, int]
) -> CycleView:
    stops = phases(facts, record)
    chosen = links.selection.phase or telling(stops, facts)
    overview = not links.selection.phase
    show_filter = chosen == "Filter" or (overview and bool(facts.filtered))
    show_score = chosen == "Score" or overview
    table = score.build(facts, links, text, lines) if show_score else None
    other = chosen not in ("Filter", "Score") or (overview and bool(facts.entries("postFilter")))
    panel_of = chosen if chosen not in ("Filter", "Score") else "PostFilter"
    return CycleView(
        number=facts.number,
        count=len(everything),
        pod=short_name(facts.pod),
        attempt=facts.attempt,
        profile=processes.profile(facts),
        unseen=processes.unseen(facts),
        time=attempts.clock(facts.cycle.get("x-time")),
        row=attempts.describe(facts),
        short=short.build(facts, everything, stops, links),
        phases=stops,
        phase=chosen,
        overview=overview,
        note=next(stop.note for stop in stops if stop.name == chosen),
        matrix=matrix.build(facts, links, text, lines) if show_filter else None,
        score=table,
        panel=panels.build(panel_of, facts, record, links, text, lines) if other else None,
        calls=extender_calls.build(facts, links, links.selection.phase),
        previous_url=_step(-1, chosen, facts, everything, links),
        next_url=_step(1, chosen, facts, everything, links),
        overview_url=links.cycle(facts.number),
        error=facts.message if facts.code == "Error" else "",
    )


def _step(by: int, phase: str, facts: CycleFacts, everything: list[CycleFacts], links: Links) -> str:
    """One stop on; past the last stop, the first one of the next cycle (and backwards)."""
    at = PHASES.index(phase) + by
    if 0 <= at < len(PHASES):
        return links.phase(PHASES[at])
    number = facts.number + by
    if not 1 <= number <= len(everything):
        return ""
    return links.to(cycle=number, phase=PHASES[0 if by > 0 else -1], anchor="cycle", **CLEAN)


def _cluster(record: Json, current: CycleFacts | None, span: str) -> cluster.Cluster | None:
    cycles = record.get("cycles", [])
    final = record.get("x-cluster", [])
    deleted = set(record.get("deleted", []))
    if span == "cycle" and current:
        after = cycles[current.number].get("x-cluster", final) if current.number < len(cycles) else final
        return cluster.build(current.cycle.get("x-cluster", []), after, deleted)
    before = cycles[0].get("x-cluster", []) if cycles else final
    return cluster.build(before, final, deleted, _stranded(record))


def _stranded(record: Json) -> dict[str, str]:
    """The pods whose node is gone at the end: pod → node. Empty for clusters too large to draw."""
    nodes = {"", *(node["name"] for node in record.get("x-cluster", []))}
    if len(nodes) == 1:
        return {}
    pods = record.get("pods", {}).items()
    return {pod: state["nodeName"] for pod, state in pods if state.get("nodeName", "") not in nodes}


def counts(record: Json, everything: list[CycleFacts]) -> Counter[str]:
    """How many of the pods that the scheduler dealt with ended how: running, rejected, pending and so on."""
    last = {facts.pod: facts for facts in everything}
    final = record.get("pods", {})
    stranded, rejected = _stranded(record), rejected_by_kubelet(record)
    found: Counter[str] = Counter()
    for pod, facts in last.items():
        if pod not in final:
            found["deleted"] += 1
        elif pod in stranded:
            found["stranded"] += 1
        elif final[pod].get("nodeName"):
            found["rejected" if pod in rejected else "running"] += 1
        elif facts.code == "Wait":
            found["waiting"] += 1
        elif pod in record.get("queue", {}).get("gated", []):
            found["gated"] += 1
        else:
            found["pending"] += 1
    found["gated"] += len(attempts.held_pods(record))
    found["pending"] += len(pending.untried(record, set(last)))
    return found


def rejected_by_kubelet(record: Json) -> dict[str, str]:
    """{pod: reason} of the pods that have a node whose kubelet refuses to run them, such as OutOfcpu."""
    entries = record.get("x-kubelet", [])
    return {entry["pod"]: entry["event"]["reason"] for entry in entries if entry.get("event")}


def headline(record: Json, everything: list[CycleFacts]) -> str:
    """E.g. "5 pods: 3 running, 1 waiting, 1 Pending"."""
    found = counts(record, everything)
    total = sum(found.values())
    if not total:
        return _("Nothing to schedule")
    words = {
        "running": _("%(count)s running"),
        "rejected": _("%(count)s rejected by the kubelet"),
        "stranded": _("%(count)s without its node"),
        "waiting": _("%(count)s waiting"),
        "gated": _("%(count)s gated"),
        "pending": _("%(count)s Pending"),
        "deleted": _("%(count)s deleted"),
    }
    parts = [text % {"count": found[key]} for key, text in words.items() if found[key]]
    pods = ngettext("%(count)s pod", "%(count)s pods", total) % {"count": total}
    return f"{pods}: {', '.join(parts)}" if parts else pods


def subline(record: Json, everything: list[CycleFacts]) -> str:
    """E.g. "6 cycles, virtual time 0:15"."""
    cycles = ngettext("%(count)s cycle", "%(count)s cycles", len(everything)) % {"count": len(everything)}
    times = [cycle["x-time"] for cycle in record.get("cycles", []) if "x-time" in cycle]
    if not times:
        return cycles
    return _("%(cycles)s, virtual time %(time)s") % {"cycles": cycles, "time": attempts.clock(max(times))}


def limits(record: Json) -> list[str]:
    """What the engine could not honour, and whether it stopped early."""
    said = [translated(problem.get("message", "")) for problem in record.get("x-problems", [])]
    if record.get("maxCyclesHit"):
        said.append(
            _("The run ended after the largest number of cycles; raise maxCycles in lab/v1 Options to see more.")
        )
    return said


def untouched(record: Json) -> str:
    """Why no cycle ran."""
    if record.get("queue", {}).get("gated"):
        return _("Every pod is held back before the queue, so the scheduler has nothing to do.")
    if record.get("pods"):
        return _("The scheduler had nothing to do: every pod already has a node, or names another scheduler.")
    return _("There is no pod to schedule. Add a Pod, or a Deployment, to the text and run it again.")
