"""Pods that do not run at the end: what the scheduler says about each, and what it leaves unsaid."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.engine.explain.hidden import hidden as unsaid
from scheduler_lab.present import message
from scheduler_lab.present.attempts import Held, held_pods
from scheduler_lab.present.facts import CycleFacts, Json, short_name
from scheduler_lab.present.gangs import volcano_pods
from scheduler_lab.present.links import Links
from scheduler_lab.present.message import Message
from scheduler_lab.present.schedulers import reasons
from scheduler_lab.present.shut_domains import shut_domains
from scheduler_lab.present.texts import translated

MOST_PANELS = 4


@dataclass(frozen=True)
class PendingPod:
    """A pod whose last attempt failed. `queue` says where it waits now."""

    pod: str
    name: str
    namespace: str
    number: int
    url: str
    message: Message
    queue: str
    hidden: list[str]


@dataclass(frozen=True)
class WaitingPod:
    pod: str
    node: str
    plugins: list[str]
    seconds: int
    url: str
    key: str = ""


@dataclass(frozen=True)
class Alike:
    """Further pending pods with the same message."""

    text: str
    pods: list[tuple[str, str]]
    count: int


@dataclass(frozen=True)
class NotRunning:
    pending: list[PendingPod] = field(default_factory=list)
    waiting: list[WaitingPod] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    alike: list[Alike] = field(default_factory=list)
    untried: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        listed = [pod.name for pod in self.pending] + [pod.pod for pod in self.waiting]
        listed += [name for _key, name, _why in self.untried]
        return listed + [short_name(pod.pod) for pod in self.held] + [name for a in self.alike for name, _url in a.pods]

    def __bool__(self) -> bool:
        return bool(self.pending or self.waiting or self.held or self.alike or self.untried)


def build(all_facts: list[CycleFacts], record: Json, links: Links, current: CycleFacts | None) -> NotRunning:
    """Everything that does not run at the end; panels for the looked-at pod first, at most MOST_PANELS."""
    last: dict[str, CycleFacts] = {facts.pod: facts for facts in all_facts}
    final = record.get("pods", {})
    why = reasons(record)
    failed = [
        f for f in last.values() if f.code not in ("", "Wait") and not final.get(f.pod, {"nodeName": 1}).get("nodeName")
    ]
    failed.sort(key=lambda facts: (current is None or facts.pod != current.pod, facts.number))
    return NotRunning(
        pending=[_pending(facts, record, links) for facts in failed[:MOST_PANELS]],
        waiting=[_waiting(facts, links) for facts in last.values() if facts.code == "Wait"],
        held=held_pods(record),
        alike=_alike(failed[MOST_PANELS:], links),
        untried=[(pod, short_name(pod), why.get(pod, "")) for pod in untried(record, last)[:MOST_PANELS]],
    )


def untried(record: Json, tried: Collection[str]) -> list[str]:
    """Pods without a node that never came to an attempt although nothing of the scheduler holds them."""
    gated = set(record.get("queue", {}).get("gated", [])) | volcano_pods(record)
    return [
        pod
        for pod, state in record.get("pods", {}).items()
        if pod not in tried and pod not in gated and not state.get("nodeName")
    ]


def _pending(facts: CycleFacts, record: Json, links: Links) -> PendingPod:
    namespace, _slash, _name = facts.pod.partition("/")
    return PendingPod(
        facts.pod,
        short_name(facts.pod),
        namespace,
        facts.number,
        links.cycle(facts.number),
        message.build(facts, links),
        _queue(facts.pod, record.get("queue", {})),
        hidden(facts, record),
    )


def _queue(pod: str, queue: Json) -> str:
    plugins = ", ".join(queue.get("unschedulablePlugins", {}).get(pod, []))
    if pod in queue.get("unschedulable", []):
        if plugins:
            return _(
                "It waits for an event that %(plugins)s asked to be told of, if there is any; after five minutes "
                "without one it is tried again."
            ) % {"plugins": plugins}
        return _("It waits for an event; after five minutes without one it is tried again.")
    if pod in queue.get("backoff", []):
        return _("It is tried again when its backoff is over.")
    if pod in queue.get("gated", []):
        return _("It is held back from the queue.")
    return ""


def hidden(facts: CycleFacts, record: Json) -> list[str]:
    """What the message does not say, as far as the record knows it, most useful first."""
    rejecting = {plugin for plugin, _code, _reasons in facts.rejections()}
    told = unsaid(record, facts.cycle)
    said = shut_domains(facts) + [translated(text) for text in told]
    if "TaintToleration" in rejecting and not any("taint" in text.template for text in told):
        said.append(_("It does not say which taint. Open the cell of the node to see it."))
    if nominated := facts.result.get("nominatedNode"):
        victims = [short_name(name) for name in facts.result.get("victims", [])]
        said.append(
            ngettext(
                "Preemption found a place: %(node)s, by removing %(victims)s.",
                "Preemption found a place: %(node)s, by removing %(victims)s.",
                len(victims),
            )
            % {"node": nominated, "victims": ", ".join(victims) or _("nobody")}
        )
    if facts.code != "Error" and any(_cut_off(facts, node) for node in facts.filtered):
        said.append(
            _(
                "A node counts only under the first plugin that rejects it. Later plugins never saw it, so removing "
                "this reason may show another one."
            )
        )
    return said


def _cut_off(facts: CycleFacts, node: str) -> bool:
    verdicts = facts.filtered[node]
    active = {e["plugin"] for e in facts.entries("preFilter") if e["code"] == "Success"}
    seen = {entry["plugin"] for entry in verdicts}
    return bool(verdicts) and verdicts[-1]["code"] != "Success" and bool(active - seen)


def _waiting(facts: CycleFacts, links: Links) -> WaitingPod:
    waits = [entry for entry in facts.entries("permit") if entry["code"] == "Wait"]
    return WaitingPod(
        short_name(facts.pod),
        facts.node,
        [entry["plugin"] for entry in waits],
        min((entry.get("timeoutSeconds", 0) for entry in waits), default=0),
        links.to(cycle=facts.number, phase="Permit", anchor="cycle"),
        facts.pod,
    )


def _alike(failed: list[CycleFacts], links: Links) -> list[Alike]:
    groups: dict[str, list[CycleFacts]] = {}
    for facts in failed:
        groups.setdefault(facts.message, []).append(facts)
    largest = sorted(groups.items(), key=lambda item: -len(item[1]))[:10]
    return [
        Alike(text, [(short_name(f.pod), links.cycle(f.number)) for f in members[:20]], len(members))
        for text, members in largest
    ]
