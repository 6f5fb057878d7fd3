"""Controllers that make pods."""

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.manifests.validation.pod import check_template
from scheduler_lab.engine.manifests.validation.selection import check_label_selector
from scheduler_lab.engine.objects.apps import DaemonSet, Deployment, ReplicaSet, ReplicationController, StatefulSet
from scheduler_lab.engine.objects.batch import CronJob, Job, JobSpec
from scheduler_lab.engine.objects.meta import LabelSelector
from scheduler_lab.engine.objects.selectors import InvalidSelector, compile_label_selector

_TEMPLATE: Path = ("spec", "template")


def check_workload(
    item: Deployment | ReplicaSet | StatefulSet | DaemonSet | ReplicationController, checker: Checker
) -> None:
    """Replicas, the selector against the template's labels, and the template."""
    if not isinstance(item, DaemonSet):
        replicas = item.spec.replicas
        if replicas is not None and replicas < 0:
            checker.error(messages.NEGATIVE, ("spec", "replicas"), value=str(replicas))
    template = item.spec.template
    selector = item.spec.selector
    if isinstance(selector, dict):
        selector = LabelSelector(match_labels=selector) if selector else None
    check_label_selector(selector, ("spec", "selector"), checker)
    if template is None or (template.metadata.labels == {} and not template.spec.containers):
        return
    claims = item.spec.volume_claim_templates if isinstance(item, StatefulSet) else []
    check_template(template, _TEMPLATE, checker, [claim.metadata.name for claim in claims])
    _check_selector(selector, template.metadata.labels, checker)


def _check_selector(selector: LabelSelector | None, labels: dict[str, str], checker: Checker) -> None:
    if selector is None:
        return
    try:
        matches = compile_label_selector(selector).matches(labels)
    except InvalidSelector:
        return
    if not matches:
        checker.error(messages.TEMPLATE_MISMATCH, ("spec", "selector"))


def check_job(item: Job, checker: Checker) -> None:
    """Counts and template of a job."""
    _check_job_spec(item.spec, ("spec",), checker)


def check_cron_job(item: CronJob, checker: Checker) -> None:
    """The job template of a cron job."""
    _check_job_spec(item.spec.job_template.spec, ("spec", "jobTemplate", "spec"), checker)


def _check_job_spec(spec: JobSpec, path: Path, checker: Checker) -> None:
    for name, number in (("parallelism", spec.parallelism), ("completions", spec.completions)):
        if number is not None and number < 0:
            checker.error(messages.NEGATIVE, (*path, name), value=str(number))
    if spec.template.spec.containers or spec.template.metadata.labels:
        check_template(spec.template, (*path, "template"), checker)
