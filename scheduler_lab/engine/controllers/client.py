"""What controllers ask of the API server, and the events they emit about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_lab.engine.admission import AdmissionError
from scheduler_lab.engine.cluster.api_server import APIServer
from scheduler_lab.engine.cluster.generated_names import generated
from scheduler_lab.engine.controllers.pods import Key, PodIndex, key_of
from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.problems import Problems
from scheduler_lab.engine.record import Event

MOST_PODS = 5000
TOO_MANY = N_("The controllers make at most %(limit)s pods in one run.")


class Client:
    """Creates and deletes on behalf of controllers. `created` is called after every pod that was made."""

    def __init__(
        self,
        api_server: APIServer,
        index: PodIndex,
        events: list[Event],
        problems: Problems,
        created: Callable[[], None],
    ) -> None:
        self.store = api_server.store
        self.index = index
        self.revisions: dict[str, str] = {}
        self.failed: dict[Key, str] = {}
        self._api_server = api_server
        self._events = events
        self._problems = problems
        self._created = created
        self._made: dict[Key, int] = {}
        self._pods = 0

    @property
    def exhausted(self) -> bool:
        """Whether no further pod is made; the first time this stops a controller it is told."""
        return self._pods >= MOST_PODS

    def pod_name(self, owner: KubeObject, base: str) -> str:
        """The next free name for a pod of the owner that begins with `base`."""
        namespace = owner.metadata.namespace
        number = self._made.get(key_of(owner), 0)
        while True:
            name = generated(base, owner.metadata.uid, number)
            if self.index.get(namespace, name) is None:
                return name
            number += 1

    def make_pod(self, owner: KubeObject, pod: Pod, revision: str = "") -> str:
        """Create a pod; "" or why it was refused, in the API server's words."""
        if self.exhausted:
            self._problems.add(TOO_MANY, owner, limit=MOST_PODS)
            return str(TOO_MANY % {"limit": MOST_PODS})
        refusal = self.make(pod)
        if refusal:
            return refusal
        self._pods += 1
        self._made[key_of(owner)] = self._made.get(key_of(owner), 0) + 1
        self.revisions[f"{pod.metadata.namespace}/{pod.metadata.name}"] = revision
        self.failed.pop(key_of(owner), None)
        self._created()
        return ""

    def make(self, obj: Any) -> str:
        """Create or update any object; "" or why it was refused, in the API server's words."""
        try:
            self._api_server.apply(obj)
        except AdmissionError as refusal:
            return refusal.as_answer(obj)
        return ""

    def remove(self, obj: KubeObject) -> None:
        """Delete an object."""
        self._api_server.delete(obj.kind, obj.metadata.namespace, obj.metadata.name)

    def event(self, owner: KubeObject, reason: str, message: str) -> None:
        """Emit an event about the owner."""
        self._events.append(Event("Normal", reason, f"{owner.kind} {owner.key}", message))

    def failure(self, owner: KubeObject, reason: str, message: str) -> None:
        """Emit a warning about the owner, unless it is the last one again."""
        if self.failed.get(key_of(owner)) == message:
            return
        self.failed[key_of(owner)] = message
        self._events.append(Event("Warning", reason, f"{owner.kind} {owner.key}", message))

    # -- what most controllers do ------------------------------------------------------------------------------

    def create_pod(self, owner: KubeObject, pod: Pod, revision: str = "") -> bool:
        """Create a pod and tell of it as the controllers with generated names do; False when it was refused."""
        refusal = self.make_pod(owner, pod, revision)
        if refusal:
            self.failure(owner, "FailedCreate", f"Error creating: {refusal}")
            return False
        self.event(owner, "SuccessfulCreate", f"Created pod: {pod.metadata.name}")
        return True

    def delete_pod(self, owner: KubeObject, pod: Pod) -> None:
        """Delete a pod and tell of it."""
        self.remove(pod)
        self.event(owner, "SuccessfulDelete", f"Deleted pod: {pod.metadata.name}")

    def revision_of(self, pod: Pod, unknown: str) -> str:
        """The template revision that a pod was made from; `unknown` for pods of the text."""
        return self.revisions.get(f"{pod.metadata.namespace}/{pod.metadata.name}", unknown)
