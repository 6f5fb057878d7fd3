"""The JSON that kube-scheduler and an extender exchange (k8s.io/kube-scheduler/extender/v1, kube-scheduler v1.35).

The Go types carry no JSON tags, so the wire has their own names: `Pod`, `Nodes`, `NodeNames`, `FailedNodes`, `Host`.
Members without a value are sent as null. The pod and the nodes inside are written as the Kubernetes API writes them,
without apiVersion and kind, which the scheduler's cache does not keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scheduler_lab.engine.custom.extender_rules import OK, BindAnswer, FilterAnswer, PreemptionAnswer, ScoreAnswer
from scheduler_lab.engine.objects.codec import to_dict
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import Pod

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP status and the JSON that comes with it."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Victims:
    """Whom preemption would evict from a node, by UID."""

    uids: list[str] = field(default_factory=list)
    violations: int = 0


# -- what the scheduler sends ------------------------------------------------------------------------------------------


def nodes_request(pod: Pod, nodes: Sequence[Node], *, names_only: bool) -> Json:
    """ExtenderArgs, of filter and prioritize. `names_only` is the configuration's nodeCacheCapable."""
    return {
        "Pod": bare(pod),
        "Nodes": None if names_only else {"metadata": {}, "items": [bare(node) for node in nodes]},
        "NodeNames": [node.metadata.name for node in nodes] if names_only else None,
    }


def preemption_request(pod: Pod, victims: Mapping[str, tuple[Sequence[Pod], int]], *, uids_only: bool) -> Json:
    """ExtenderPreemptionArgs: victims and violated disruption budgets by node."""
    whole = {
        node: {"Pods": [bare(each) for each in pods], "NumPDBViolations": violations}
        for node, (pods, violations) in victims.items()
    }
    brief = {
        node: _meta_victims([each.metadata.uid for each in pods], violations)
        for node, (pods, violations) in victims.items()
    }
    return {
        "Pod": bare(pod),
        "NodeNameToVictims": None if uids_only else whole,
        "NodeNameToMetaVictims": brief if uids_only else None,
    }


def bind_request(pod: Pod, node: str) -> Json:
    """ExtenderBindingArgs."""
    meta = pod.metadata
    return {"PodName": meta.name, "PodNamespace": meta.namespace, "PodUID": meta.uid, "Node": node}


def bare(item: Pod | Node) -> Json:
    """An object of the API without apiVersion and kind, and with the status that is never left out."""
    data = to_dict(item)
    return {key: value for key, value in data.items() if key not in ("apiVersion", "kind")} | {
        "status": data.get("status", {})
    }


# -- what an extender replies ------------------------------------------------------------------------------------------


def filter_reply(answer: FilterAnswer, nodes: Iterable[tuple[str, Any]], *, names_only: bool) -> Reply:
    """ExtenderFilterResult: the nodes that are left, as they came, or their names."""
    if answer.status != OK:
        return refusal(answer.status)
    left = [] if answer.error else [(name, node) for name, node in nodes if answer.passes(name)]
    whole = None if names_only or answer.error else {"metadata": {}, "items": [node for _, node in left]}
    body = {
        "Nodes": whole,
        "NodeNames": [name for name, _ in left] if names_only and not answer.error else None,
        "FailedNodes": answer.failed,
        "FailedAndUnresolvableNodes": answer.unresolvable,
        "Error": answer.error,
    }
    return Reply(OK, body)


def prioritize_reply(answer: ScoreAnswer) -> Reply:
    """HostPriorityList: a list, without anything around it."""
    if answer.status != OK:
        return refusal(answer.status)
    return Reply(OK, [{"Host": node, "Score": score} for node, score in answer.scores.items()])


def preemption_reply(answer: PreemptionAnswer, victims: Mapping[str, Victims]) -> Reply:
    """ExtenderPreemptionResult: always by UID."""
    if answer.status != OK:
        return refusal(answer.status, answer.error)
    kept = {node: _meta_victims(victims[node].uids, victims[node].violations) for node in answer.kept}
    return Reply(OK, {"NodeNameToMetaVictims": kept})


def bind_reply(answer: BindAnswer) -> Reply:
    """ExtenderBindingResult."""
    return refusal(answer.status) if answer.status != OK else Reply(OK, {"Error": answer.error})


def refusal(status: int, text: str = "") -> Reply:
    """A status other than 200. The scheduler does not read what comes with it."""
    return Reply(status, {"error": text or f"the rules of this extender answer with status {status}"})


def _meta_victims(uids: Iterable[str], violations: int) -> Json:
    return {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": violations}
