"""A cycle's calls to extenders: who was asked what under which address, the JSON both ways, and what became of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.extender.publishing import full_name
from scheduler_lab.present.facts import CycleFacts, Json
from scheduler_lab.present.links import Links
from scheduler_lab.present.source import highlighted_json
from scheduler_lab.present.verdicts import Verdict

POINTS = {"filter": "Filter", "prioritize": "Score", "preemption": "PostFilter", "bind": "Bind"}
MOST_CALLS = 20
MOST_LINES = 400
MOST_NAMED = 5
SCORES = range(11)
"""What an extender's score is meant to be; nothing checks it."""


@dataclass(frozen=True)
class Call:
    """One call. `body` is the request in one line; `path` the address of the same rules once they are published."""

    ident: str
    extender: str
    role: str
    point: str
    url: str
    verdict: Verdict
    word: str
    says: str
    error: str = ""
    notes: list[str] = field(default_factory=list)
    request: list[SafeString] = field(default_factory=list)
    response: list[SafeString] = field(default_factory=list)
    cut: bool = False
    body: str = ""
    path: str = ""
    more_url: str = ""


@dataclass(frozen=True)
class Calls:
    """The calls of a cycle, or of one extension point of it; `hidden` counts those that are not listed."""

    calls: list[Call]
    hidden: int = 0

    @property
    def publishable(self) -> bool:
        """Whether a document of the text answered any of them."""
        return any(call.path for call in self.calls)


def build(facts: CycleFacts, links: Links, phase: str) -> Calls | None:
    """The calls of the extension point, of all points for the overview (""); None without any."""
    wanted = [
        (number, call)
        for number, call in enumerate(facts.cycle.get("x-calls", []))
        if not phase or POINTS[call["role"]] == phase
    ]
    if not wanted:
        return None
    shown = [_call(number, call, facts, links) for number, call in wanted[:MOST_CALLS]]
    return Calls(shown, len(wanted) - len(shown))


def _call(number: int, call: Json, facts: CycleFacts, links: Links) -> Call:
    result = facts.cycle["extenders"][call["entry"]].get("result", {}) if "entry" in call else {}
    point = POINTS[call["role"]]
    request, response = call.get("request"), call.get("response")
    sent, cut_request = _lines(request)
    received, cut_response = _lines(response)
    answered = "status" in call
    verdict, word = _verdict(call)
    return Call(
        ident=f"call-{number}",
        extender=call["extender"],
        role=call["role"],
        point=point,
        url=call["url"],
        verdict=verdict,
        word=word,
        says=_says(call, result),
        error=call.get("error", ""),
        notes=_notes(call, result),
        request=sent,
        response=received if request is not None else [],
        cut=cut_request or cut_response,
        body=json.dumps(request, ensure_ascii=False, separators=(",", ":")) if request is not None else "",
        path=f"/extender/{full_name(call['extender'], links.digest)}/{call['role']}"
        if "unscripted" not in call
        else "",
        more_url=links.phase(point) if answered and request is None else "",
    )


def _verdict(call: Json) -> tuple[Verdict, str]:
    if "error" not in call:
        return "pass", _("answered")
    return ("skip", _("failed, ignored")) if call.get("ignored") else ("reject", _("failed"))


def _says(call: Json, result: Json) -> str:
    """What the reply came to, in a sentence; "" after an error, whose text says it."""
    if "error" in call:
        return ""
    if call["role"] == "bind":
        return _("agrees to bind")
    if call["role"] == "prioritize":
        scores = result.get("scores", {})
        return _("scores %(scores)s") % {"scores": _some([f"{n} {s}" for n, s in scores.items()])} if scores else ""
    if call["role"] == "preemption":
        kept = list(result.get("victims", {}))
        return _("keeps %(nodes)s") % {"nodes": _some(kept)} if kept else _("keeps no candidate")
    left = len(result.get("nodes", []))
    return ngettext("leaves %(left)s of %(asked)s node", "leaves %(left)s of %(asked)s nodes", call["asked"]) % {
        "left": left,
        "asked": call["asked"],
    }


def _notes(call: Json, result: Json) -> list[str]:
    notes = []
    if call.get("unscripted"):
        notes.append(
            _(
                "The lab calls no host. Only lab-extender-<name> answers, by the lab/v1 Extender document of that "
                "name; any other host is treated as unreachable. The text is that of Go's HTTP client."
            )
        )
    elif "error" in call and "status" not in call:
        notes.append(
            _(
                "No reply came within httpTimeout, %(seconds)s s. The text is that of Go's HTTP client, which "
                "kube-scheduler is built with. The lab's clock does not move during a call."
            )
            % {"seconds": _number(call["timeout"])}
        )
    elif "seconds" in call:
        notes.append(_("The reply took %(seconds)s s.") % {"seconds": _number(call["seconds"])})
    if call.get("ignored"):
        notes.append(
            _("A failed prioritize call never ends a cycle: its scores are missing, and nothing says so.")
            if call["role"] == "prioritize"
            else _("The extender is ignorable, so the cycle went on without it.")
        )
    if any(score not in SCORES for score in result.get("scores", {}).values()):
        notes.append(_("Scores are meant to be from 0 to 10. kube-scheduler does not check it: they count in full."))
    if call["role"] == "bind" and "error" not in call:
        notes.append(
            _(
                "The lab binds the pod in the extender's place. A real extender has to write the binding to the API "
                "server itself; the published address does not."
            )
        )
    if call.get("omitted"):
        notes.append(
            ngettext(
                "The JSON leaves out %(count)s more node.", "The JSON leaves out %(count)s more nodes.", call["omitted"]
            )
            % {"count": call["omitted"]}
        )
    return notes


def _lines(data: Any) -> tuple[list[SafeString], bool]:
    """(the JSON as highlighted lines, whether some are left out)."""
    if data is None:
        return [], False
    lines = json.dumps(data, ensure_ascii=False, indent=2).split("\n")
    return list(highlighted_json("\n".join(lines[:MOST_LINES]))), len(lines) > MOST_LINES


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown}, …" if len(names) > MOST_NAMED else shown


def _number(seconds: float | None) -> str:
    return "∞" if seconds is None else f"{seconds:g}"
