"""The in-tree volume plugins that have moved to CSI drivers (v1.35, csi-translation-lib)."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from scheduler_lab.engine.objects.persistent import PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.objects.storage import CSINode
from scheduler_lab.engine.objects.volumes import Volume

EBS: Final = "kubernetes.io/aws-ebs"
GCE_PD: Final = "kubernetes.io/gce-pd"
AZURE_DISK: Final = "kubernetes.io/azure-disk"
AZURE_FILE: Final = "kubernetes.io/azure-file"
CINDER: Final = "kubernetes.io/cinder"
PORTWORX: Final = "kubernetes.io/portworx-volume"
VSPHERE: Final = "kubernetes.io/vsphere-volume"
MIGRATED_PLUGINS: Final = "storage.alpha.kubernetes.io/migrated-plugins"

DRIVERS: Final[dict[str, str]] = {
    EBS: "ebs.csi.aws.com",
    GCE_PD: "pd.csi.storage.gke.io",
    AZURE_DISK: "disk.csi.azure.com",
    AZURE_FILE: "file.csi.azure.com",
    CINDER: "cinder.csi.openstack.org",
    PORTWORX: "pxd.portworx.com",
    VSPHERE: "csi.vsphere.vmware.com",
}
_ALWAYS_COUNTED: Final = frozenset({EBS, GCE_PD, AZURE_DISK, CINDER})
_TRANSLATED: Final = _ALWAYS_COUNTED | {PORTWORX}
_TOPOLOGY_KEYS: Final[dict[str, str]] = {
    EBS: "topology.ebs.csi.aws.com/zone",
    GCE_PD: "topology.gke.io/zone",
    AZURE_DISK: "topology.disk.csi.azure.com/zone",
    CINDER: "topology.cinder.csi.openstack.org/zone",
}
_ZONE: Final = "topology.kubernetes.io/zone"
_BETA_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
_SEPARATOR: Final = "__"
_EBS_ID: Final = re.compile(r"vol-[^/]*")


class Untranslatable(ValueError):
    """A volume whose identity has not the form that its CSI driver needs."""


def csi_driver(provisioner: str) -> str:
    """The CSI driver behind a provisioner: the successor of an in-tree one, else the provisioner itself."""
    return DRIVERS.get(provisioner, provisioner)


def in_tree_plugin(source: PersistentVolumeSpec | Volume) -> str:
    """The name of the migratable in-tree plugin whose source is set; "" for every other kind of volume."""
    sources = (
        (EBS, source.aws_elastic_block_store),
        (GCE_PD, source.gce_persistent_disk),
        (AZURE_DISK, source.azure_disk),
        (AZURE_FILE, source.azure_file),
        (CINDER, source.cinder),
        (PORTWORX, source.portworx_volume),
        (VSPHERE, source.vsphere_volume),
    )
    return next((name for name, value in sources if value is not None), "")


def _announced(csi_node: CSINode, plugin: str) -> bool:
    return plugin in csi_node.metadata.annotations.get(MIGRATED_PLUGINS, "").split(",")


def counts_as_csi(csi_node: CSINode | None, plugin: str) -> bool:
    """Whether a node counts an in-tree plugin's volumes for its CSI driver (NodeVolumeLimits' rule)."""
    if csi_node is None:
        return False
    return plugin in _ALWAYS_COUNTED or (plugin == PORTWORX and _announced(csi_node, plugin))


def translated_on(csi_node: CSINode | None, plugin: str) -> bool:
    """Whether a node uses an in-tree plugin's volumes through CSI, as its annotation says (VolumeBinding's rule)."""
    return csi_node is not None and plugin in _TRANSLATED and _announced(csi_node, plugin)


def volume_handle(source: PersistentVolumeSpec | Volume, labels: dict[str, str]) -> str:
    """The identity that the CSI driver would know an in-tree volume by. Raises Untranslatable for a bad one.

    `labels` are those of the volume object: a GCE disk's identity holds its zones.
    """
    if source.aws_elastic_block_store is not None:
        return _ebs_id(source.aws_elastic_block_store.volume_id)
    if source.gce_persistent_disk is not None:
        return f"projects/UNSPECIFIED/{_gce_place(labels)}/disks/{source.gce_persistent_disk.pd_name}"
    if source.azure_disk is not None:
        return source.azure_disk.disk_uri
    if source.cinder is not None:
        return source.cinder.volume_id
    return source.portworx_volume.volume_id if source.portworx_volume is not None else ""


def _ebs_id(text: str) -> str:
    path = text.removeprefix("aws://").partition("/")[2] if text.startswith("aws://") else text
    if not _EBS_ID.fullmatch(path.strip("/")):
        raise Untranslatable(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({text})"
        )
    return path.strip("/")


def _gce_place(labels: dict[str, str]) -> str:
    zones = (labels.get(_BETA_ZONE) or labels.get(_ZONE) or "").split(_SEPARATOR)
    if len(zones) > 1:
        return f"regions/{zones[0].rpartition('-')[0]}"
    return f"zones/{zones[0] or 'UNSPECIFIED'}"


def translated(volume: PersistentVolume) -> PersistentVolume:
    """An in-tree volume as its CSI driver sees it: zones in node affinity (or labels) under the driver's own key.

    Raises Untranslatable where upstream cannot translate it.
    """
    plugin = in_tree_plugin(volume.spec)
    volume_handle(volume.spec, volume.metadata.labels)
    key = _TOPOLOGY_KEYS.get(plugin)
    if key is None:
        return volume
    affinity = volume.spec.node_affinity
    terms = affinity.required.node_selector_terms if affinity is not None and affinity.required is not None else []
    zone = _zone_key(volume, terms)
    if any(requirement.values for term in terms for requirement in _in(term, zone)):
        terms = [_renamed(term, zone, key) for term in terms]
    elif zone in volume.metadata.labels:
        values = sorted({z.strip() for z in volume.metadata.labels[zone].split(_SEPARATOR) if z.strip()})
        if not values:
            raise Untranslatable("there are no valid zones to add to pv")
        added = NodeSelectorRequirement(key=key, operator="In", values=values)
        terms = [
            replace(term, match_expressions=[*term.match_expressions, added]) for term in terms or [NodeSelectorTerm()]
        ]
    else:
        return volume
    required = NodeSelector(node_selector_terms=terms)
    return replace(volume, spec=replace(volume.spec, node_affinity=VolumeNodeAffinity(required=required)))


def _in(term: NodeSelectorTerm, key: str) -> list[NodeSelectorRequirement]:
    return [r for r in term.match_expressions if r.key == key and r.operator == "In"]


def _names(term: NodeSelectorTerm, key: str) -> bool:
    return any(requirement.key == key for requirement in term.match_expressions)


def _zone_key(volume: PersistentVolume, terms: list[NodeSelectorTerm]) -> str:
    """Which of the two zone labels the volume uses: the one in its affinity, else the one on it; stable first."""
    for used in (lambda key: any(_names(term, key) for term in terms), volume.metadata.labels.__contains__):
        for key in (_ZONE, _BETA_ZONE):
            if used(key):
                return key
    return _ZONE


def _renamed(term: NodeSelectorTerm, old: str, new: str) -> NodeSelectorTerm:
    expressions = [replace(r, key=new) if r.key == old else r for r in term.match_expressions]
    return replace(term, match_expressions=expressions)
