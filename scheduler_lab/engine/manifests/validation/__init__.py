"""What the API server would refuse in an object that decodes: one function a kind, one table."""

from collections.abc import Callable
from typing import Any, Final

from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.manifests.validation.cluster import (
    check_claim,
    check_disruption_budget,
    check_node,
    check_priority_class,
    check_service,
    check_storage_class,
    check_volume,
)
from scheduler_lab.engine.manifests.validation.lab import check_extender, check_options, check_timeline
from scheduler_lab.engine.manifests.validation.metadata import check_metadata
from scheduler_lab.engine.manifests.validation.pod import check_pod
from scheduler_lab.engine.manifests.validation.workloads import check_cron_job, check_job, check_workload
from scheduler_lab.engine.objects.apps import DaemonSet, Deployment, ReplicaSet, ReplicationController, StatefulSet
from scheduler_lab.engine.objects.batch import CronJob, Job
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.lab import Extender, Options, Timeline
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.policy import PodDisruptionBudget
from scheduler_lab.engine.objects.scheduling import PriorityClass
from scheduler_lab.engine.objects.services import Service
from scheduler_lab.engine.objects.storage import StorageClass

_CHECKS: Final[dict[type, Callable[[Any, Checker], None]]] = {
    CronJob: check_cron_job,
    DaemonSet: check_workload,
    Deployment: check_workload,
    Extender: check_extender,
    Job: check_job,
    Node: check_node,
    Options: check_options,
    PersistentVolume: check_volume,
    PersistentVolumeClaim: check_claim,
    Pod: check_pod,
    PodDisruptionBudget: check_disruption_budget,
    PriorityClass: check_priority_class,
    ReplicaSet: check_workload,
    ReplicationController: check_workload,
    Service: check_service,
    StatefulSet: check_workload,
    StorageClass: check_storage_class,
    Timeline: check_timeline,
}


def validate(item: KubeObject, checker: Checker) -> None:
    """Report what the API server would refuse in the object, and what is odd enough for a warning."""
    if not item.api_version.startswith("lab/"):
        check_metadata(item, checker)
    check = _CHECKS.get(type(item))
    if check is not None:
        check(item, checker)
