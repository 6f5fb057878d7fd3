"""The panel of an extension point that is neither Filter nor Score: who ran, and what each answered."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from scheduler_lab.present import evidence
from scheduler_lab.present.did import CLAIMS, did, has_claims
from scheduler_lab.present.evidence import EvidenceView
from scheduler_lab.present.facts import CycleFacts, Json, short_name
from scheduler_lab.present.links import Links
from scheduler_lab.present.requeue import Wake, wakes
from scheduler_lab.present.verdicts import Verdict, code_word, of_code

MEMBERS: dict[str, tuple[str, ...]] = {
    "PreFilter": ("preFilter",),
    "PostFilter": ("postFilter",),
    "PreScore": ("preScore",),
    "Reserve": ("reserve", "unreserve"),
    "Permit": ("permit",),
    "PreBind": ("preBindPreFlight", "preBind"),
    "Bind": ("bind",),
    "PostBind": ("postBind",),
}


@dataclass(frozen=True)
class Answer:
    """One plugin's answer. `point` is set where a panel holds two calls (PreBindPreFlight, Unreserve).

    `detail` is what it said, `did` what that amounts to; with `look` the node's own verdict has the particulars.
    """

    plugin: str
    point: str
    verdict: Verdict
    word: str
    detail: str
    detail_lang: str = ""
    url: str = ""
    evidence: EvidenceView | None = None
    ident: str = ""
    did: str = ""
    look: str = ""


@dataclass(frozen=True)
class Panel:
    name: str
    about: str
    answers: list[Answer] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    victims: list[str] = field(default_factory=list)
    nominated: str = ""
    lists: list[tuple[str, list[str]]] = field(default_factory=list)
    wakes: list[Wake] = field(default_factory=list)
    waits: str = ""


def about(name: str) -> str:
    """What an extension point is for, in a sentence."""
    return {
        "PreEnqueue": _("decides whether the pod may enter the queue at all"),
        "QueueSort": _("orders the pods that wait for the scheduler"),
        "PreFilter": _("prepares the pod once for all nodes; a plugin with nothing to check skips its Filter"),
        "Filter": _("asks each node: could the pod run here?"),
        "PostFilter": _("runs when no node is left, and tries to make room by preemption"),
        "PreScore": _("prepares the scoring; a plugin with nothing to compare skips its Score"),
        "Score": _("raw → normalised 0–100 → × weight, summed"),
        "Reserve": _("sets aside what the pod needs on the chosen node"),
        "Permit": _("a last gate before binding: allow, reject, or wait"),
        "PreBind": _("prepares what the pod needs on the node, such as volumes"),
        "Bind": _("writes the node into the pod"),
        "PostBind": _("tells plugins that the pod is bound"),
    }[name]


def build(name: str, facts: CycleFacts, record: Json, links: Links, text: str, lines: dict[str, int]) -> Panel:
    """The panel of one extension point for one cycle."""
    if name == "PreEnqueue":
        return _pre_enqueue(facts, record)
    if name == "QueueSort":
        return _queue_sort(facts)
    answers: list[Answer] = []
    skipped: list[str] = []
    for member in MEMBERS[name]:
        point = {"unreserve": "Unreserve", "preBindPreFlight": "PreBindPreFlight"}.get(member, "")
        for entry in facts.entries(member):
            if entry["code"] == "Skip":
                skipped.append(entry["plugin"])
            else:
                answers.append(_answer(name, member, entry, point, facts, links, text, lines))
    return Panel(
        name,
        about(name),
        answers,
        list(dict.fromkeys(skipped)),
        victims=[short_name(v) for v in facts.result.get("victims", [])] if name == "PostFilter" else [],
        nominated=facts.result.get("nominatedNode", "") if name == "PostFilter" else "",
        waits=facts.pod if name == "Permit" and facts.code == "Wait" and still_waits(facts, record) else "",
    )


def still_waits(facts: CycleFacts, record: Json) -> bool:
    """Whether the pod of the cycle waits at Permit at the end of the run."""
    return facts.pod in record.get("queue", {}).get("waitingOnPermit", [])


def _answer(
    name: str, member: str, entry: Json, point: str, facts: CycleFacts, links: Links, text: str, lines: dict[str, int]
) -> Answer:
    plugin = entry["plugin"]
    found = facts.evidence(member, plugin)
    is_open = links.selection.plugin == plugin and not links.selection.node
    if name == "PostFilter" and links.selection.phase == name and not links.selection.plugin:
        is_open = entry.get("nominatedNode") is not None or bool((found or {}).get("table"))
    ident = f"p-{member}-{plugin}"
    detail = ", ".join(entry.get("reasons", []))
    if entry.get("nodeNames"):
        detail = _("only %(nodes)s") % {"nodes": ", ".join(entry["nodeNames"])}
    if entry.get("nominatedNode"):
        detail = _("nominated node: %(node)s") % {"node": entry["nominatedNode"]}
    if entry.get("timeoutSeconds"):
        limit = _("at most %(seconds)s s") % {"seconds": entry["timeoutSeconds"]}
        detail = f"{detail} · {limit}" if detail else limit
    return Answer(
        plugin,
        point,
        of_code(entry["code"]),
        code_word(entry["code"]),
        detail,
        "en" if entry.get("reasons") and not entry.get("timeoutSeconds") else "",
        links.to(phase=name, node="", plugin="" if is_open else plugin, anchor=ident) if found else "",
        evidence.view(
            found, plugin=plugin, node="", verdict=of_code(entry["code"]), title=plugin, text=text, lines=lines
        )
        if found and is_open
        else None,
        ident,
        did(member, entry, facts),
        _look(member, plugin, facts, links),
    )


def _look(member: str, plugin: str, facts: CycleFacts, links: Links) -> str:
    """Where it is told which volumes or devices were set aside or bound."""
    if member not in ("reserve", "preBind") or plugin not in CLAIMS or not has_claims(plugin, facts) or not facts.node:
        return ""
    return links.to(phase="Filter", node=facts.node, plugin=plugin, anchor=f"c-{facts.node}-{plugin}")


def _pre_enqueue(facts: CycleFacts, record: Json) -> Panel:
    answers = [
        Answer(
            entry["plugin"],
            "",
            of_code(entry["code"]),
            code_word(entry["code"]),
            ", ".join(entry.get("reasons", [])),
            "en",
        )
        for entry in record.get("preEnqueue", [])
        if entry["pod"] == facts.pod
    ]
    if not answers:
        answers = [Answer("SchedulingGates", "", "pass", code_word("Success"), _("no scheduling gate holds the pod"))]
    return Panel("PreEnqueue", about("PreEnqueue"), answers)


def _queue_sort(facts: CycleFacts) -> Panel:
    queue = facts.cycle.get("x-queue", {})
    names = {
        "active": _("ready (activeQ)"),
        "backoff": _("backing off (backoffQ)"),
        "unschedulable": _("unschedulable"),
        "gated": _("gated"),
    }
    lists = [(label, [short_name(pod) for pod in queue.get(key, [])]) for key, label in names.items() if queue.get(key)]
    return Panel("QueueSort", about("QueueSort"), lists=lists, wakes=wakes(facts.cycle.get("x-requeue", [])))
