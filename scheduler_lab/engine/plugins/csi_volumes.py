"""Which volumes of which CSI driver a pod attaches to its node, as NodeVolumeLimits counts them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from scheduler_lab.engine.cluster.claims import claim_class
from scheduler_lab.engine.cluster.storage_drivers import (
    DRIVERS,
    Untranslatable,
    counts_as_csi,
    in_tree_plugin,
    volume_handle,
)
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.storage import CSINode, StorageClass
from scheduler_lab.engine.objects.volumes import Volume
from scheduler_lab.engine.plugins.pod_claims import (
    CLASS,
    VOLUME,
    claim_name,
    claim_not_found,
    controlled_by,
    find_claim,
    not_owner,
)

# What is not made yet has no identity; a name that no driver gives keeps it apart from every other volume.
_TO_BE_MADE = "\x00to-be-made"


class ClaimMissing(Exception):
    """The pod's claim does not exist; the text is the scheduler's."""


class ForeignClaim(Exception):
    """The claim of an ephemeral volume, or a volume itself, cannot be used by the pod; the text is the scheduler's."""


class Attachable(NamedTuple):
    """A volume that is attached to a node: its driver, what to call it, and who brought it."""

    driver: str
    title: str
    user: str


class VolumeCounter:
    """Looks up the volumes of pods. Different volumes have different keys (driver and identity)."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_pod(self, pod: PodInfo, csi_node: CSINode | None, *, strict: bool) -> dict[str, Attachable]:
        """The pod's volumes by key. Missing claims are ignored unless `strict`, where they raise ClaimMissing."""
        found: dict[str, Attachable] = {}
        for volume in pod.pod.spec.volumes:
            name = claim_name(pod.pod, volume)
            if name is None:
                identity, title = self._inline(volume, csi_node), volume.name
            else:
                claim = self._claim(pod, volume, name, strict)
                identity, title = (self._behind(claim, csi_node), name) if claim is not None else (None, name)
            if identity is not None:
                found[f"{identity[0]}/{identity[1]}"] = Attachable(identity[0], title, pod.key)
        return found

    def _claim(self, pod: PodInfo, volume: Volume, name: str, strict: bool) -> PersistentVolumeClaim | None:
        if not name:
            raise ForeignClaim("PersistentVolumeClaim had no name")
        claim = find_claim(self._store, pod, name)
        if claim is None:
            if strict:
                raise ClaimMissing(f"looking up PVC {pod.namespace}/{name}: {claim_not_found(name)}")
            return None
        if volume.ephemeral is not None and not controlled_by(claim, pod.pod):
            raise ForeignClaim(not_owner(claim, pod.pod))
        return claim

    def _inline(self, volume: Volume, csi_node: CSINode | None) -> tuple[str, str] | None:
        plugin = in_tree_plugin(volume)
        if not plugin or not counts_as_csi(csi_node, plugin):
            return None
        try:
            return DRIVERS[plugin], volume_handle(volume, {})
        except Untranslatable as problem:
            raise Untranslatable(f"converting volume({volume.name}) from inline to csi: {problem}") from problem

    def _behind(self, claim: PersistentVolumeClaim, csi_node: CSINode | None) -> tuple[str, str] | None:
        """(driver, identity) of the claim's volume, or None when it does not count."""
        volume: PersistentVolume | None = None
        if claim.spec.volume_name:
            volume = self._store.get(VOLUME, "", claim.spec.volume_name)
        if volume is None:
            return self._to_be_made(claim, csi_node)
        if volume.spec.csi is not None:
            csi = volume.spec.csi
            return (csi.driver, csi.volume_handle) if csi.driver and csi.volume_handle else None
        plugin = in_tree_plugin(volume.spec)
        if not plugin or not counts_as_csi(csi_node, plugin):
            return None
        try:
            handle = volume_handle(volume.spec, volume.metadata.labels)
        except Untranslatable:
            return None
        return (DRIVERS[plugin], handle) if handle else None

    def _to_be_made(self, claim: PersistentVolumeClaim, csi_node: CSINode | None) -> tuple[str, str] | None:
        name = claim_class(claim)
        storage_class: StorageClass | None = self._store.get(CLASS, "", name) if name else None
        if storage_class is None or not storage_class.provisioner:
            return None
        handle = f"{_TO_BE_MADE}-{claim.metadata.namespace}/{claim.metadata.name}"
        driver = DRIVERS.get(storage_class.provisioner)
        if driver is None:
            return storage_class.provisioner, handle
        return (driver, handle) if counts_as_csi(csi_node, storage_class.provisioner) else None

    def attachments(self, node: str) -> dict[str, Attachable]:
        """The volumes that VolumeAttachments say are attached to the node, by key."""
        found: dict[str, Attachable] = {}
        for attachment in self._store.list("VolumeAttachment"):
            spec = attachment.spec
            if spec.node_name != node or not spec.attacher or not spec.source.persistent_volume_name:
                continue
            volume: PersistentVolume | None = self._store.get(VOLUME, "", spec.source.persistent_volume_name)
            if volume is None or volume.spec.csi is None:
                continue
            found[f"{spec.attacher}/{volume.spec.csi.volume_handle}"] = Attachable(
                spec.attacher, volume.metadata.name, f"VolumeAttachment {attachment.metadata.name}"
            )
        return found


@dataclass(slots=True)
class VolumeCount:
    """The volumes of one pod and one node: what is attached, what the pod adds, and the limits by driver."""

    limits: dict[str, int]
    attached: list[Attachable] = field(default_factory=list)
    new: list[Attachable] = field(default_factory=list)
    shared: list[Attachable] = field(default_factory=list)

    def exceeded(self) -> str | None:
        """A driver whose limit the pod's volumes would exceed, or None."""
        attached = Counter(volume.driver for volume in self.attached)
        new = Counter(volume.driver for volume in self.new)
        for driver, count in new.items():
            if driver in self.limits and attached[driver] + count > self.limits[driver]:
                return driver
        return None
