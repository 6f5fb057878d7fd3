"""What is checked only when something is created: its namespace, the LimitRanges and the ResourceQuotas."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.admission.errors import Refusal
from scheduler_lab.engine.admission.limit_ranges import check_claim_limits, check_pod_limits, with_limit_defaults
from scheduler_lab.engine.admission.quotas import check_quotas
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.config import Namespace
from scheduler_lab.engine.objects.meta import ObjectMeta
from scheduler_lab.engine.objects.pod import Pod

_MIRROR = "kubernetes.io/config.mirror"


def is_stored(meta: ObjectMeta) -> bool:
    """Whether an object comes from a dump: it has what only an API server gives. It was admitted long ago."""
    return bool(meta.uid and meta.creation_timestamp)


def admit_creation(obj: Any, store: Store) -> Any:
    """The object with the defaults of LimitRanges; raises Refusal when its namespace does not take it."""
    namespace = obj.metadata.namespace
    if not namespace:
        return obj
    found: Namespace | None = store.get("Namespace", "", namespace)
    if found is not None and (found.metadata.deletion_timestamp or found.status.phase == "Terminating"):
        raise Refusal(f"unable to create new content in namespace {namespace} because it is being terminated")
    if isinstance(obj, Pod) and _MIRROR not in obj.metadata.annotations:
        obj = with_limit_defaults(obj, store)
        check_pod_limits(obj, store)
    elif isinstance(obj, PersistentVolumeClaim):
        check_claim_limits(obj, store)
    check_quotas(obj, store)
    return obj
