"""Which events may make room for a pod that VolumeBinding rejected."""

from __future__ import annotations

from scheduler_lab.engine.cluster.storage_drivers import MIGRATED_PLUGINS
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.storage import CSIDriver, CSINode, CSIStorageCapacity, StorageClass
from scheduler_lab.engine.plugins.pod_claims import uses_claim
from scheduler_lab.engine.plugins.volume_binding.provisioning import volume_limit


def registrations() -> list[Registration]:
    """The events in upstream's order."""
    changed = Action.ADD | Action.UPDATE
    return [
        Registration(Resource.STORAGE_CLASS, changed, _class_changed),
        Registration(Resource.PERSISTENT_VOLUME_CLAIM, changed, _claim_changed),
        Registration(Resource.PERSISTENT_VOLUME, changed),
        Registration(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL),
        Registration(Resource.CSI_NODE, changed, _csi_node_changed),
        Registration(Resource.CSI_DRIVER, Action.UPDATE, _driver_changed),
        Registration(Resource.CSI_STORAGE_CAPACITY, changed, _capacity_changed),
    ]


def _queue_if(condition: bool) -> Hint:
    return Hint.QUEUE if condition else Hint.SKIP


def _class_changed(waiting: PodInfo, old: StorageClass | None, new: StorageClass | None) -> Hint:
    return _queue_if(new is not None and (old is None or old.allowed_topologies != new.allowed_topologies))


def _claim_changed(waiting: PodInfo, old: object, new: PersistentVolumeClaim | None) -> Hint:
    return _queue_if(new is not None and uses_claim(waiting, new, ephemeral=True))


def _csi_node_changed(waiting: PodInfo, old: CSINode | None, new: CSINode | None) -> Hint:
    if new is None or old is None:
        return _queue_if(new is not None)
    before, after = (node.metadata.annotations.get(MIGRATED_PLUGINS) for node in (old, new))
    return _queue_if(before != after)


def _driver_changed(waiting: PodInfo, old: CSIDriver | None, new: CSIDriver | None) -> Hint:
    """Only inline CSI volumes are looked at, although capacity is checked for claims alone."""
    if old is None or new is None or not old.spec.storage_capacity or new.spec.storage_capacity:
        return Hint.SKIP
    name = new.metadata.name
    return _queue_if(any(v.csi is not None and v.csi.driver == name for v in waiting.pod.spec.volumes))


def _capacity_changed(waiting: PodInfo, old: CSIStorageCapacity | None, new: CSIStorageCapacity | None) -> Hint:
    if new is None or old is None:
        return _queue_if(new is not None)
    before, after = volume_limit(old), volume_limit(new)
    return _queue_if(after is not None and (before is None or after.value() > before.value()))
