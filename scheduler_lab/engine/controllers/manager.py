"""The controllers of a run: whose owners they are, and when each looks at its pods again.

Which owners act. The text decides: an owner of which it already holds any pod (owned or adoptable) is left alone, for
then the text tells what pods there are. Any other owner with a pod template makes its pods and is looked after from
then on: scaled, rolled out, its evicted pods replaced. So is every owner that a
Timeline step applies, and every one that another controller makes. Pods of the text count, but are not adopted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from msgspec.structs import replace

from scheduler_lab.engine.cluster.api_server import APIServer
from scheduler_lab.engine.controllers.client import Client
from scheduler_lab.engine.controllers.collector import GarbageCollector
from scheduler_lab.engine.controllers.cron_job import CronJobController
from scheduler_lab.engine.controllers.daemon_set import DaemonSetController
from scheduler_lab.engine.controllers.deployment import DeploymentController
from scheduler_lab.engine.controllers.disruption import DisruptionController
from scheduler_lab.engine.controllers.job import JobController
from scheduler_lab.engine.controllers.pods import Key, PodIndex, controller_of, is_active, key_of
from scheduler_lab.engine.controllers.replica_set import ReplicaController
from scheduler_lab.engine.controllers.stateful_set import StatefulSetController
from scheduler_lab.engine.objects.pod import Pod, PodTemplateSpec
from scheduler_lab.engine.problems import Problems
from scheduler_lab.engine.record import Event

# What may let a refused pod in when it changes, besides a pod that goes.
_ADMISSION = ("LimitRange", "Namespace", "PriorityClass", "ResourceQuota", "StorageClass")


class Controller(Protocol):
    """One kind's controller. `sync` returns the keys of other owners that should look again."""

    def template(self, owner: Any, /) -> PodTemplateSpec | None: ...
    def selects_pods(self, owner: Any, /) -> bool: ...
    def covered(self, owner: Any, /) -> bool: ...
    def sync(self, owner: Any, /) -> list[Key]: ...


class Controllers:
    """All controllers that make pods; listens to the store and acts when told to `sync`."""

    def __init__(
        self, api_server: APIServer, events: list[Event], problems: Problems, pod_created: Callable[[], None]
    ) -> None:
        self.index = PodIndex()
        self._store = api_server.store
        self._problems = problems
        self._client = client = Client(api_server, self.index, events, problems, pod_created)
        self._collector = GarbageCollector(api_server)
        self._budgets = DisruptionController(client)
        replicas = ReplicaController(client)
        self._controllers: dict[str, Controller] = {
            "CronJob": CronJobController(client),
            "Job": JobController(client),
            "Deployment": DeploymentController(client),
            "ReplicaSet": replicas,
            "ReplicationController": replicas,
            "StatefulSet": StatefulSetController(client),
            "DaemonSet": DaemonSetController(client),
        }
        self._managed: set[Key] = set()
        self._dirty: dict[Key, None] = {}
        self._loading = True
        self._changes = 0

    # -- the start of a run ------------------------------------------------------------------------------------

    def announce(self, objects: Iterable[Any]) -> None:
        """Tell of the pods of the text before they are created, so that they count from the beginning."""
        for obj in objects:
            if isinstance(obj, Pod):
                namespace = obj.metadata.namespace or "default"
                self.index.put(replace(obj, metadata=replace(obj.metadata, namespace=namespace)))

    def loaded(self) -> None:
        """Everything but the pending pods is created: from now on a changed owner is one to look after."""
        self._loading = False
        self._budgets.sync()

    def start(self, obj: Any) -> None:
        """Let the controller of an object of the text make its pods, unless the text holds them."""
        namespace = obj.metadata.namespace or "default"
        controller = self._controllers.get(obj.kind)
        owner = self._store.get(obj.kind, namespace, obj.metadata.name)
        if controller is None or owner is None or key_of(owner) in self._managed:
            return
        if self._able(controller, owner) and not controller.covered(owner):
            self._managed.add(key_of(owner))
            self._mark(key_of(owner))
            self.sync()

    def refused(self, pod: Pod) -> None:
        """A pod of the text was not created after all."""
        namespace = pod.metadata.namespace or "default"
        self.index.remove(replace(pod, metadata=replace(pod.metadata, namespace=namespace)))

    # -- the course of a run -----------------------------------------------------------------------------------

    def sync(self) -> bool:
        """Let every controller act that has reason to; whether anything changed."""
        before = self._changes
        self._collector.collect()
        while self._dirty:
            key = next(iter(self._dirty))
            del self._dirty[key]
            owner = self._store.get(*key)
            controller = self._controllers[key[0]]
            if owner is None or not self._able(controller, owner):
                continue
            for other in controller.sync(owner):
                self._mark(other)
        changed = self._changes != before
        self._budgets.sync()
        return changed

    def __call__(self, kind: str, old: Any, new: Any) -> None:
        """A change in the store."""
        self._changes += 1
        if kind == "Pod":
            self._budgets.stale = True
            self._pod(old, new)
        elif kind in self._controllers:
            self._budgets.stale = True
            self._owner(old, new)
        elif kind == "Node":
            for key in self._managed:
                if key[0] == "DaemonSet":
                    self._mark(key)
        elif kind == "PodDisruptionBudget":
            self._budgets.observe(old, new)
        elif kind in _ADMISSION:
            if kind == "Namespace" and new is None:
                self._collector.namespace_deleted(old.metadata.name)
            self._retry(None)

    def _pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is not None:
            self.index.put(new)
        elif old is not None:
            self.index.remove(old)
            self._retry(old.metadata.namespace)
        if old is not None and new is not None and _counts_alike(old, new):
            if old.spec.node_name != new.spec.node_name or old.status.phase != new.status.phase:
                self._progress(new)
            return
        for pod in (old, new):
            if pod is not None:
                self._counted(pod, deleted=new is None)

    def _counted(self, pod: Pod, *, deleted: bool) -> None:
        """A pod is there, or is gone: its controller looks again, and for one without, all that may have counted it."""
        reference = controller_of(pod)
        if reference is not None:
            self._mark((reference.kind, pod.metadata.namespace, reference.name))
        elif deleted:
            for key in self._managed:
                if key[1] == pod.metadata.namespace:
                    self._mark(key)

    def _progress(self, pod: Pod) -> None:
        """A pod got a node: for those that wait for pods to run. A ReplicaSet does not; its Deployment does."""
        reference = controller_of(pod)
        if reference is None or reference.kind in ("ReplicationController", "Job"):
            return
        key = (reference.kind, pod.metadata.namespace, reference.name)
        if reference.kind == "ReplicaSet":
            owner = self._store.get(*key)
            parent = controller_of(owner) if owner is not None else None
            if parent is None:
                return
            key = (parent.kind, pod.metadata.namespace, parent.name)
        self._mark(key)

    def _owner(self, old: Any, new: Any) -> None:
        if new is None:
            self._managed.discard(key_of(old))
            self._dirty.pop(key_of(old), None)
            self._collector.owner_deleted(old)
            parent = controller_of(old)
            if parent is not None:
                self._mark((parent.kind, old.metadata.namespace, parent.name))
            return
        if not self._loading and (old is None or old.spec != new.spec):
            self._managed.add(key_of(new))
            self._mark(key_of(new))

    def _retry(self, namespace: str | None) -> None:
        """Let owners try again whose pods were refused."""
        for key in self._client.failed:
            if namespace is None or key[1] == namespace:
                self._mark(key)

    def _mark(self, key: Key) -> None:
        if key in self._managed:
            self._dirty[key] = None

    def _able(self, controller: Controller, owner: Any) -> bool:
        """Whether the owner makes pods at all: a template without containers is met in texts that only need labels."""
        template = controller.template(owner)
        if template is None or not template.spec.containers:
            return False
        if not controller.selects_pods(owner):
            group = "" if owner.api_version == "v1" else f".{owner.api_version.partition('/')[0]}"
            message = f'{owner.kind}{group} "{owner.metadata.name}" is invalid: spec.selector: Required value'
            self._problems.refused(owner, message)
            return False
        return True


def _counts_alike(old: Pod, new: Pod) -> bool:
    """Whether a controller that counts pods sees no difference."""
    return (
        is_active(old) == is_active(new)
        and old.metadata.labels == new.metadata.labels
        and old.metadata.owner_references == new.metadata.owner_references
    )
