"""Job and CronJob (batch/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, Int64, KubeStruct
from scheduler_lab.engine.objects.meta import KubeObject, LabelSelector, ObjectMeta
from scheduler_lab.engine.objects.pod import PodTemplateSpec
from scheduler_lab.engine.objects.references import ObjectReference


class PodFailurePolicyOnExitCodesRequirement(KubeStruct):
    container_name: str | None = None
    operator: str = ""
    values: list[Int32] = []


class PodFailurePolicyOnPodConditionsPattern(KubeStruct):
    status: str = ""
    type: str = ""


class PodFailurePolicyRule(KubeStruct):
    action: str = ""
    on_exit_codes: PodFailurePolicyOnExitCodesRequirement | None = None
    on_pod_conditions: list[PodFailurePolicyOnPodConditionsPattern] = []


class PodFailurePolicy(KubeStruct):
    rules: list[PodFailurePolicyRule] = []


class SuccessPolicyRule(KubeStruct):
    succeeded_count: Int32 | None = None
    succeeded_indexes: str | None = None


class SuccessPolicy(KubeStruct):
    rules: list[SuccessPolicyRule] = []


class JobSpec(KubeStruct):
    active_deadline_seconds: Int64 | None = None
    backoff_limit: Int32 | None = None
    backoff_limit_per_index: Int32 | None = None
    completion_mode: str | None = None
    completions: Int32 | None = None
    managed_by: str | None = None
    manual_selector: bool | None = None
    max_failed_indexes: Int32 | None = None
    parallelism: Int32 | None = None
    pod_failure_policy: PodFailurePolicy | None = None
    pod_replacement_policy: str | None = None
    selector: LabelSelector | None = None
    success_policy: SuccessPolicy | None = None
    suspend: bool | None = None
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)
    ttl_seconds_after_finished: Int32 | None = None


class JobCondition(KubeStruct):
    last_probe_time: str | None = None
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class UncountedTerminatedPods(KubeStruct):
    failed: list[str] = []
    succeeded: list[str] = []


class JobStatus(KubeStruct):
    active: Int32 = 0
    completed_indexes: str = ""
    completion_time: str | None = None
    conditions: list[JobCondition] = []
    failed: Int32 = 0
    failed_indexes: str | None = None
    ready: Int32 | None = None
    start_time: str | None = None
    succeeded: Int32 = 0
    terminating: Int32 | None = None
    uncounted_terminated_pods: UncountedTerminatedPods | None = None


class Job(KubeObject):
    api_version: str = "batch/v1"
    kind: str = "Job"
    spec: JobSpec = field(default_factory=JobSpec)
    status: JobStatus = field(default_factory=JobStatus)


class JobTemplateSpec(KubeStruct):
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: JobSpec = field(default_factory=JobSpec)


class CronJobSpec(KubeStruct):
    concurrency_policy: str = ""
    failed_jobs_history_limit: Int32 | None = None
    job_template: JobTemplateSpec = field(default_factory=JobTemplateSpec)
    schedule: str = ""
    starting_deadline_seconds: Int64 | None = None
    successful_jobs_history_limit: Int32 | None = None
    suspend: bool | None = None
    time_zone: str | None = None


class CronJobStatus(KubeStruct):
    active: list[ObjectReference] = []
    last_schedule_time: str | None = None
    last_successful_time: str | None = None


class CronJob(KubeObject):
    api_version: str = "batch/v1"
    kind: str = "CronJob"
    spec: CronJobSpec = field(default_factory=CronJobSpec)
    status: CronJobStatus = field(default_factory=CronJobStatus)
