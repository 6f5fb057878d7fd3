"""Controllers that make pods: apps/v1 and core/v1 ReplicationController."""

from typing import Any

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, Int64, IntOrString, KubeStruct
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.meta import KubeObject, LabelSelector
from scheduler_lab.engine.objects.pod import PodTemplateSpec


class ReplicationControllerSpec(KubeStruct):
    min_ready_seconds: Int32 = 0
    replicas: Int32 | None = None
    selector: dict[str, str] = {}
    template: PodTemplateSpec | None = None


class ReplicationControllerCondition(KubeStruct):
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class ReplicationControllerStatus(KubeStruct):
    available_replicas: Int32 = 0
    conditions: list[ReplicationControllerCondition] = []
    fully_labeled_replicas: Int32 = 0
    observed_generation: Int64 = 0
    ready_replicas: Int32 = 0
    replicas: Int32 = 0


class ReplicationController(KubeObject):
    api_version: str = "v1"
    kind: str = "ReplicationController"
    spec: ReplicationControllerSpec = field(default_factory=ReplicationControllerSpec)
    status: ReplicationControllerStatus = field(default_factory=ReplicationControllerStatus)


class RollingUpdateDeployment(KubeStruct):
    max_surge: IntOrString | None = None
    max_unavailable: IntOrString | None = None


class DeploymentStrategy(KubeStruct):
    rolling_update: RollingUpdateDeployment | None = None
    type: str = ""


class DeploymentSpec(KubeStruct):
    min_ready_seconds: Int32 = 0
    paused: bool = False
    progress_deadline_seconds: Int32 | None = None
    replicas: Int32 | None = None
    revision_history_limit: Int32 | None = None
    selector: LabelSelector | None = None
    strategy: DeploymentStrategy = field(default_factory=DeploymentStrategy)
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)


class DeploymentCondition(KubeStruct):
    last_transition_time: str | None = None
    last_update_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class DeploymentStatus(KubeStruct):
    available_replicas: Int32 = 0
    collision_count: Int32 | None = None
    conditions: list[DeploymentCondition] = []
    observed_generation: Int64 = 0
    ready_replicas: Int32 = 0
    replicas: Int32 = 0
    terminating_replicas: Int32 | None = None
    unavailable_replicas: Int32 = 0
    updated_replicas: Int32 = 0


class Deployment(KubeObject):
    api_version: str = "apps/v1"
    kind: str = "Deployment"
    spec: DeploymentSpec = field(default_factory=DeploymentSpec)
    status: DeploymentStatus = field(default_factory=DeploymentStatus)


class ReplicaSetSpec(KubeStruct):
    min_ready_seconds: Int32 = 0
    replicas: Int32 | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)


class ReplicaSetCondition(KubeStruct):
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class ReplicaSetStatus(KubeStruct):
    available_replicas: Int32 = 0
    conditions: list[ReplicaSetCondition] = []
    fully_labeled_replicas: Int32 = 0
    observed_generation: Int64 = 0
    ready_replicas: Int32 = 0
    replicas: Int32 = 0
    terminating_replicas: Int32 | None = None


class ReplicaSet(KubeObject):
    api_version: str = "apps/v1"
    kind: str = "ReplicaSet"
    spec: ReplicaSetSpec = field(default_factory=ReplicaSetSpec)
    status: ReplicaSetStatus = field(default_factory=ReplicaSetStatus)


class StatefulSetOrdinals(KubeStruct):
    start: Int32 = 0


class StatefulSetPersistentVolumeClaimRetentionPolicy(KubeStruct):
    when_deleted: str = ""
    when_scaled: str = ""


class RollingUpdateStatefulSetStrategy(KubeStruct):
    max_unavailable: IntOrString | None = None
    partition: Int32 | None = None


class StatefulSetUpdateStrategy(KubeStruct):
    rolling_update: RollingUpdateStatefulSetStrategy | None = None
    type: str = ""


class StatefulSetSpec(KubeStruct):
    min_ready_seconds: Int32 = 0
    ordinals: StatefulSetOrdinals | None = None
    persistent_volume_claim_retention_policy: StatefulSetPersistentVolumeClaimRetentionPolicy | None = None
    pod_management_policy: str = ""
    replicas: Int32 | None = None
    revision_history_limit: Int32 | None = None
    selector: LabelSelector | None = None
    service_name: str = ""
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)
    update_strategy: StatefulSetUpdateStrategy = field(default_factory=StatefulSetUpdateStrategy)
    volume_claim_templates: list[PersistentVolumeClaim] = []


class StatefulSetCondition(KubeStruct):
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class StatefulSetStatus(KubeStruct):
    available_replicas: Int32 = 0
    collision_count: Int32 | None = None
    conditions: list[StatefulSetCondition] = []
    current_replicas: Int32 = 0
    current_revision: str = ""
    observed_generation: Int64 = 0
    ready_replicas: Int32 = 0
    replicas: Int32 = 0
    update_revision: str = ""
    updated_replicas: Int32 = 0


class StatefulSet(KubeObject):
    api_version: str = "apps/v1"
    kind: str = "StatefulSet"
    spec: StatefulSetSpec = field(default_factory=StatefulSetSpec)
    status: StatefulSetStatus = field(default_factory=StatefulSetStatus)


class RollingUpdateDaemonSet(KubeStruct):
    max_surge: IntOrString | None = None
    max_unavailable: IntOrString | None = None


class DaemonSetUpdateStrategy(KubeStruct):
    rolling_update: RollingUpdateDaemonSet | None = None
    type: str = ""


class DaemonSetSpec(KubeStruct):
    min_ready_seconds: Int32 = 0
    revision_history_limit: Int32 | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)
    update_strategy: DaemonSetUpdateStrategy = field(default_factory=DaemonSetUpdateStrategy)


class DaemonSetCondition(KubeStruct):
    last_transition_time: str | None = None
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class DaemonSetStatus(KubeStruct):
    collision_count: Int32 | None = None
    conditions: list[DaemonSetCondition] = []
    current_number_scheduled: Int32 = 0
    desired_number_scheduled: Int32 = 0
    number_available: Int32 = 0
    number_misscheduled: Int32 = 0
    number_ready: Int32 = 0
    number_unavailable: Int32 = 0
    observed_generation: Int64 = 0
    updated_number_scheduled: Int32 = 0


class DaemonSet(KubeObject):
    api_version: str = "apps/v1"
    kind: str = "DaemonSet"
    spec: DaemonSetSpec = field(default_factory=DaemonSetSpec)
    status: DaemonSetStatus = field(default_factory=DaemonSetStatus)


class ControllerRevision(KubeObject):
    api_version: str = "apps/v1"
    kind: str = "ControllerRevision"
    data: Any = None
    revision: Int32 = 0
