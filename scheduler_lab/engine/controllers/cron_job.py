"""CronJob: one run, at the start of the run (kube-controller-manager v1.35, cronjob)."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.cluster.generated_names import LONGEST_BASE
from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.pods import Key, key_of, owns
from scheduler_lab.engine.controllers.template import owner_reference
from scheduler_lab.engine.objects.batch import CronJob, Job
from scheduler_lab.engine.objects.meta import format_time, parse_time
from scheduler_lab.engine.objects.pod import PodTemplateSpec

SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
# The lab's clock begins here; a schedule's next time is not awaited.
START = parse_time("2026-01-01T00:00:00Z")


class CronJobController:
    """Makes the Job of one run, unless the CronJob is suspended or shows that it has run before."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def template(self, owner: CronJob) -> PodTemplateSpec | None:
        """The template of the pods of its Jobs."""
        return owner.spec.job_template.spec.template

    def selects_pods(self, owner: CronJob) -> bool:
        """A CronJob has no selector."""
        return True

    def covered(self, owner: CronJob) -> bool:
        """Whether it has run before, by its status or a Job in the text."""
        ran = owner.status.last_schedule_time is not None or bool(owner.status.active)
        return ran or any(owns(owner, job) for job in self._client.store.list("Job"))

    def sync(self, owner: CronJob) -> list[Key]:
        """Create the Job of the one run."""
        if owner.spec.suspend or self.covered(owner):
            return []
        template = owner.spec.job_template
        name = f"{owner.metadata.name[: LONGEST_BASE - 6]}-{int(START) // 60}"
        meta = replace(
            template.metadata,
            name=name,
            namespace=owner.metadata.namespace,
            annotations={**template.metadata.annotations, SCHEDULED: format_time(START)},
            owner_references=[owner_reference(owner)],
            creation_timestamp=None,
        )
        job = Job(metadata=meta, spec=template.spec)
        refusal = self._client.make(job)
        if refusal:
            self._client.failure(owner, "FailedCreate", f"Error creating job: {refusal}")
            return []
        self._client.event(owner, "SuccessfulCreate", f"Created job {name}")
        return [key_of(job)]
