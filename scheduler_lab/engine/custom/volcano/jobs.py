"""Jobs and tasks: PodGroups of scheduling.volcano.sh with their pods, as a Volcano session sees them."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.custom.volcano.amounts import Amounts, amounts, total
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.gang import VolcanoPodGroup, VolcanoPodGroupSpec, VolcanoPodGroupStatus
from scheduler_lab.engine.objects.meta import ObjectMeta, parse_time
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.scheduling import PriorityClass

VOLCANO = "volcano"
POD_GROUP = "PodGroup.scheduling.volcano.sh"
GROUP_NAME = "scheduling.k8s.io/group-name"
QUEUE_NAME = "scheduling.volcano.sh/queue-name"
DEFAULT_QUEUE = "default"
_STATUSES = {"Succeeded": "Succeeded", "Failed": "Failed"}


def installed(store: Store) -> bool:
    """Whether Volcano runs in the cluster: where there is an object of its own."""
    return bool(store.list(POD_GROUP) or store.list("Queue"))


@dataclass(slots=True, eq=False)
class Task:
    """A pod of a job. `status` is Volcano's; `possible` the node it was given before the gang was given up."""

    pod: PodInfo
    status: str
    node: str = ""
    possible: str = ""
    fit_error: str = ""
    overused: bool = False

    @property
    def name(self) -> str:
        """The pod's name."""
        return self.pod.pod.metadata.name

    @property
    def request(self) -> Amounts:
        """What the pod asks for."""
        return amounts(self.pod.requests)

    @property
    def best_effort(self) -> bool:
        """Whether it asks for nothing."""
        return not self.request


@dataclass(slots=True, eq=False)
class Job:
    """A PodGroup with its pods; `implicit` when the controller made it for pods that name none."""

    group: VolcanoPodGroup
    tasks: list[Task] = field(default_factory=list)
    priority: int = 0
    implicit: bool = False
    rejection: str = ""

    @property
    def key(self) -> str:
        """namespace/name"""
        return self.group.key

    @property
    def needed(self) -> int:
        """How many tasks have to start together."""
        return self.group.spec.min_member

    @property
    def queue(self) -> str:
        """The queue it draws from."""
        return self.group.spec.queue or DEFAULT_QUEUE

    @property
    def phase(self) -> str:
        """Pending, Inqueue, Running, Completed or Unknown."""
        return self.group.status.phase or "Pending"

    def with_status(self, *statuses: str) -> list[Task]:
        """Its tasks in one of the statuses."""
        return [task for task in self.tasks if task.status in statuses]

    @property
    def valid_tasks(self) -> int:
        """Tasks that are neither failed nor on their way out."""
        return len(self.with_status("Pending", "Allocated", "Running", "Succeeded"))

    @property
    def ready_tasks(self) -> int:
        """Tasks that have a node or are done; those that ask for nothing count from the start."""
        held = len(self.with_status("Allocated", "Running", "Succeeded"))
        return held + sum(1 for task in self.with_status("Pending") if task.best_effort)

    @property
    def ready(self) -> bool:
        """Whether as many are ready as have to be."""
        return self.ready_tasks >= self.needed

    @property
    def allocated(self) -> Amounts:
        """What its tasks with a node take."""
        return total(task.request for task in self.with_status("Allocated", "Running"))

    @property
    def order(self) -> tuple[int, bool, float, str]:
        """The place among the jobs of a queue: priority, unready ones first, age, name."""
        stamp = self.group.metadata.creation_timestamp
        return -self.priority, self.ready, parse_time(stamp) if stamp else 0.0, self.key


def find_jobs(store: Store, pods: list[PodInfo]) -> tuple[list[Job], list[PodInfo]]:
    """(all jobs, pods whose annotation names a PodGroup that does not exist).

    A pod joins by the annotation scheduling.k8s.io/group-name and by nothing else. For pods without it the controller
    makes a PodGroup with minMember 1, one for all pods of an owner.
    """
    groups: list[VolcanoPodGroup] = store.list(POD_GROUP)
    jobs = {group.key: Job(group) for group in groups}
    lost: list[PodInfo] = []
    for pod in pods:
        key = _group_key(pod.pod)
        if key not in jobs:
            if GROUP_NAME in pod.pod.metadata.annotations:
                lost.append(pod)
                continue
            jobs[key] = _implicit(pod)
        jobs[key].tasks.append(Task(pod, _status(pod.pod), pod.pod.spec.node_name))
    for job in jobs.values():
        job.priority = _priority(store, job)
        job.tasks.sort(key=lambda task: -task.pod.priority)
    return list(jobs.values()), lost


def _status(pod: Pod) -> str:
    if pod.status.phase in _STATUSES:
        return _STATUSES[pod.status.phase]
    if pod.metadata.deletion_timestamp:
        return "Releasing"
    return "Running" if pod.spec.node_name else "Pending"


def _group_key(pod: Pod) -> str:
    name = pod.metadata.annotations.get(GROUP_NAME)
    if name is None:
        owner = next((reference.uid for reference in pod.metadata.owner_references if reference.controller), "")
        name = f"podgroup-{owner or pod.metadata.uid}"
    return f"{pod.metadata.namespace}/{name}"


def _implicit(pod: PodInfo) -> Job:
    meta = pod.pod.metadata
    name = _group_key(pod.pod).removeprefix(f"{meta.namespace}/")
    spec = VolcanoPodGroupSpec(
        min_member=1,
        queue=meta.annotations.get(QUEUE_NAME, ""),
        priority_class_name=pod.pod.spec.priority_class_name,
    )
    group = VolcanoPodGroup(
        metadata=ObjectMeta(name=name, namespace=meta.namespace, creation_timestamp=meta.creation_timestamp),
        spec=spec,
        status=VolcanoPodGroupStatus(phase="Inqueue"),
    )
    return Job(group, implicit=True)


def _priority(store: Store, job: Job) -> int:
    name = job.group.spec.priority_class_name
    found: PriorityClass | None = store.get("PriorityClass", "", name) if name else None
    return found.value if found is not None else 0
