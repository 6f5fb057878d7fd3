"""GangScheduling: a pod that waits for its siblings, or for its Workload."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Create, Ref, Remove, Set
from scheduler_lab.engine.explain.fixes.families.new_node import new_node
from scheduler_lab.engine.explain.fixes.families.resources import resources
from scheduler_lab.engine.explain.fixes.model import INTENDED, LARGE, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.scheduling import Workload

PLUGIN = "GangScheduling"


def gangs(situation: Situation) -> Iterator[Candidate]:
    """Help the sibling that fits nowhere, ask for a smaller gang, or leave it."""
    ref = situation.spec_pod.spec.workload_ref
    held = any(v["pod"] == situation.pod_key and v["plugin"] == PLUGIN for v in situation.record.get("preEnqueue", []))
    if ref is None or not (held or PLUGIN in situation.message):
        return
    siblings = [
        key
        for key, pod in situation.pods.items()
        if pod.spec.workload_ref is not None
        and (pod.spec.workload_ref.name, pod.spec.workload_ref.pod_group) == (ref.name, ref.pod_group)
    ]
    for key in siblings:
        if key != situation.pod_key and PLUGIN not in (sibling := _seen_from(situation, key)).message:
            yield from resources(sibling)
            yield from new_node(sibling)
    target = Ref("Workload", situation.namespace, ref.name)
    workload = situation.book.get(target)
    if isinstance(workload, Workload):
        yield from _smaller(target, workload, ref.pod_group, len(siblings))
    else:
        yield _create(target, ref.pod_group, len(siblings))
    yield Candidate(
        "leave-gang",
        "pod",
        text(N_("Take the pod out of the gang")),
        text(N_("Without workloadRef it is scheduled for itself, whatever becomes of its siblings.")),
        (Remove(situation.pod_ref, ("spec", "workloadRef")),),
        LARGE,
    )


def _seen_from(situation: Situation, pod: str) -> Situation:
    return Situation(situation.book, situation.record, pod)


def _smaller(target: Ref, workload: Workload, group: str, siblings: int) -> Iterator[Candidate]:
    """Every smaller gang, the largest first."""
    for index, pod_group in enumerate(workload.spec.pod_groups):
        gang = pod_group.policy.gang
        if pod_group.name != group or gang is None:
            continue
        for count in list(range(min(gang.min_count - 1, siblings), 0, -1))[:4]:
            yield Candidate(
                "smaller-gang",
                "pod",
                text(N_("Lower the minCount of the gang to %(count)d"), count=count),
                text(
                    N_(
                        "The gang waits until minCount of its pods have a node; %(count)d have to.",
                    ),
                    count=gang.min_count,
                ),
                (Set(target, ("spec", "podGroups", index, "policy", "gang", "minCount"), count),),
                LARGE,
            )


def _create(target: Ref, group: str, count: int) -> Candidate:
    document = {
        "apiVersion": "scheduling.k8s.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": target.name, "namespace": target.namespace},
        "spec": {"podGroups": [{"name": group, "policy": {"gang": {"minCount": count}}}]},
    }
    return Candidate(
        "create-workload",
        "cluster",
        text(N_("Create the Workload %(name)s"), name=target.name),
        text(N_("A pod whose workloadRef names a Workload that does not exist is held back.")),
        (Create(document),),
        INTENDED,
    )
