"""PodGroups of the Coscheduling plugin (scheduling.x-k8s.io) and of Volcano (scheduling.volcano.sh)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, KubeStruct, ResourceList
from scheduler_lab.engine.objects.meta import KubeObject, LabelSelector


class PodGroupSpec(KubeStruct):
    min_member: Int32 = 0
    min_resources: ResourceList = {}
    schedule_timeout_seconds: Int32 | None = None


class PodGroupStatus(KubeStruct):
    phase: str = ""
    occupied_by: str = ""
    running: Int32 = 0
    succeeded: Int32 = 0
    failed: Int32 = 0
    schedule_start_time: str | None = None


class PodGroup(KubeObject):
    """A gang as kubernetes-sigs/scheduler-plugins reads it; its pods carry a label that names it."""

    api_version: str = "scheduling.x-k8s.io/v1alpha1"
    kind: str = "PodGroup"
    spec: PodGroupSpec = field(default_factory=PodGroupSpec)
    status: PodGroupStatus = field(default_factory=PodGroupStatus)


class VolcanoNetworkTopology(KubeStruct):
    mode: str = ""
    highest_tier_allowed: Int32 | None = None
    highest_tier_name: str = ""


class VolcanoSubGroupPolicy(KubeStruct):
    name: str = ""
    network_topology: VolcanoNetworkTopology | None = None
    sub_group_size: Int32 | None = None
    min_sub_groups: Int32 | None = None
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] = []


class VolcanoPodGroupSpec(KubeStruct):
    min_member: Int32 = 0
    min_task_member: dict[str, Int32] = {}
    queue: str = ""
    priority_class_name: str = ""
    min_resources: ResourceList = {}
    network_topology: VolcanoNetworkTopology | None = None
    sub_group_policy: list[VolcanoSubGroupPolicy] = []


class VolcanoPodGroupCondition(KubeStruct):
    type: str = ""
    status: str = ""
    transition_id: str = field(default="", name="transitionID")
    last_transition_time: str | None = None
    reason: str = ""
    message: str = ""


class VolcanoPodGroupStatus(KubeStruct):
    phase: str = ""
    conditions: list[VolcanoPodGroupCondition] = []
    running: Int32 = 0
    succeeded: Int32 = 0
    failed: Int32 = 0


class VolcanoPodGroup(KubeObject):
    """A gang as Volcano reads it."""

    api_version: str = "scheduling.volcano.sh/v1beta1"
    kind: str = "PodGroup"
    spec: VolcanoPodGroupSpec = field(default_factory=VolcanoPodGroupSpec)
    status: VolcanoPodGroupStatus = field(default_factory=VolcanoPodGroupStatus)


class VolcanoGuarantee(KubeStruct):
    resource: ResourceList = {}


class VolcanoQueueSpec(KubeStruct):
    weight: Int32 = 0
    capability: ResourceList = {}
    deserved: ResourceList = {}
    guarantee: VolcanoGuarantee = field(default_factory=VolcanoGuarantee)
    reclaimable: bool | None = None
    parent: str = ""
    priority: Int32 = 0
    type: str = ""
    dequeue_strategy: str = ""


class VolcanoQueueStatus(KubeStruct):
    state: str = ""
    unknown: Int32 = 0
    pending: Int32 = 0
    running: Int32 = 0
    inqueue: Int32 = 0
    completed: Int32 = 0
    allocated: ResourceList = {}


class VolcanoQueue(KubeObject):
    """A share of the cluster that Volcano's PodGroups draw from."""

    api_version: str = "scheduling.volcano.sh/v1beta1"
    kind: str = "Queue"
    spec: VolcanoQueueSpec = field(default_factory=VolcanoQueueSpec)
    status: VolcanoQueueStatus = field(default_factory=VolcanoQueueStatus)
