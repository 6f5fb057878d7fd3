"""Gangs: a pod that waits for its siblings (GangScheduling, Coscheduling), or for its Workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Change, Create, Ref, Remove, Set
from scheduler_lab.engine.explain.fixes.families.new_node import new_node
from scheduler_lab.engine.explain.fixes.families.resources import resources
from scheduler_lab.engine.explain.fixes.model import INTENDED, LARGE, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.objects.gang import PodGroup
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.scheduling import Workload
from scheduler_lab.engine.plugins.coscheduling.groups import LABEL

NATIVE, COSCHEDULING = "GangScheduling", "Coscheduling"
_SMALLER = 4


@dataclass(frozen=True, slots=True)
class Gang:
    """The pod's gang: the object and field that say how many must have a node, and how the pod leaves it."""

    plugin: str
    target: Ref
    minimum: Path
    count: int
    leave: Change
    siblings: list[str]


def gangs(situation: Situation) -> Iterator[Candidate]:
    """Help the sibling that fits nowhere, ask for a smaller gang, or leave it."""
    gang = _native(situation) or _coscheduling(situation)
    if gang is None or not _waits_for(situation, gang.plugin):
        return
    for key in gang.siblings:
        sibling = Situation(situation.book, situation.record, key)
        if key != situation.pod_key and not situation.node_of(key) and sibling.rejections:
            yield from resources(sibling)
            yield from new_node(sibling)
    for count in range(min(gang.count - 1, len(gang.siblings)), 0, -1)[:_SMALLER]:
        yield Candidate(
            "smaller-gang",
            "pod",
            text(N_("Let the gang start with %(count)d of its pods"), count=count),
            text(N_("As it is, none starts before %(count)d of them have a node."), count=gang.count),
            (Set(gang.target, gang.minimum, count),),
            LARGE,
        )
    if gang.target not in situation.book.objects:
        yield _create(situation, gang)
    yield Candidate(
        "leave-gang",
        "pod",
        text(N_("Take the pod out of the gang")),
        text(N_("Then it is scheduled for itself, whatever becomes of its siblings.")),
        (gang.leave,),
        LARGE,
    )


def _waits_for(situation: Situation, plugin: str) -> bool:
    """Whether the plugin held the pod back before the queue, turned it down, or stopped its attempt."""
    held = any(v["pod"] == situation.pod_key and v["plugin"] == plugin for v in situation.record.get("preEnqueue", []))
    points = ("preFilter", "postFilter", "reserve", "permit", "unreserve")
    stopped = any(v["plugin"] == plugin for point in points for v in situation.verdicts(point))
    return held or stopped or plugin in situation.message


def _native(situation: Situation) -> Gang | None:
    ref = situation.spec_pod.spec.workload_ref
    if ref is None:
        return None
    target = Ref("Workload", situation.namespace, ref.name)
    workload = situation.book.get(target)
    minimum: Path = ()
    count = 0
    for index, group in enumerate(workload.spec.pod_groups if isinstance(workload, Workload) else ()):
        if group.name == ref.pod_group and group.policy.gang is not None:
            minimum, count = ("spec", "podGroups", index, "policy", "gang", "minCount"), group.policy.gang.min_count

    def belongs(pod: Pod) -> bool:
        other = pod.spec.workload_ref
        return other is not None and (other.name, other.pod_group) == (ref.name, ref.pod_group)

    siblings = [key for key, pod in situation.pods.items() if belongs(pod)]
    return Gang(NATIVE, target, minimum, count, Remove(situation.pod_ref, ("spec", "workloadRef")), siblings)


def _coscheduling(situation: Situation) -> Gang | None:
    name = situation.spec_pod.metadata.labels.get(LABEL)
    if not name:
        return None
    target = Ref("PodGroup", situation.namespace, name)
    group = situation.book.get(target)
    count = group.spec.min_member if isinstance(group, PodGroup) else 0
    siblings = [
        key
        for key, pod in situation.pods.items()
        if pod.metadata.labels.get(LABEL) == name and key.startswith(f"{situation.namespace}/")
    ]
    leave = Remove(situation.pod_ref, ("metadata", "labels", LABEL))
    return Gang(COSCHEDULING, target, ("spec", "minMember"), count, leave, siblings)


def _create(situation: Situation, gang: Gang) -> Candidate:
    group = situation.spec_pod.spec.workload_ref
    count = len(gang.siblings)
    metadata = {"name": gang.target.name, "namespace": gang.target.namespace}
    version = "scheduling.x-k8s.io/v1alpha1"
    spec: dict[str, Any] = {"minMember": count}
    if gang.plugin == NATIVE and group is not None:
        version = "scheduling.k8s.io/v1alpha1"
        spec = {"podGroups": [{"name": group.pod_group, "policy": {"gang": {"minCount": count}}}]}
    document = {"apiVersion": version, "kind": gang.target.kind, "metadata": metadata, "spec": spec}
    return Candidate(
        "create-gang",
        "cluster",
        text(N_("Create the %(kind)s %(name)s"), kind=gang.target.kind, name=gang.target.name),
        text(N_("The pod names it, and it does not exist.")),
        (Create(document),),
        INTENDED,
    )
