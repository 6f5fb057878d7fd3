"""From lab/v1 Scheduler documents to the configurations that their processes run with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from scheduler_lab.engine.configuration import Configuration, ConfigurationError, FeatureGates, load
from scheduler_lab.engine.configuration.registry import PluginPoints
from scheduler_lab.engine.configuration.types import API_VERSION, KIND
from scheduler_lab.engine.objects.lab_scheduler import Scheduler

MAIN: Final = "kube-scheduler"
"""The scheduler of the text's own KubeSchedulerConfiguration; a Scheduler of this name is about its processes."""

MOST_PROCESSES: Final = 8
_JITTER: Final = 1.2
_TYPE_META: Final = {"apiVersion": API_VERSION, "kind": KIND}


@dataclass(frozen=True)
class Plan:
    """What one scheduler is to run as: its name, its configuration, how many processes, how far each view lags."""

    name: str
    configuration: Configuration
    replicas: int = 1
    view_lag: int = 0
    document: Scheduler | None = None

    @property
    def lease(self) -> tuple[str, str] | None:
        """Namespace and name of the lease that its processes contend for; None without leader election."""
        election = self.configuration.document.leader_election
        return (election.resource_namespace, election.resource_name) if election.leader_elect else None

    @property
    def profiles(self) -> list[str]:
        """The schedulerNames that it serves."""
        return [profile.scheduler_name for profile in self.configuration.profiles]


def plans(
    documents: Sequence[Scheduler], main: Configuration, gates: FeatureGates, registry: PluginPoints
) -> list[Plan]:
    """The main scheduler's plan, then one a document in their order; raises ConfigurationError that names the document.

    Without documents only the main scheduler is planned, as it is.
    """
    own = next((document for document in documents if document.metadata.name == MAIN), None)
    first = Plan(MAIN, main) if own is None else Plan(MAIN, main, own.spec.replicas, own.spec.view_lag, own)
    if documents:
        _check_elector(MAIN, main)
    others = [
        Plan(
            document.metadata.name,
            configuration_of(document, gates, registry),
            document.spec.replicas,
            document.spec.view_lag,
            document,
        )
        for document in documents
        if document is not own
    ]
    return [first, *others]


def configuration_of(document: Scheduler, gates: FeatureGates, registry: PluginPoints) -> Configuration:
    """What the document's processes run with; raises ConfigurationError in kube-scheduler's words after its name."""
    name = document.metadata.name
    try:
        configuration = load(written(document), gates, registry)
    except ConfigurationError as error:
        raise ConfigurationError(f"Scheduler {name}: {error}", error.paths) from None
    _check_elector(name, configuration)
    return configuration


def written(document: Scheduler) -> dict[str, Any]:
    """The embedded configuration's data, apiVersion and kind filled in.

    Without a configuration there is one profile of the document's name, and a lease of its name: as a person would
    set it up who has read that two schedulers must not share a lease.
    """
    given, name = document.spec.configuration, document.metadata.name
    if given is not None:
        return given if "apiVersion" in given or "kind" in given else {**_TYPE_META, **given}
    return {**_TYPE_META, "profiles": [{"schedulerName": name}], "leaderElection": {"resourceName": name}}


def _check_elector(name: str, configuration: Configuration) -> None:
    """What client-go's leader elector refuses beyond the configuration's own validation."""
    election = configuration.document.leader_election
    if election.leader_elect and election.renew_deadline.nanos <= election.retry_period.nanos * _JITTER:
        text = "couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor"
        raise ConfigurationError(f"Scheduler {name}: {text}", ["leaderElection.renewDeadline"])
