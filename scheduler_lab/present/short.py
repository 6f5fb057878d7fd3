"""A cycle in short, for somebody who has seen nothing else of it: why this outcome, and what would have changed it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scheduler_lab.present.facts import CycleFacts, short_name
from scheduler_lab.present.links import Links
from scheduler_lab.present.names import around, natural
from scheduler_lab.present.phases import Phase
from scheduler_lab.present.texts import translated
from scheduler_lab.present.turning import turning_points
from scheduler_lab.present.verdicts import Verdict
from scheduler_lab.present.vocabulary import short_reason

MOST_NODES = 3
MOST_PLUGINS = 4


@dataclass(frozen=True)
class Pointer:
    """Something that would have changed the outcome; with `url` its node leads to the numbers."""

    text: str
    node: str = ""
    url: str = ""

    @property
    def around(self) -> tuple[str, str]:
        """The text before and after the node's name."""
        return around(self.node, self.text)


@dataclass(frozen=True)
class Short:
    """`lead` is the outcome, `because` the reasons in sentences, `changes` what would have made another outcome.

    `more` leads to where the rest is told: (text, address).
    """

    verdict: Verdict
    lead: str
    because: list[str] = field(default_factory=list)
    changes: list[Pointer] = field(default_factory=list)
    more: tuple[str, str] | None = None

    @property
    def others(self) -> bool:
        """Whether `changes` are about nodes that were rejected although the pod got one."""
        return self.verdict == "chosen" and any(change.url for change in self.changes)

    @property
    def spoken(self) -> str:
        """Outcome and reasons in one, for a screen reader."""
        return " ".join([self.lead, *self.because])


def build(facts: CycleFacts, everything: list[CycleFacts], stops: list[Phase], links: Links) -> Short:
    """The cycle in short; `everything` are all cycles of the run, `stops` its extension points."""
    if not facts.code:
        return _placed(facts, everything, links)
    if facts.code == "Wait":
        return _waiting(facts)
    if facts.result.get("nominatedNode"):
        return _preempting(facts, everything, links)
    return _failed(facts, everything, stops, links)


def nominating(facts: CycleFacts, everything: list[CycleFacts]) -> CycleFacts | None:
    """The attempt that nominated the pod of a cycle to the node where it is tried first; None without one."""
    nominated = (facts.previous or {}).get("result", {}).get("nominatedNode")
    if not nominated or list(facts.filtered) != [nominated] or facts.node != nominated or facts.ranking:
        return None
    return next((one for one in everything if one.cycle is facts.previous), None)


def _names(names: list[str], most: int = MOST_NODES) -> str:
    if len(names) <= most:
        return ", ".join(names)
    return _("%(names)s and %(count)s more") % {"names": ", ".join(names[:most]), "count": len(names) - most}


# -- placed ----------------------------------------------------------------------------------------------------------


def _placed(facts: CycleFacts, everything: list[CycleFacts], links: Links) -> Short:
    lead = _("%(pod)s went to %(node)s.") % {"pod": short_name(facts.pod), "node": facts.node}
    if decided := nominating(facts, everything):
        return _nominated_before(lead, decided, links)
    because = [*_sampled(facts), _why_node(facts), *_by_plugin(facts)]
    if any(entry["code"] == "Wait" for entry in facts.entries("permit")):
        because.append(_("Before it was bound it waited at Permit, until it was allowed."))
    if facts.margin and not facts.margin.tied:
        changes = [Pointer(text) for text in turning_points(facts)]
    elif facts.margin:
        changes = [Pointer(_("One point more for any of them would have decided."))]
    else:
        changes = list(_rejected_nodes(facts, links))
    return Short("chosen", lead, because, changes)


def _why_node(facts: CycleFacts) -> str:
    left, total = len(facts.feasible), facts.total_nodes
    seen = len(facts.filtered) or total
    if facts.margin and facts.margin.tied:
        return _(
            "%(left)s of %(total)s nodes passed Filter, and %(names)s have the same highest total, %(points)s. "
            "kube-scheduler takes the one that its heap has on top, at random only where an extender scored; the lab "
            "takes the smallest name, so that a run repeats."
        ) % {
            "left": left,
            "total": seen,
            "names": _names([facts.margin.winner, *facts.margin.tied]),
            "points": facts.ranking[0][1],
        }
    if facts.margin:
        return _(
            "%(left)s of %(total)s nodes passed Filter, so the scores decided: %(node)s has %(points)s in total, "
            "%(ahead)s more than %(next)s."
        ) % {
            "left": left,
            "total": seen,
            "node": facts.margin.winner,
            "points": facts.ranking[0][1],
            "ahead": facts.margin.points,
            "next": facts.margin.runner_up,
        }
    if total <= 1:
        return _("It is the only node of the cluster, and it passed Filter.")
    narrowed = next((entry["plugin"] for entry in facts.entries("preFilter") if entry.get("nodeNames")), "")
    if narrowed and left == 1:
        return _("In PreFilter %(plugin)s ruled out every other node, and it passed Filter; nothing was scored.") % {
            "plugin": narrowed
        }
    if left == 1 and len(facts.filtered) == total:
        return _("Of %(total)s nodes it is the only one that passed Filter, so nothing was scored.") % {"total": total}
    return _("It passed Filter, and nothing was scored.")


def _sampled(facts: CycleFacts) -> Iterator[str]:
    """That the search ended early, as it does in large clusters."""
    seen, total = len(facts.filtered), facts.total_nodes
    if facts.ranking and seen < total and not any(entry.get("nodeNames") for entry in facts.entries("preFilter")):
        yield _(
            "In large clusters kube-scheduler looks only until it has found enough nodes (percentageOfNodesToScore): "
            "%(seen)s of %(total)s were looked at."
        ) % {"seen": seen, "total": total}


def _by_plugin(facts: CycleFacts) -> Iterator[str]:
    """Whose points made the difference, where more than one plugin's did."""
    if not facts.margin or facts.margin.tied or not facts.margin.by_plugin:
        return
    pro = [f"{plugin} +{points}" for plugin, points in facts.margin.by_plugin if points > 0]
    con = [f"{plugin} −{-points}" for plugin, points in facts.margin.by_plugin if points < 0]
    if con:
        yield _("Compared with %(next)s, for it: %(pro)s; against it: %(con)s.") % {
            "next": facts.margin.runner_up,
            "pro": _names(pro, MOST_PLUGINS),
            "con": _names(con, MOST_PLUGINS),
        }
    else:
        yield _("Compared with %(next)s, for it: %(pro)s; nothing against it.") % {
            "next": facts.margin.runner_up,
            "pro": _names(pro, MOST_PLUGINS),
        }


def _nominated_before(lead: str, decided: CycleFacts, links: Links) -> Short:
    victims = [short_name(pod) for pod in decided.result.get("victims", [])]
    because = _(
        "Its attempt before had found no room, so preemption nominated it to %(node)s and removed %(victims)s. "
        "Now that node alone was tried first, and it passes; nothing was scored."
    ) % {"node": decided.result["nominatedNode"], "victims": _names(victims) or _("nobody")}
    more = _("Why that node: cycle %(number)s") % {"number": decided.number}
    return Short("chosen", lead, [because], [], (more, links.cycle(decided.number)))


def _rejected_nodes(facts: CycleFacts, links: Links) -> Iterator[Pointer]:
    """What the nodes that Filter rejected would have needed: the evidence's sentence, else the reason."""
    groups = [
        [(node, plugin, reasons) for node in sorted(nodes, key=natural)]
        for (plugin, _code, reasons), nodes in facts.rejections().items()
    ]
    # One of each kind first, then more of the first kinds.
    ordered = [*(group[0] for group in groups), *(entry for group in groups for entry in group[1:])]
    for node, plugin, reasons in ordered[:MOST_NODES]:
        found = facts.evidence("filter", node, plugin)
        said = translated(found["sentence"]) if found and found.get("sentence") else ""
        url = links.to(phase="Filter", node=node, plugin=plugin, anchor=f"c-{node}-{plugin}")
        yield Pointer(said or ", ".join(short_reason(reason) for reason in reasons), node, url)
    left = len(ordered) - MOST_NODES
    if left > 0:
        said = ngettext("%(count)s further node was rejected.", "%(count)s further nodes were rejected.", left)
        yield Pointer(said % {"count": left})


# -- not placed ------------------------------------------------------------------------------------------------------


def _waiting(facts: CycleFacts) -> Short:
    waits = [entry for entry in facts.entries("permit") if entry["code"] == "Wait"]
    lead = _("%(pod)s holds %(node)s, but is not bound yet.") % {"pod": short_name(facts.pod), "node": facts.node}
    because = _(
        "%(plugins)s makes it wait at Permit, the last gate before binding. Meanwhile what it requests counts as used "
        "there. After %(seconds)s s without being allowed it is rejected and gives the place back."
    ) % {
        "plugins": ", ".join(entry["plugin"] for entry in waits),
        "seconds": f"{min((entry.get('timeoutSeconds', 0) for entry in waits), default=0):g}",
    }
    return Short("wait", lead, [because, *_permit_says(facts)])


def _permit_says(facts: CycleFacts) -> Iterator[str]:
    """What the plugins that made the pod wait say of it, e.g. how much of its gang is there."""
    for entry in facts.entries("permit"):
        found = facts.evidence("permit", entry["plugin"])
        if entry["code"] == "Wait" and found and found.get("sentence"):
            yield translated(found["sentence"])


def _preempting(facts: CycleFacts, everything: list[CycleFacts], links: Links) -> Short:
    victims = [short_name(pod) for pod in facts.result.get("victims", [])]
    lead = _("%(pod)s found no room, so preemption made some on %(node)s.") % {
        "pod": short_name(facts.pod),
        "node": facts.result["nominatedNode"],
    }
    because = [_counted(facts), _("Removed for it: %(victims)s.") % {"victims": _names(victims, 6) or _("nobody")}]
    for entry in facts.entries("postFilter"):
        found = facts.evidence("postFilter", entry["plugin"])
        if entry.get("nominatedNode") and found:
            because.append(translated(found["sentence"]))
    return Short("reject", lead, because, [], _next(facts, everything, links))


def _failed(facts: CycleFacts, everything: list[CycleFacts], stops: list[Phase], links: Links) -> Short:
    pod, more = short_name(facts.pod), _next(facts, everything, links)
    if facts.code == "Error":
        return _broken(facts, more)
    if facts.filtered and not facts.feasible:
        lead = _("%(pod)s got no node: none passed Filter.") % {"pod": pod}
        because = [_counted(facts), *_preemption(facts)]
        return Short("reject", lead, because, list(_rejected_nodes(facts, links)), more)
    stop = next((stop for stop in stops if stop.verdict in ("reject", "unresolvable")), None)
    if stop is None:
        return Short("reject", _("%(pod)s got no node.") % {"pod": pod}, [facts.message], [], more)
    lead = _("%(pod)s got no node: %(point)s turned it away.") % {"pod": pod, "point": stop.name}
    because = [_sentence(stop.note, facts), *_permit_says(facts)]
    if facts.entries("unreserve"):
        because.append(_("What it held on the node was given back."))
    return Short("reject", lead, because, [], more)


def _broken(facts: CycleFacts, more: tuple[str, str] | None) -> Short:
    """An error ends the cycle where it happens; whatever else was found out in it does not count."""
    lead = _("%(pod)s got no node: an error ended the cycle.") % {"pod": short_name(facts.pod)}
    because = [
        facts.message,
        _("An error is no verdict on a node: no other node is tried, and the pod comes back after its backoff."),
    ]
    if facts.entries("unreserve"):
        because.append(_("What it held on the node was given back."))
    return Short("reject", lead, because, [], more)


def _sentence(note: str, facts: CycleFacts) -> str:
    """A stop's note as a sentence of its own; a plugin's name keeps its letters."""
    plugins = {entry["plugin"] for entries in facts.cycle.values() if isinstance(entries, list) for entry in entries
               if isinstance(entry, dict) and "plugin" in entry}  # fmt: skip
    return note if note.startswith(tuple(plugins)) else note[:1].upper() + note[1:]


def _next(facts: CycleFacts, everything: list[CycleFacts], links: Links) -> tuple[str, str] | None:
    """The address of the pod's next attempt."""
    following = next((one for one in everything if one.previous is facts.cycle), None)
    if following is None:
        return None
    return _("Its next attempt: cycle %(number)s") % {"number": following.number}, links.cycle(following.number)


def _counted(facts: CycleFacts) -> str:
    """E.g. "Rejected: 3 nodes (selector does not match), 1 node (cordoned)."."""
    parts = [
        ngettext("%(count)s node (%(reason)s)", "%(count)s nodes (%(reason)s)", len(nodes))
        % {"count": len(nodes), "reason": ", ".join(short_reason(reason) for reason in reasons)}
        for (_plugin, _code, reasons), nodes in facts.rejections().items()
    ]
    return _("Filter rejected %(nodes)s.") % {"nodes": _names(parts, 4)}


def _preemption(facts: CycleFacts) -> Iterator[str]:
    """Why preemption did not help, in the words of the evidence."""
    found = facts.evidence("postFilter", "DefaultPreemption")
    if found and found.get("sentence"):
        yield translated(found["sentence"])
