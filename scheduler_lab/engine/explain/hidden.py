"""What a failure text leaves unsaid: which taint, the next obstacle, the real one behind preemption, who keeps room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from scheduler_lab.engine.evidence import N_, Text, text
from scheduler_lab.engine.explain.edits.homes import Book
from scheduler_lab.engine.explain.fixes.families.devices import devices
from scheduler_lab.engine.explain.fixes.families.host_ports import host_ports
from scheduler_lab.engine.explain.fixes.families.node_affinity import node_affinity
from scheduler_lab.engine.explain.fixes.families.pod_affinity import pod_affinity
from scheduler_lab.engine.explain.fixes.families.pod_anti_affinity import pod_anti_affinity
from scheduler_lab.engine.explain.fixes.families.resources import resources
from scheduler_lab.engine.explain.fixes.families.scheduler_name import DEFAULT, unserved
from scheduler_lab.engine.explain.fixes.families.spread import spread
from scheduler_lab.engine.explain.fixes.families.taints import taints
from scheduler_lab.engine.explain.fixes.families.unschedulable import unschedulable
from scheduler_lab.engine.explain.fixes.families.volumes import volumes
from scheduler_lab.engine.explain.fixes.model import Budget, Candidate
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation
from scheduler_lab.engine.explain.fixes.trial import Laboratory, OutOfBudget
from scheduler_lab.engine.explain.reasons import NO_VICTIMS, UNRESOLVABLE, as_json, dry_runs, rejected
from scheduler_lab.engine.manifests import FILES, Manifest, load
from scheduler_lab.engine.record import Cycle, Record

Json = dict[str, Any]
BUDGET: Final = Budget(runs=12, seconds=2.0)
UNTOLERATED: Final = N_("The pod does not tolerate the taint %(taint)s of %(nodes)s.")
SHOWN = 3
_TRIED = 3

_FAMILIES: Final[dict[str, tuple[Callable[[Situation], Iterator[Candidate]], ...]]] = {
    "NodeUnschedulable": (unschedulable,),
    "TaintToleration": (taints,),
    "NodeAffinity": (node_affinity,),
    "NodePorts": (host_ports,),
    "NodeResourcesFit": (resources,),
    "VolumeRestrictions": (volumes,),
    "NodeVolumeLimits": (volumes,),
    "VolumeBinding": (volumes,),
    "VolumeZone": (volumes,),
    "PodTopologySpread": (spread,),
    "InterPodAffinity": (pod_anti_affinity, pod_affinity),
    "DynamicResources": (devices,),
}


def hidden(
    record: Record | Json, cycle: Cycle | Json, source: Manifest | str | None = None, *, budget: Budget = BUDGET
) -> list[Text]:
    """What the cycle's failure text does not say, most useful first.

    With the text of the run (`source`) it is also tried what the nodes' next obstacle is, by running the smallest edit
    that removes the one that is told; only for the pod's last attempt, and within the budget.
    """
    data = as_json(cycle)
    if not (data.get("result") or {}).get("code"):
        return []
    following: list[Text] = []
    if source is not None:
        manifest = load(source, FILES) if isinstance(source, str) else source
        whole = record.to_builtins() if isinstance(record, Record) else record
        data, following = _next(Book(manifest), whole, data, budget)
    return [*_taints(data), *_behind_preemption(data), *following, *_kept_room(data)]


def bypassed(source: Manifest | str, record: Record | Json, pod_key: str) -> Text | None:
    """Why a pod never came to an attempt: its own nodeName, an unserved schedulerName, gates. None for any other."""
    manifest = load(source, FILES) if isinstance(source, str) else source
    whole = record.to_builtins() if isinstance(record, Record) else record
    situation = Situation(Book(manifest), whole, pod_key)
    if situation.cycle_index is not None or situation.pod is None or pod_key not in whole.get("pods", {}):
        return None
    spec = situation.pod.spec
    if spec.node_name:
        return text(
            N_("%(pod)s names %(node)s itself (spec.nodeName): no scheduler looks at it, only the kubelet does."),
            pod=pod_key,
            node=spec.node_name,
        )
    if unserved(situation):
        name = spec.scheduler_name or DEFAULT
        return text(
            N_("%(pod)s asks for the scheduler %(name)s, which is not here: no attempt, no event, it stays Pending."),
            pod=pod_key,
            name=name,
        )
    if spec.scheduling_gates:
        return text(N_("%(pod)s has scheduling gates: it is not queued, so there is no attempt."), pod=pod_key)
    return None


def _names(nodes: list[str]) -> str:
    return ", ".join(nodes[:SHOWN]) + (f", +{len(nodes) - SHOWN}" if len(nodes) > SHOWN else "")


def _taints(cycle: Json) -> Iterator[Text]:
    """The taints by name."""
    evidence = (cycle.get("x-evidence") or {}).get("filter", {})
    nodes: dict[str, list[str]] = {}
    for node, verdict in rejected(cycle).items():
        table = (evidence.get(node, {}).get("TaintToleration") or {}).get("table")
        if verdict["plugin"] == "TaintToleration" and table:
            for index in table.get("highlight", []):
                nodes.setdefault(table["rows"][index][0], []).append(node)
    for taint, names in nodes.items():
        yield text(UNTOLERATED, taint=taint, nodes=_names(names))


def _behind_preemption(cycle: Json) -> Iterator[Text]:
    """Why preemption is no help: per plugin where it is not tried, and what its dry runs met."""
    if "preemption: " not in str((cycle.get("result") or {}).get("message", "")):
        return
    for why in dict.fromkeys(dry_runs(cycle).values()):
        names = _names([node for node, reason in dry_runs(cycle).items() if reason == why])
        if why == NO_VICTIMS:
            yield text(N_("No pod on %(nodes)s is less important than this one, so none can be removed."), nodes=names)
        else:
            yield text(
                N_("Even without less important pods, %(nodes)s would not do: %(reason)s. That is the real obstacle."),
                nodes=names,
                reason=why,
            )
    plugins: dict[str, list[str]] = {}
    for node, verdict in rejected(cycle).items():
        if verdict["code"] == UNRESOLVABLE:
            plugins.setdefault(verdict["plugin"], []).append(node)
    for plugin, nodes in plugins.items():
        yield text(
            N_("Preemption is not tried on %(nodes)s: removing pods does not change what %(plugin)s objects to."),
            nodes=_names(nodes),
            plugin=plugin,
        )


def _kept_room(cycle: Json) -> Iterator[Text]:
    """Nodes on which Filter counted pods that are only nominated."""
    nominated = {node["name"]: node.get("nominated", []) for node in cycle.get("x-cluster", [])}
    for name in cycle.get("filterWithNominatedPods", [])[:SHOWN]:
        pods = [pod for pod in nominated.get(name, []) if pod != cycle["pod"]]
        if pods:
            yield text(N_("%(node)s keeps room for %(pods)s, nominated to it."), node=name, pods=", ".join(pods))


# -- the next obstacle -------------------------------------------------------------------------------------------


def _next(book: Book, record: Json, cycle: Json, budget: Budget) -> tuple[Json, list[Text]]:
    """The cycle, with evidence if the budget allowed that, and what stands behind the obstacles it tells."""
    laboratory = Laboratory(cycle["pod"], budget)
    found: dict[tuple[str, str, str], list[str]] = {}
    try:
        situation = laboratory.explained(book, record, cycle["pod"])
        if situation.pod is None or situation.cycle.get("attempt") != cycle.get("attempt"):
            return cycle, []
        cycle = situation.cycle
        for rejection in _one_of_each(situation.rejections):
            met = _met(laboratory, situation, rejection)
            if met is not None:
                found.setdefault((rejection.plugin, *met), []).append(rejection.node)
    except OutOfBudget:
        pass
    return cycle, [
        text(
            N_("%(nodes)s: with what %(plugin)s objects to out of the way, %(next)s says: %(reason)s."),
            nodes=_names(nodes),
            plugin=plugin,
            next=following,
            reason=reason,
        )
        for (plugin, following, reason), nodes in found.items()
    ][:SHOWN]


def _one_of_each(rejections: list[Rejection]) -> list[Rejection]:
    """Up to two nodes of each plugin."""
    counts: dict[str, int] = {}
    chosen = []
    for rejection in rejections:
        counts[rejection.plugin] = counts.get(rejection.plugin, 0) + 1
        if counts[rejection.plugin] <= 2:
            chosen.append(rejection)
    return chosen


def _met(laboratory: Laboratory, situation: Situation, rejection: Rejection) -> tuple[str, str] | None:
    """(plugin, reason) of the node's verdict once the first obstacle is gone; None when it passes or nothing helped."""
    narrowed = Situation(situation.book, situation.record, situation.pod_key)
    narrowed.__dict__["rejections"] = [rejection]
    candidates = [c for family in _FAMILIES.get(rejection.plugin, ()) for c in family(narrowed)]
    candidates.sort(key=lambda candidate: (not _is_about(candidate, rejection.node), candidate.rank, candidate.weight))
    for candidate in candidates[:_TRIED]:
        trial = laboratory.attempt(situation.book, (candidate,), candidate.changes)
        if trial is None:
            continue
        if trial.works:
            return None
        verdict = rejected(Situation(trial.book, trial.record, trial.pod).cycle).get(rejection.node)
        if verdict is None:
            return None
        if verdict["plugin"] != rejection.plugin:
            return verdict["plugin"], ", ".join(verdict.get("reasons", []))
    return None


def _is_about(candidate: Candidate, node: str) -> bool:
    targets = [getattr(change, "target", None) for change in candidate.changes]
    return all(target is not None and target.kind == "Node" and target.name == node for target in targets)
