"""What is wrong with the Scheduler documents of a text, before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from scheduler_lab.engine.configuration import Configuration, ConfigurationError, load_object, resolve
from scheduler_lab.engine.custom.plugins.registry import CustomPlugins
from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.problem import Severity
from scheduler_lab.engine.manifests.strict import cut
from scheduler_lab.engine.objects.lab import Options
from scheduler_lab.engine.objects.lab_plugin import Plugin
from scheduler_lab.engine.objects.lab_scheduler import Scheduler
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.raw import RawObject
from scheduler_lab.engine.schedulers.documents import MAIN, MOST_PROCESSES, Plan, configuration_of
from scheduler_lab.engine.schedulers.places import place_of

MOST_LAG: Final = 100
REFUSED: Final = N_("%(refusal)s. The scheduler would not start with this configuration.")
OWN_CONFIGURATION: Final = N_(
    "%(path)s: %(name)s runs with the text's own KubeSchedulerConfiguration; here go only replicas and viewLag."
)
TOO_MANY: Final = N_(
    "%(path)s: with this there are %(count)s scheduler processes, that of kube-scheduler included; at most %(limit)s "
    "can run."
)
SHARED_LEASE: Final = N_(
    "Scheduler %(name)s contends with %(other)s for one lease, %(lease)s, so only one of them schedules. Give it a "
    "leaderElection.resourceName of its own."
)
SAME_NAME: Final = N_(
    "Scheduler %(name)s and %(other)s both serve the schedulerName %(profile)s: both may take the same pod, and the "
    "API server refuses the second binding."
)
IN_STEP: Final = N_(
    "A Scheduler is there from the beginning, so it cannot come with a step: write it outside, and use stopScheduler "
    "and startScheduler."
)
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?\Z")


class Finding(NamedTuple):
    """One mistake: which document, the field at fault, the sentence with its values, how serious it is."""

    document: Scheduler
    path: Path
    template: str
    params: dict[str, str] = {}
    severity: Severity = "error"


def check_schedulers(objects: Sequence[KubeObject | RawObject]) -> Iterator[Finding]:
    """Each mistake in the Scheduler documents among the objects of a text."""
    documents = [item for item in objects if isinstance(item, Scheduler)]
    count = 1
    for document in documents:
        yield from _check_document(document)
        if document.metadata.name != MAIN:
            count += document.spec.replicas
        else:
            count += document.spec.replicas - 1
        if count > MOST_PROCESSES and 1 <= document.spec.replicas <= MOST_PROCESSES:
            shown = {"count": str(count), "limit": str(MOST_PROCESSES)}
            yield Finding(document, ("spec", "replicas"), TOO_MANY, shown)
    yield from _check_configurations(documents, objects)


def _check_document(document: Scheduler) -> Iterator[Finding]:
    name, spec = document.metadata.name, document.spec
    if not name:
        yield Finding(document, ("metadata", "name"), messages.REQUIRED)
    elif not _NAME.match(name):
        yield Finding(document, ("metadata", "name"), messages.INVALID_NAME, {"value": cut(name)})
    if name == MAIN and spec.configuration is not None:
        yield Finding(document, ("spec", "configuration"), OWN_CONFIGURATION, {"name": name})
    numbers = (("replicas", spec.replicas, 1, MOST_PROCESSES), ("viewLag", spec.view_lag, 0, MOST_LAG))
    for field, number, low, high in numbers:
        if not low <= number <= high:
            params = {"value": str(number), "low": str(low), "high": str(high)}
            yield Finding(document, ("spec", field), messages.OUT_OF_BOUNDS, params)


def _check_configurations(
    documents: Sequence[Scheduler], objects: Sequence[KubeObject | RawObject]
) -> Iterator[Finding]:
    """What kube-scheduler would say of each configuration, and what two schedulers should not share."""
    try:
        gates = resolve(next((item for item in objects if isinstance(item, Options)), Options()).feature_gates)
        registry = CustomPlugins(item for item in objects if isinstance(item, Plugin)).known
    except ConfigurationError:
        # The run itself ends with that.
        return
    before: list[Plan] = []
    try:
        written = next((item for item in objects if isinstance(item, RawObject)), None)
        before.append(Plan(MAIN, load_object(written, gates, registry)))
    except ConfigurationError:
        pass
    for document in documents:
        if document.metadata.name == MAIN or not document.metadata.name:
            continue
        try:
            configuration = configuration_of(document, gates, registry)
        except ConfigurationError as error:
            where = place_of(error, document.spec.configuration or {})
            yield Finding(document, ("spec", "configuration", *where), REFUSED, {"refusal": str(error)})
            continue
        yield from _check_others(document, configuration, before)
        before.append(Plan(document.metadata.name, configuration))


def _check_others(document: Scheduler, configuration: Configuration, before: Sequence[Plan]) -> Iterator[Finding]:
    plan = Plan(document.metadata.name, configuration)
    for other in before:
        pair = {"name": plan.name, "other": other.name}
        if plan.lease is not None and plan.lease == other.lease:
            path: Path = ("spec", "configuration", "leaderElection", "resourceName")
            yield Finding(document, path, SHARED_LEASE, {**pair, "lease": "/".join(plan.lease)}, "warning")
            return
        for index, profile in enumerate(plan.profiles):
            if profile in other.profiles:
                path = ("spec", "configuration", "profiles", index, "schedulerName")
                yield Finding(document, path, SAME_NAME, {**pair, "profile": cut(profile)}, "warning")
