"""A schedulerName that no profile of this scheduler serves: nobody picks the pod up."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Change, Create, Ref, Remove, Set
from scheduler_lab.engine.explain.edits.homes import ref_of
from scheduler_lab.engine.explain.fixes.model import INTENDED, LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.lab_scheduler import Scheduler
from scheduler_lab.engine.objects.raw import RawObject
from scheduler_lab.engine.schedulers.documents import MAIN, written

DEFAULT = "default-scheduler"
_KIND = "KubeSchedulerConfiguration"


def profiles(situation: Situation) -> tuple[Ref | None, list[str]]:
    """The configuration document, if there is one, and the schedulerName of each profile."""
    for item in situation.book.objects.values():
        if isinstance(item, RawObject) and item.kind == _KIND:
            written: list[dict[str, Any]] = item.raw.get("profiles") or [{}]
            return ref_of(item), [str(profile.get("schedulerName") or DEFAULT) for profile in written]
    return None, [DEFAULT]


def further(situation: Situation) -> list[str]:
    """The schedulerNames that the text's further schedulers serve."""
    documents = [item for item in situation.book.objects.values() if isinstance(item, Scheduler)]
    found = []
    for document in documents:
        if document.metadata.name == MAIN:
            continue
        data = written(document).get("profiles")
        entries = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
        found += [str(entry.get("schedulerName") or DEFAULT) for entry in entries or [{}]]
    return found


def unserved(situation: Situation) -> bool:
    """Whether no profile of any scheduler serves the pod's schedulerName."""
    name = situation.spec_pod.spec.scheduler_name or DEFAULT
    return name not in profiles(situation)[1] and name not in further(situation)


def scheduler_name(situation: Situation) -> Iterator[Candidate]:
    """Name a profile that exists, or add one of the name."""
    if not unserved(situation):
        return
    name = situation.spec_pod.spec.scheduler_name or DEFAULT
    configuration, own = profiles(situation)
    served = list(dict.fromkeys([*own, *further(situation)]))
    why = text(N_("No profile of this scheduler is called %(name)s, so no scheduler looks at the pod."), name=name)
    near = get_close_matches(name, served, n=1)
    for other in [*near, *(o for o in served if o not in near)][:3]:
        path = ("spec", "schedulerName")
        change: Change = Remove(situation.pod_ref, path) if other == DEFAULT else Set(situation.pod_ref, path, other)
        yield Candidate(
            "scheduler-name",
            "pod",
            text(N_("Use the scheduler %(name)s"), name=other),
            why,
            (change,),
            INTENDED if other in near else SMALL,
        )
    profile = {"schedulerName": name}
    if configuration is not None:
        add: Change = Append(configuration, ("profiles",), profile)
    else:
        add = Create(
            {
                "apiVersion": "kubescheduler.config.k8s.io/v1",
                "kind": _KIND,
                "profiles": [{"schedulerName": DEFAULT}, profile],
            }
        )
    yield Candidate(
        "add-profile",
        "cluster",
        text(N_("Add a profile %(name)s to the scheduler"), name=name),
        why,
        (add,),
        LARGE,
    )
