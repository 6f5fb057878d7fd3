"""Job: pods that run to completion, `parallelism` of them at a time (kube-controller-manager v1.35, job).

Nothing completes here, for there is no kubelet: a Job keeps its first `parallelism` pods, less what its status and the
finished pods of the text say is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.pods import Key
from scheduler_lab.engine.controllers.ranking import by_deletion
from scheduler_lab.engine.controllers.template import pod_from, with_labels
from scheduler_lab.engine.objects.batch import Job
from scheduler_lab.engine.objects.containers import Container, EnvVar, EnvVarSource, ObjectFieldSelector
from scheduler_lab.engine.objects.meta import LabelSelector
from scheduler_lab.engine.objects.pod import Pod, PodTemplateSpec

PREFIX = "batch.kubernetes.io/"
TRACKING = f"{PREFIX}job-tracking"
INDEX = f"{PREFIX}job-completion-index"
_INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
# Indexes are listed one by one; a larger Job is cut at what the controllers make in a run anyway.
_MOST_INDEXES = 100_000


class JobController:
    """Keeps as many pods active as the Job may run at once."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def template(self, owner: Job) -> PodTemplateSpec | None:
        """The template of the owner's pods."""
        return owner.spec.template

    def selects_pods(self, owner: Job) -> bool:
        """Whether the owner has a selector: the API server makes one, unless it is to be given by hand."""
        return not owner.spec.manual_selector or owner.spec.selector is not None

    def covered(self, owner: Job) -> bool:
        """Whether the text already holds some of the owner's pods, or the Job has ended."""
        return _ended(owner) or bool(self._pods(owner))

    def sync(self, owner: Job) -> list[Key]:
        """Create what is missing up to the first refusal, or delete what is too much."""
        if _ended(owner):
            return []
        pods = self._pods(owner)
        missing = self._wanted(owner) - len(pods)
        if missing < 0:
            for pod in by_deletion(pods)[:-missing]:
                self._client.delete_pod(owner, pod)
        elif owner.spec.completion_mode == "Indexed":
            for index in self._free_indexes(owner, pods, missing):
                if not self._create(owner, index):
                    break
        else:
            for _ in range(missing):
                if not self._create(owner, None):
                    break
        return []

    def _pods(self, owner: Job) -> list[Pod]:
        selector: LabelSelector | None = owner.spec.selector if owner.spec.manual_selector else None
        return self._client.index.counted(owner, selector)

    def _succeeded(self, owner: Job) -> list[Pod]:
        return [pod for pod in self._client.index.owned(owner) if pod.status.phase == "Succeeded"]

    def _wanted(self, owner: Job) -> int:
        """How many pods are to be active."""
        spec = owner.spec
        if spec.suspend:
            return 0
        parallelism = 1 if spec.parallelism is None else max(spec.parallelism, 0)
        done = max(owner.status.succeeded, len(self._succeeded(owner)))
        if spec.completions is None:
            # One pod by default; with parallelism alone the pods share a work queue, and one success means no more.
            work_queue = spec.parallelism is not None
            return parallelism if work_queue and not done else max(1 - done, 0)
        return min(parallelism, max(spec.completions - done, 0))

    def _free_indexes(self, owner: Job, pods: list[Pod], missing: int) -> Iterator[int]:
        """The lowest completion indexes that are neither done nor taken, as many as are missing."""
        taken = {_index_of(pod) for pod in pods} | {_index_of(pod) for pod in self._succeeded(owner)}
        done = _intervals(owner.status.completed_indexes)
        for index in range(min(owner.spec.completions or 0, _MOST_INDEXES)):
            if missing <= 0:
                return
            if str(index) not in taken and not any(low <= index <= high for low, high in done):
                missing -= 1
                yield index

    def _create(self, owner: Job, index: int | None) -> bool:
        base = owner.metadata.name if index is None else f"{owner.metadata.name}-{index}"
        pod = pod_from(owner.spec.template, owner, self._client.pod_name(owner, f"{base}-"))
        uid, name = re.sub(r"[^-A-Za-z0-9_.]", "-", owner.metadata.uid), owner.metadata.name
        labels = {
            f"{PREFIX}controller-uid": uid,
            f"{PREFIX}job-name": name,
            "controller-uid": uid,
            "job-name": name,
        }
        if index is not None:
            labels[INDEX] = str(index)
        pod = with_labels(pod, labels)
        pod = replace(pod, metadata=replace(pod.metadata, finalizers=[*pod.metadata.finalizers, TRACKING]))
        return self._client.create_pod(owner, pod if index is None else _indexed(pod, base, index))


def _indexed(pod: Pod, hostname: str, index: int) -> Pod:
    annotations = {**pod.metadata.annotations, INDEX: str(index)}
    spec = replace(
        pod.spec,
        hostname=pod.spec.hostname or hostname,
        containers=[_with_index(c) for c in pod.spec.containers],
        init_containers=[_with_index(c) for c in pod.spec.init_containers],
    )
    return replace(pod, metadata=replace(pod.metadata, annotations=annotations), spec=spec)


def _with_index(container: Container) -> Container:
    if any(variable.name == _INDEX_VARIABLE for variable in container.env):
        return container
    source = EnvVarSource(field_ref=ObjectFieldSelector(field_path=f"metadata.annotations['{INDEX}']"))
    return replace(container, env=[*container.env, EnvVar(name=_INDEX_VARIABLE, value_from=source)])


def _index_of(pod: Pod) -> str:
    return pod.metadata.annotations.get(INDEX, "")


def _intervals(text: str) -> list[tuple[int, int]]:
    """`1,3-5` as [(1, 1), (3, 5)]; what cannot be read is left out."""
    found = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        if re.fullmatch(r"[0-9]{1,9}", low) and re.fullmatch(r"[0-9]{0,9}", high):
            found.append((int(low), int(high or low)))
    return found


def _ended(owner: Job) -> bool:
    return any(c.type in ("Complete", "Failed") and c.status == "True" for c in owner.status.conditions)
