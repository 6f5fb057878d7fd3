"""DefaultPreemption: a pod that may not preempt, or is not important enough to."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.admission.priority import SYSTEM_CLASSES
from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Change, Create, Ref, Remove, Set
from scheduler_lab.engine.explain.fixes.model import DRASTIC, LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.scheduling import PriorityClass

NEVER = "Never"
_HIGHEST_USER_PRIORITY = 1_000_000_000


def priority(situation: Situation) -> Iterator[Candidate]:
    """Let the pod preempt, or make it more important than a pod that is in its way."""
    curable = [rejection for rejection in situation.rejections if rejection.code == "Unschedulable"]
    if not curable:
        return
    classes = {ref.name: c for ref, c in situation.book.objects.items() if isinstance(c, PriorityClass)}
    yield from _allow(situation, classes)
    own = value_of(situation.spec_pod, classes)
    there = {value_of(situation.pods[key], classes) for r in curable for key in situation.pods_on(r.node)}
    above = sorted(value for value in there if value >= own)
    if above:
        yield from _raise(situation, classes, above[0])


def value_of(pod: Pod, classes: dict[str, PriorityClass]) -> int:
    """The pod's priority as admission sets it."""
    name = pod.spec.priority_class_name
    if name in classes:
        return classes[name].value
    if name in SYSTEM_CLASSES:
        return SYSTEM_CLASSES[name]
    if pod.spec.priority is not None:
        return pod.spec.priority
    return min((c.value for c in classes.values() if c.global_default), default=0)


def _allow(situation: Situation, classes: dict[str, PriorityClass]) -> Iterator[Candidate]:
    spec = situation.spec_pod.spec
    why = text(N_("With preemptionPolicy: Never the pod waits, however unimportant the pods in its way are."))
    found = classes.get(spec.priority_class_name)
    if spec.preemption_policy == NEVER:
        yield Candidate(
            "preempt",
            "pod",
            text(N_("Let the pod preempt less important ones")),
            why,
            (Remove(situation.pod_ref, ("spec", "preemptionPolicy")),),
            SMALL,
        )
    elif found is not None and found.preemption_policy == NEVER:
        name = found.metadata.name
        yield Candidate(
            "preempt",
            "cluster",
            text(N_("Let pods of the class %(name)s preempt less important ones"), name=name),
            why,
            (Remove(Ref("PriorityClass", "", name), ("preemptionPolicy",)),),
            SMALL,
        )


def _raise(situation: Situation, classes: dict[str, PriorityClass], least: int) -> Iterator[Candidate]:
    """A class above the least important pod that is as important as this one."""
    why = text(N_("Preemption takes the place of pods of lower priority only."))
    pod = situation.pod_ref
    without_number: tuple[Change, ...] = ()
    if situation.spec_pod.spec.priority is not None:
        without_number = (Remove(pod, ("spec", "priority")),)
    higher = [c for c in classes.values() if c.value > least and c.preemption_policy != NEVER]
    for found in sorted(higher, key=lambda c: c.value)[:2]:
        name = found.metadata.name
        yield Candidate(
            "raise-priority",
            "pod",
            text(N_("Give the pod the priority class %(name)s (%(value)d)"), name=name, value=found.value),
            why,
            (Set(pod, ("spec", "priorityClassName"), name), *without_number),
            LARGE,
        )
    value = min(least + 1000, _HIGHEST_USER_PRIORITY)
    if higher or value <= least:
        return
    name = "more-important"
    document = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }
    yield Candidate(
        "new-priority",
        "pod",
        text(N_("Give the pod a new priority class %(name)s (%(value)d)"), name=name, value=value),
        why,
        (Set(pod, ("spec", "priorityClassName"), name), *without_number, Create(document)),
        DRASTIC,
    )
