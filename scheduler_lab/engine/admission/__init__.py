"""What the API server does to an object before storing it: defaults, priority, merged selectors.

Modelled on Kubernetes v1.35's defaulting of core/v1 and its admission plugins Priority, DefaultTolerationSeconds,
DefaultStorageClass and the pod strategy's merging of matchLabelKeys. NamespaceLifecycle, LimitRanger and ResourceQuota
look only at what is created (`admit_creation`).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scheduler_lab.engine.admission.creation import admit_creation, is_stored
from scheduler_lab.engine.admission.devices import admit_claim_template, admit_resource_claim
from scheduler_lab.engine.admission.errors import AdmissionError, Refusal
from scheduler_lab.engine.admission.limit_ranges import admit_limit_range
from scheduler_lab.engine.admission.nodes import admit_node
from scheduler_lab.engine.admission.pods import admit_pod
from scheduler_lab.engine.admission.storage import admit_claim, admit_class, admit_volume
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.config import LimitRange, Namespace
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.resource import ResourceClaim, ResourceClaimTemplate
from scheduler_lab.engine.objects.storage import StorageClass

NAME_LABEL = "kubernetes.io/metadata.name"

__all__ = ["AdmissionError", "Refusal", "admit", "admit_creation", "is_stored"]


def admit(obj: Any, store: Store, gates: FeatureGates, *, created: bool) -> Any:
    """The object as the API server would store it; raises AdmissionError with its message when it is refused."""
    if isinstance(obj, Pod):
        return admit_pod(obj, store, gates, created=created)
    if isinstance(obj, Node):
        return admit_node(obj)
    if isinstance(obj, Namespace):
        labels = {**obj.metadata.labels, NAME_LABEL: obj.metadata.name}
        return replace(obj, metadata=replace(obj.metadata, labels=labels))
    if isinstance(obj, PersistentVolumeClaim):
        return admit_claim(obj, store, created=created)
    if isinstance(obj, PersistentVolume):
        return admit_volume(obj)
    if isinstance(obj, StorageClass):
        return admit_class(obj)
    if isinstance(obj, LimitRange):
        return admit_limit_range(obj)
    if isinstance(obj, ResourceClaim):
        return admit_resource_claim(obj)
    if isinstance(obj, ResourceClaimTemplate):
        return admit_claim_template(obj)
    return obj
