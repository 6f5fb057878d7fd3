"""Pods that a controller made: the template in the text from which each comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scheduler_lab.engine.explain.edits.changes import Ref
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.objects.apps import DaemonSet, Deployment, ReplicaSet, ReplicationController, StatefulSet
from scheduler_lab.engine.objects.batch import CronJob, Job
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.pod import Pod, PodTemplateSpec
from scheduler_lab.engine.objects.raw import RawObject

_TEMPLATE: Final[Path] = ("spec", "template")
_JOB_TEMPLATE: Final[Path] = ("spec", "jobTemplate", *_TEMPLATE)


def template_of(item: KubeObject | RawObject) -> PodTemplateSpec | None:
    """The pod template of a workload, None for any other object."""
    if isinstance(item, Deployment | ReplicaSet | StatefulSet | DaemonSet | ReplicationController | Job):
        return item.spec.template
    return item.spec.job_template.spec.template if isinstance(item, CronJob) else None


def maker_of(pod: Ref, objects: Mapping[Ref, KubeObject | RawObject]) -> Ref | None:
    """The workload after which the pod is named, the longest name if there are several."""
    makers = [
        ref
        for ref, item in objects.items()
        if ref.namespace == pod.namespace and pod.name.startswith(f"{ref.name}-") and template_of(item) is not None
    ]
    return max(makers, key=lambda ref: len(ref.name), default=None)


def template_path(maker: Ref) -> Path:
    """Where the workload spells out its pods."""
    return _JOB_TEMPLATE if maker.kind == "CronJob" else _TEMPLATE


def pod_of(ref: Ref, template: PodTemplateSpec) -> Pod:
    """The pod as the template has it."""
    metadata = type(template.metadata)(
        name=ref.name,
        namespace=ref.namespace,
        labels=template.metadata.labels,
        annotations=template.metadata.annotations,
    )
    return Pod(metadata=metadata, spec=template.spec)
