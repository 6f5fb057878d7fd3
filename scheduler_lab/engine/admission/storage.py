"""Defaults of claims, volumes and storage classes."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.cluster.claims import BETA_CLASS
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.storage import StorageClass

IS_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
FILESYSTEM = "Filesystem"


def admit_class(storage_class: StorageClass) -> StorageClass:
    """Immediate binding and deletion on release, unless said otherwise."""
    return replace(
        storage_class,
        volume_binding_mode=storage_class.volume_binding_mode or "Immediate",
        reclaim_policy=storage_class.reclaim_policy or "Delete",
    )


def admit_claim(claim: PersistentVolumeClaim, store: Store, *, created: bool) -> PersistentVolumeClaim:
    """The default storage class for a new claim that names none, a filesystem volume, and phase Pending."""
    spec = replace(claim.spec, volume_mode=claim.spec.volume_mode or FILESYSTEM)
    named = spec.storage_class_name is not None or BETA_CLASS in claim.metadata.annotations
    if created and not named:
        default = default_class(store)
        if default is not None:
            spec = replace(spec, storage_class_name=default.metadata.name)
    return replace(claim, spec=spec, status=replace(claim.status, phase=claim.status.phase or "Pending"))


def default_class(store: Store) -> StorageClass | None:
    """The class marked as default; of several the newest, then the first by name."""
    marked = [
        c
        for c in store.list("StorageClass")
        if any(c.metadata.annotations.get(annotation) == "true" for annotation in IS_DEFAULT)
    ]
    marked.sort(key=lambda c: c.metadata.name)
    marked.sort(key=lambda c: c.metadata.creation_timestamp or "", reverse=True)
    return marked[0] if marked else None


def admit_volume(volume: PersistentVolume) -> PersistentVolume:
    """A filesystem volume that is free to be bound, unless said otherwise."""
    spec = replace(volume.spec, volume_mode=volume.spec.volume_mode or FILESYSTEM)
    return replace(volume, spec=spec, status=replace(volume.status, phase=volume.status.phase or "Available"))
