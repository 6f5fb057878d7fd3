"""The API server's part: admission of what is created, the binding subresource, and names for what has none."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scheduler_lab.engine.admission import AdmissionError, admit, admit_creation, is_stored
from scheduler_lab.engine.cluster.claim_controller import ClaimController
from scheduler_lab.engine.cluster.generated_names import generated
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.cluster.termination import Terminations
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.objects.config import Namespace
from scheduler_lab.engine.objects.meta import ObjectMeta, format_time, parse_time
from scheduler_lab.engine.objects.pod import FINISHED_PHASES, Pod, PodCondition
from scheduler_lab.engine.objects.registry import is_namespaced, stored_kind

FIRST_CREATION = parse_time("2026-01-01T00:00:00Z")
FIRST_BINDING = parse_time("2030-01-01T00:00:00Z")


class APIServer:
    """Creates, updates and deletes objects as clients and the scheduler ask for it."""

    def __init__(self, store: Store, gates: FeatureGates) -> None:
        self.store = store
        self._gates = gates
        self.evicted: list[str] = []
        self.terminations: Terminations | None = None
        self._bindings = 0
        self._created = 0
        self._made: dict[str, int] = {}
        self.claim_controller = ClaimController(store, self.apply)

    def apply(self, obj: Any) -> Any:
        """Create the object or update the existing one; raises AdmissionError when it is refused.

        An update keeps the status, UID and nodeName that the new text does not give. What comes from a dump, with a
        UID and a creation time, is not held against quotas and limits again.
        """
        obj = self.named(obj)
        meta = obj.metadata
        namespace = (meta.namespace or "default") if is_namespaced(obj.kind) else ""
        if namespace:
            self._ensure_namespace(namespace)
        old = self.store.get(stored_kind(obj.kind, obj.api_version), namespace, meta.name)
        uid = meta.uid or self._uid(obj.kind, namespace, meta.name, old)
        obj = replace(obj, metadata=replace(meta, namespace=namespace, uid=uid))
        if old is not None:
            obj = _keep_from(old, obj)
        if not obj.metadata.creation_timestamp:
            self._created += 1
            stamp = format_time(FIRST_CREATION + self._created)
            obj = replace(obj, metadata=replace(obj.metadata, creation_timestamp=stamp))
        obj = admit(obj, self.store, self._gates, created=old is None)
        if isinstance(obj, Pod) and obj.status.phase in FINISHED_PHASES and old is None:
            return obj
        if old is None and not is_stored(meta):
            obj = admit_creation(obj, self.store)
        if isinstance(obj, Pod) and old is None:
            obj = self.claim_controller.with_claims(obj)
        self.store.put(obj)
        return obj

    def named(self, obj: Any) -> Any:
        """The object with a name made from its generateName, if that is all it has."""
        meta = obj.metadata
        if meta.name or not meta.generate_name:
            return obj
        key = f"{obj.kind} {meta.namespace}/{meta.generate_name}"
        count = self._made[key] = self._made.get(key, 0) + 1
        return replace(obj, metadata=replace(meta, name=generated(meta.generate_name, key, count)))

    def _ensure_namespace(self, name: str) -> None:
        if self.store.get("Namespace", "", name) is None:
            self.apply(Namespace(metadata=ObjectMeta(name=name)))

    def _uid(self, kind: str, namespace: str, name: str, old: Any | None) -> str:
        if old is not None:
            return str(old.metadata.uid)
        base = f"{namespace}/{name}" if namespace else name
        count = self._made[f"{kind} {base}"] = self._made.get(f"{kind} {base}", 0) + 1
        return base if count == 1 else f"{base}#{count}"

    def delete(self, kind: str, namespace: str, name: str) -> bool:
        """Delete an object at once; False if there is none."""
        return self.store.delete(kind, namespace, name) is not None

    def evict(self, pod: Pod) -> None:
        """Delete a pod on the scheduler's behalf; with `terminations` it is gone when its grace period is over."""
        meta = pod.metadata
        current: Pod | None = self.store.get("Pod", meta.namespace, meta.name)
        if current is None:
            return
        if self.terminations is None or not self.terminations.begin(current):
            self.store.delete("Pod", meta.namespace, meta.name)
        self.evicted.append(f"{meta.namespace}/{meta.name}")

    def bind(self, pod: Pod, node: str) -> str:
        """The pods/binding subresource: "" when bound, else the API server's refusal."""
        meta = pod.metadata
        current: Pod | None = self.store.get("Pod", meta.namespace, meta.name)
        if current is None or current.metadata.uid != meta.uid:
            return f'pods "{meta.name}" not found'
        if current.spec.node_name:
            return (
                f'Operation cannot be fulfilled on pods/binding "{meta.name}": '
                f'pod {meta.name} is already assigned to node "{current.spec.node_name}"'
            )
        self._bindings += 1
        conditions = [c for c in current.status.conditions if c.type != "PodScheduled"]
        conditions.append(PodCondition(type="PodScheduled", status="True"))
        status = replace(
            current.status,
            conditions=conditions,
            phase="Running",
            start_time=format_time(FIRST_BINDING + self._bindings),
        )
        if self._gates.enabled("ClearingNominatedNodeNameAfterBinding"):
            status = replace(status, nominated_node_name="")
        self.store.put(replace(current, spec=replace(current.spec, node_name=node), status=status))
        return ""


def _keep_from(old: Any, new: Any) -> Any:
    """What an update leaves as it was."""
    kept: dict[str, Any] = {}
    status = getattr(new, "status", None)
    if status is not None and status == type(status)():
        kept["status"] = old.status
    if isinstance(new, Pod) and not new.spec.node_name and old.spec.node_name:
        kept["spec"] = replace(new.spec, node_name=old.spec.node_name)
    meta = new.metadata
    if not meta.creation_timestamp and old.metadata.creation_timestamp:
        kept["metadata"] = replace(meta, creation_timestamp=old.metadata.creation_timestamp)
    return replace(new, **kept) if kept else new


__all__ = ["APIServer", "AdmissionError"]
