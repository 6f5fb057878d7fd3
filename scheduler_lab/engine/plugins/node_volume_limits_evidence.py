"""Evidence of NodeVolumeLimits: the volumes on the node, one by one, against the driver's limit."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lab.engine.cluster.claims import NO_PROVISIONER
from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, text
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.storage import CSINode
from scheduler_lab.engine.plugins.csi_volumes import Attachable, VolumeCount


def cannot_count(pod: PodInfo, reason: str) -> Evidence:
    """A claim of the pod cannot be used."""
    return Evidence(text(N_("The volumes of %(pod)s cannot be counted: %(reason)s."), pod=pod.key, reason=reason))


def driver_missing(node: NodeInfo, driver: str) -> Evidence:
    """The driver is known to the cluster, but not on the node."""
    sentence = text(
        N_("The cluster has a CSIDriver %(driver)s, but the CSINode of %(node)s does not list it."),
        driver=driver,
        node=node.name,
    )
    return Evidence(sentence, marks=[Mark("CSIDriver", driver, "metadata.name"), _limit_mark(node.name, None, driver)])


def unlimited(pod: PodInfo, node: NodeInfo, wanted: Sequence[Attachable]) -> Evidence:
    """No driver of the pod's volumes has a limit here."""
    drivers = ", ".join(sorted({volume.driver for volume in wanted} - {NO_PROVISIONER}))
    if not drivers:
        sentence = text(N_("No volume of %(pod)s counts for a CSI driver on %(node)s."), pod=pod.key, node=node.name)
    else:
        sentence = text(
            N_("%(node)s sets no attach limit for the volumes of %(pod)s (%(drivers)s)."),
            node=node.name,
            pod=pod.key,
            drivers=drivers,
        )
    return Evidence(sentence)


def counted(
    pod: PodInfo, node: NodeInfo, csi_node: CSINode | None, driver: str, limit: int, count: VolumeCount
) -> Evidence:
    """Attached plus new volumes against the limit."""
    attached = [volume for volume in count.attached if volume.driver == driver]
    new = [volume for volume in count.new if volume.driver == driver]
    shared = [volume for volume in count.shared if volume.driver == driver]
    total = len(attached) + len(new)
    fits = total <= limit
    mark = _limit_mark(node.name, csi_node, driver)
    rows = [
        Row(text(N_("attached to %(node)s"), node=node.name), str(len(attached)), "", "used", len(attached)),
        Row(text(N_("new volumes of %(pod)s"), pod=pod.key), str(len(new)), "+", "pod", len(new)),
        Row(text(N_("needed")), str(total), "=", "ok" if fits else "bad", total),
        Row(
            text(N_("allocatable.count of %(driver)s"), driver=driver),
            str(limit),
            "≤" if fits else ">",
            "capacity",
            limit,
            mark,
        ),
    ]
    volumes = [[volume.title, volume.user, "1", ""] for volume in attached]
    volumes += [[volume.title, volume.user, "", "0"] for volume in shared]
    highlight = list(range(len(volumes), len(volumes) + len(new)))
    volumes += [[volume.title, volume.user, "", "1"] for volume in new]
    columns = [N_("Volume"), N_("Used by"), N_("Attached"), N_("New")]
    table = Table([text(column) for column in columns], volumes, highlight)
    names: dict[str, str | int] = {"node": node.name, "driver": driver, "limit": limit, "total": total, "pod": pod.key}
    if not fits:
        sentence = text(
            N_("With %(pod)s, %(node)s would have %(total)d volumes of %(driver)s; it can attach %(limit)d."), **names
        )
    elif not new:
        sentence = text(N_("The volumes of %(pod)s are attached to %(node)s already and cost nothing more."), **names)
    else:
        sentence = text(N_("With %(pod)s, %(node)s has %(total)d of at most %(limit)d volumes of %(driver)s."), **names)
    return Evidence(sentence, rows, table, [mark])


def _limit_mark(node: str, csi_node: CSINode | None, driver: str) -> Mark:
    drivers = csi_node.spec.drivers if csi_node is not None else []
    for index, entry in enumerate(drivers):
        if entry.name == driver:
            return Mark("CSINode", node, f"spec.drivers[{index}].allocatable.count")
    return Mark("CSINode", node, "spec.drivers")
