"""The strip of extension points of one cycle: what each did, how far the cycle came, and a sentence on each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.present.facts import REJECTED, CycleFacts, Json
from scheduler_lab.present.verdicts import Verdict, of_code, word
from scheduler_lab.present.vocabulary import PHASES, in_order


@dataclass(frozen=True)
class Phase:
    """One stop: `state` is the line under its name, `note` the sentence shown when it is looked at."""

    name: str
    verdict: Verdict
    state: str
    note: str

    @property
    def word(self) -> str:
        return word(self.verdict)


def phases(facts: CycleFacts, record: Json) -> list[Phase]:
    """All extension points in upstream order. After the one that ended the cycle, the rest is "not reached"."""
    stops: list[Phase] = []
    ended = False
    for name in PHASES:
        if ended and not (name == "PostFilter" and stops[-1].name == "Filter"):
            stops.append(_not_reached(name, facts))
            continue
        stop = _READERS[name](facts, record)
        ended = (
            ended or (stop.verdict in ("reject", "unresolvable") and name != "PreEnqueue") or _still_waits(facts, name)
        )
        stops.append(replace(stop, name=name))
    return _blame_error(stops, facts)


def telling(stops: list[Phase], facts: CycleFacts) -> str:
    """The extension point that decided: where it was rejected or waits, else Score when it ran, else Filter."""
    for stop in stops:
        if stop.verdict in ("reject", "unresolvable", "wait") and stop.name not in ("PreEnqueue", "PostFilter"):
            return stop.name
    return "Filter" if facts.filtered else "PreFilter"


def _still_waits(facts: CycleFacts, name: str) -> bool:
    return name == "Permit" and facts.code == "Wait"


def _not_reached(name: str, facts: CycleFacts) -> Phase:
    if facts.code == "Wait":
        return Phase(name, "none", _("not yet"), _("comes when the pod is allowed at Permit."))
    return Phase(name, "none", _("not reached"), _("the cycle ended before it."))


def _blame_error(stops: list[Phase], facts: CycleFacts) -> list[Phase]:
    """A cycle that failed without a rejecting entry failed where the record ends; mark that stop."""
    if (
        not facts.code
        or facts.code == "Wait"
        or any(stop.verdict in ("reject", "unresolvable") for stop in stops if stop.name != "PostFilter")
    ):
        return stops
    at = _last_recorded(facts)
    return [
        replace(stop, verdict="reject", state=_("error"), note=facts.message)
        if stop.name == at
        else _not_reached(stop.name, facts)
        if PHASES.index(stop.name) > PHASES.index(at)
        else stop
        for stop in stops
    ]


def _last_recorded(facts: CycleFacts) -> str:
    cycle = facts.cycle
    if not facts.filtered:
        return "Filter" if "preFilter" in cycle else "PreFilter"
    if facts.binder or "preBind" in cycle:
        return "Bind"
    if "reserve" in cycle:
        return "PreBind"
    return "Score" if "preScore" in cycle else "Filter"


def _names(plugins: list[str]) -> str:
    names = in_order(plugins)
    if len(names) > 4:
        return _("%(names)s and %(count)s more") % {"names": ", ".join(names[:3]), "count": len(names) - 3}
    return ", ".join(names)


def _pre_enqueue(facts: CycleFacts, record: Json) -> Phase:
    held = [entry for entry in record.get("preEnqueue", []) if entry["pod"] == facts.pod]
    if not held:
        return Phase("", "pass", _("admitted"), _("lets the pod into the queue: nothing holds it back."))
    entry = held[0]
    return Phase(
        "",
        "pass",
        _("held before"),
        _("let the pod in after %(plugin)s had held it: %(reasons)s.")
        % {"plugin": entry["plugin"], "reasons": ", ".join(entry.get("reasons", []))},
    )


def _queue_sort(facts: CycleFacts, record: Json) -> Phase:
    behind = len(set(facts.cycle.get("x-queue", {}).get("active", [])) - {facts.pod})
    place = _("%(number)s of %(count)s") % {"number": facts.number, "count": len(record.get("cycles", []))}
    note = _("picks the pod with the highest priority, then the one that came first.")
    if behind:
        note += " " + ngettext("%(count)s pod waits behind it.", "%(count)s pods wait behind it.", behind) % {
            "count": behind
        }
    return Phase("", "pass", place, note)


def _pre_filter(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("preFilter")
    if not entries:
        if facts.code and not facts.filtered:
            return Phase("", "reject", _("no nodes"), facts.message)
        return Phase("", "skip", _("no plugin"), _("no plugin is enabled here."))
    bad = [entry for entry in entries if entry["code"] in REJECTED]
    if bad:
        return _turned_away(bad[-1])
    narrowing = [entry for entry in entries if entry.get("nodeNames")]
    if narrowing and not facts.filtered and facts.code not in ("", "Error"):
        said = [*(_narrows(entry) for entry in narrowing), _("That leaves no node for Filter to look at.")]
        return Phase("", "unresolvable", _("no node"), " ".join(said))
    working = [entry["plugin"] for entry in entries if entry["code"] == "Success"]
    skipped = len(entries) - len(working)
    state = _("%(working)s of %(count)s") % {"working": len(working), "count": len(entries)}
    if not working:
        return Phase("", "skip", state, _("no plugin has anything to prepare for this pod."))
    note = ngettext("%(names)s has work to do.", "%(names)s have work to do.", len(working)) % {
        "names": _names(working)
    }
    if skipped:
        note += " " + ngettext("%(count)s plugin skips this pod.", "%(count)s plugins skip this pod.", skipped) % {
            "count": skipped
        }
    for entry in entries:
        if entry.get("nodeNames"):
            note += " " + _narrows(entry)
    return Phase("", "pass", state, note)


def _narrows(entry: Json) -> str:
    return _("%(plugin)s narrows the search to %(nodes)s.") % {
        "plugin": entry["plugin"],
        "nodes": ", ".join(entry["nodeNames"][:5]),
    }


def _turned_away(entry: Json) -> Phase:
    state = _("error") if entry["code"] == "Error" else _("rejected")
    return Phase("", of_code(entry["code"]), state, _rejection(entry))


def _rejection(entry: Json) -> str:
    if entry["code"] == "Error":
        return _("%(plugin)s ended in an error: %(reasons)s.") % {
            "plugin": entry["plugin"],
            "reasons": ", ".join(entry.get("reasons", [])) or entry["code"],
        }
    return _("%(plugin)s rejects the pod: %(reasons)s.") % {
        "plugin": entry["plugin"],
        "reasons": ", ".join(entry.get("reasons", [])) or entry["code"],
    }


def _filter(facts: CycleFacts, record: Json) -> Phase:
    for verdicts in facts.filtered.values():
        if verdicts and verdicts[-1]["code"] == "Error":
            return _turned_away(verdicts[-1])
    left, looked_at = len(facts.feasible), len(facts.filtered)
    if not looked_at:
        verdict: Verdict = "reject" if facts.code else "skip"
        return Phase("", verdict, _("no node"), _("no node was left to look at."))
    state = ngettext("%(left)s of %(count)s node", "%(left)s of %(count)s nodes", looked_at) % {
        "left": left,
        "count": looked_at,
    }
    if not left:
        return Phase("", "reject", state, _("leaves no node.") + _reasons(facts))
    if left == looked_at:
        note = ngettext("the node passes every plugin.", "all %(count)s nodes pass every plugin.", left) % {
            "count": left
        }
    else:
        note = _("leaves %(nodes)s.") % {"nodes": _some(facts.feasible)} + _reasons(facts)
    if looked_at < facts.total_nodes and not facts.tried_nominated_first:
        note += " " + _("%(seen)s of %(total)s nodes were looked at.") % {"seen": looked_at, "total": facts.total_nodes}
    if facts.tried_nominated_first:
        note = _("only the nominated node was looked at, and it passes.")
    return Phase("", "pass", state, note)


def _some(nodes: list[str], most: int = 4) -> str:
    if len(nodes) <= most:
        return ", ".join(nodes)
    return _("%(names)s and %(count)s more") % {"names": ", ".join(nodes[: most - 1]), "count": len(nodes) - most + 1}


def _reasons(facts: CycleFacts) -> str:
    parts = [
        ngettext("%(plugin)s rejects %(count)s node", "%(plugin)s rejects %(count)s nodes", count)
        % {"plugin": plugin, "count": count}
        for plugin, count in _by_plugin(facts).items()
    ]
    return " " + ", ".join(parts) + "." if parts else ""


def _by_plugin(facts: CycleFacts) -> dict[str, int]:
    counts: dict[str, int] = {}
    for (plugin, _code, _why), nodes in facts.rejections().items():
        counts[plugin] = counts.get(plugin, 0) + len(nodes)
    return counts


def _post_filter(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("postFilter")
    if not entries:
        if facts.feasible:
            return Phase("", "skip", _("not needed"), _("runs only when no node is left."))
        return Phase("", "skip", _("not run"), _("no plugin ran here."))
    victims = facts.result.get("victims", [])
    if nominated := facts.result.get("nominatedNode"):
        state = ngettext("%(count)s victim", "%(count)s victims", len(victims)) % {"count": len(victims)}
        note = _("nominates the pod to %(node)s; preempted: %(victims)s.") % {
            "node": nominated,
            "victims": _some([name.removeprefix("default/") for name in victims], 6) or _("nobody"),
        }
        return Phase("", "pass", state, note)
    last = entries[-1]
    return Phase("", of_code(last["code"]), _("no help"), "; ".join(", ".join(e.get("reasons", [])) for e in entries))


def _pre_score(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("preScore")
    if not entries:
        if len(facts.feasible) == 1:
            return Phase("", "skip", _("one node"), _("not needed: one node is left."))
        return Phase("", "skip", _("no plugin"), _("no plugin is enabled here."))
    bad = [entry for entry in entries if entry["code"] in REJECTED]
    if bad:
        return _turned_away(bad[-1])
    working = [entry["plugin"] for entry in entries if entry["code"] == "Success"]
    note = ngettext("%(names)s will score.", "%(names)s will score.", len(working)) % {
        "names": _names(working) or _("no plugin")
    }
    skipped = len(entries) - len(working)
    if skipped:
        note += " " + ngettext("%(count)s plugin skips this pod.", "%(count)s plugins skip this pod.", skipped) % {
            "count": skipped
        }
    return Phase("", "pass", _("%(working)s of %(count)s") % {"working": len(working), "count": len(entries)}, note)


def _score(facts: CycleFacts, record: Json) -> Phase:
    if not facts.ranking:
        if len(facts.feasible) == 1:
            return Phase("", "skip", _("one node"), _("not needed: one node is left."))
        return Phase("", "skip", _("no plugin"), _("no plugin scores; the first node that passed is taken."))
    best, points = facts.ranking[0]
    if facts.margin and facts.margin.tied:
        note = _("%(node)s and %(others)s have the same total; the lab takes the smaller name.") % {
            "node": best,
            "others": _some(facts.margin.tied),
        }
    else:
        note = _("%(node)s has the highest total of %(count)s nodes.") % {"node": best, "count": len(facts.ranking)}
    return Phase("", "pass", _("%(points)s wins") % {"points": points}, note)


def _reserve(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("reserve")
    if not entries:
        return Phase("", "skip", _("no plugin"), _("no plugin is enabled here."))
    bad = [entry for entry in entries if entry["code"] in REJECTED]
    if bad:
        return _turned_away(bad[-1])
    note = _("%(names)s set aside what the pod needs on %(node)s.") % {
        "names": _names([entry["plugin"] for entry in entries]),
        "node": facts.node or _("the node"),
    }
    if "unreserve" in facts.cycle:
        note += " " + _("Later it was given back.")
    return Phase("", "pass", _("reserved"), note)


def _permit(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("permit")
    if not entries:
        return Phase("", "skip", _("no plugin"), _("no plugin is enabled here."))
    bad = [entry for entry in entries if entry["code"] in REJECTED]
    if bad:
        return _turned_away(bad[-1])
    waits = [entry for entry in entries if entry["code"] == "Wait"]
    if not waits:
        return Phase(
            "", "pass", _("allowed"), _("%(names)s allows the pod.") % {"names": _names([e["plugin"] for e in entries])}
        )
    about = _("%(plugin)s makes the pod wait, at most %(seconds)s s.") % {
        "plugin": _names([entry["plugin"] for entry in waits]),
        "seconds": min(entry.get("timeoutSeconds", 0) for entry in waits),
    }
    if facts.code == "Wait":
        return Phase("", "wait", _("waiting"), about)
    if not facts.code or facts.entries("preBind") or facts.entries("bind"):
        return Phase("", "wait", _("waited"), about + " " + _("Then it was allowed."))
    if "rejected due to timeout" in facts.message:
        said = _("It was not allowed in that time, so it was rejected.")
        return Phase("", "reject", _("timed out"), f"{about} {said}")
    return Phase("", "reject", _("rejected"), about + " " + facts.message)


def _pre_bind(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("preBind")
    bad = [entry for entry in entries if entry["code"] in REJECTED]
    if bad:
        return _turned_away(bad[-1])
    if not entries:
        return Phase("", "skip", _("nothing to do"), _("no volume and no claim to bind."))
    return Phase(
        "", "pass", _("prepared"), _("%(names)s prepared the node.") % {"names": _names([e["plugin"] for e in entries])}
    )


def _bind(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("bind")
    bad = [entry for entry in entries if entry["code"] in REJECTED]
    if bad:
        return _turned_away(bad[-1])
    by = next((entry["plugin"] for entry in entries if entry["code"] == "Success"), "")
    by = by or facts.binder
    if facts.code or not facts.node:
        return Phase("", "skip", _("not run"), _("no plugin ran here."))
    note = _("%(plugin)s writes spec.nodeName: %(node)s.") % {"plugin": by or "Bind", "node": facts.node}
    return Phase("", "pass", facts.node, note)


def _post_bind(facts: CycleFacts, record: Json) -> Phase:
    entries = facts.entries("postBind")
    if not entries:
        return Phase("", "skip", _("no plugin"), _("no plugin is enabled here."))
    return Phase("", "pass", _("told"), _("%(names)s was told.") % {"names": _names([e["plugin"] for e in entries])})


_READERS: dict[str, Callable[[CycleFacts, Json], Phase]] = {
    "PreEnqueue": _pre_enqueue,
    "QueueSort": _queue_sort,
    "PreFilter": _pre_filter,
    "Filter": _filter,
    "PostFilter": _post_filter,
    "PreScore": _pre_score,
    "Score": _score,
    "Reserve": _reserve,
    "Permit": _permit,
    "PreBind": _pre_bind,
    "Bind": _bind,
    "PostBind": _post_bind,
}
