"""Volumes that cannot be used, found, made or attached on a node."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.cluster.claims import capacity, claim_class, requested
from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Change, Create, Ref, Remove, Set
from scheduler_lab.engine.explain.fixes.families.claims import claim_names, volume_document
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, delete_pods
from scheduler_lab.engine.explain.fixes.model import DRASTIC, LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation, node_ref
from scheduler_lab.engine.manifests.located import parse_path
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.storage import CSINode, CSIStorageCapacity
from scheduler_lab.engine.plugins.pod_claims import CLAIM, VOLUME, claim_name

ONE_POD = "ReadWriteOncePod"


def volumes(situation: Situation) -> Iterator[Candidate]:
    """Whatever the volume plugins' verdicts suggest."""
    for rejection in situation.by("VolumeBinding")[:SHOWN_NODES]:
        if "node(s) didn't find available persistent volumes to bind" in rejection.reasons:
            yield from _near_misses(situation, rejection)
            yield from _new_volume(situation)
        elif "node(s) did not have enough free storage" in rejection.reasons:
            yield from _capacity(situation, rejection)
        else:
            yield from _elsewhere(situation, rejection)
    for rejection in situation.by("VolumeZone")[:SHOWN_NODES]:
        yield from _zone(situation, rejection)
    if situation.by("VolumeRestrictions"):
        yield from _exclusive(situation)
    for rejection in situation.by("NodeVolumeLimits")[:SHOWN_NODES]:
        yield from _limit(situation, rejection)


def _claim(situation: Situation, name: str) -> tuple[Ref, PersistentVolumeClaim] | None:
    ref = Ref(CLAIM, situation.namespace, name)
    found = situation.book.get(ref)
    return (ref, found) if isinstance(found, PersistentVolumeClaim) else None


def _volume(situation: Situation, name: str) -> tuple[Ref, PersistentVolume] | None:
    ref = Ref(VOLUME, "", name)
    found = situation.book.get(ref)
    return (ref, found) if isinstance(found, PersistentVolume) else None


# -- finding a volume --------------------------------------------------------------------------------------------


def _near_misses(situation: Situation, rejection: Rejection) -> Iterator[Candidate]:
    """Volumes that fail a single check against the claim."""
    for row in rejection.failed_rows:
        claim, volume = _claim(situation, row[0]), _volume(situation, row[1])
        if claim is None or volume is None:
            continue
        names = {"claim": row[0], "volume": row[1]}
        change: Change
        if row[2].endswith("✗"):
            change = Set(volume[0], ("spec", "storageClassName"), claim_class(claim[1]))
            yield Candidate(
                "volume-class",
                "cluster",
                text(N_("Give the volume %(volume)s the class of %(claim)s"), **names),
                text(N_("A claim and its volume must be of the same storage class.")),
                (change,),
                SMALL,
            )
        elif "<" in row[4]:
            change = Set(claim[0], ("spec", "resources", "requests", "storage"), str(capacity(volume[1])))
            yield Candidate(
                "smaller-claim",
                "pod",
                text(N_("Let %(claim)s ask for no more than %(size)s"), size=str(capacity(volume[1])), **names),
                text(N_("The volume %(volume)s is smaller than the claim."), **names),
                (change,),
                SMALL,
            )
        elif row[8] == "✗":
            change = Set(claim[0], ("spec", "accessModes"), volume[1].spec.access_modes)
            modes = ", ".join(volume[1].spec.access_modes)
            yield Candidate(
                "access-modes",
                "pod",
                text(N_("Let %(claim)s ask for %(modes)s"), modes=modes, **names),
                text(N_("The volume %(volume)s offers no other access mode."), **names),
                (change,),
                SMALL,
            )


def _new_volume(situation: Situation) -> Iterator[Candidate]:
    for name, _ephemeral in claim_names(situation).values():
        claim = _claim(situation, name)
        if claim is None or claim[1].spec.volume_name:
            continue
        asked = {
            "storage": requested(claim[1]).text,
            "modes": claim[1].spec.access_modes,
            "class": claim_class(claim[1]),
        }
        yield Candidate(
            "create-volume",
            "cluster",
            text(N_("Create a volume for %(claim)s"), claim=name),
            text(N_("No free volume has the class, size and access modes of %(claim)s."), claim=name),
            (Create(volume_document(f"volume-of-{name}", asked, claim[0])),),
            LARGE,
        )


def _capacity(situation: Situation, rejection: Rejection) -> Iterator[Candidate]:
    """Room for the class on the node, published by the driver; or a claim that the published room suffices for."""
    node = situation.nodes.get(rejection.node)
    for name, _ephemeral in claim_names(situation).values():
        claim = _claim(situation, name)
        if claim is None or node is None:
            continue
        storage_class = claim_class(claim[1])
        published = [
            c
            for c in situation.book.objects.values()
            if isinstance(c, CSIStorageCapacity) and c.storage_class_name == storage_class and c.capacity is not None
        ]
        largest = max((c.capacity for c in published if c.capacity is not None), default=None)
        if largest is not None and largest.value():
            yield Candidate(
                "smaller-claim",
                "pod",
                text(N_("Let %(claim)s ask for no more than %(size)s"), claim=name, size=str(largest)),
                text(
                    N_("That is the largest capacity that the driver reports for %(class)s."),
                    **{"class": storage_class},
                ),
                (Set(claim[0], ("spec", "resources", "requests", "storage"), str(largest)),),
                SMALL,
            )
        keys = [
            key
            for c in situation.book.objects.values()
            if isinstance(c, CSINode) and c.metadata.name == rejection.node
            for driver in c.spec.drivers
            for key in driver.topology_keys
            if key in node.metadata.labels
        ] or ["kubernetes.io/hostname"]
        labels = {key: node.metadata.labels.get(key, rejection.node) for key in keys}
        document = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIStorageCapacity",
            "metadata": {"name": f"{storage_class}-{rejection.node}", "namespace": "kube-system"},
            "storageClassName": storage_class,
            "capacity": requested(claim[1]).text,
            "nodeTopology": {"matchLabels": labels},
        }
        yield Candidate(
            "publish-capacity",
            "cluster",
            text(
                N_("Let the driver publish %(size)s of %(class)s on %(node)s"),
                size=requested(claim[1]).text,
                node=rejection.node,
                **{"class": storage_class},
            ),
            text(N_("Only published CSIStorageCapacity objects count, not what a pool has free.")),
            (Create(document),),
            SMALL,
        )


# -- where a volume is -------------------------------------------------------------------------------------------


def _elsewhere(situation: Situation, rejection: Rejection) -> Iterator[Candidate]:
    for mark in rejection.evidence.get("marks", []):
        volume = _volume(situation, mark["name"]) if mark["kind"] == VOLUME else None
        if volume is not None and volume[1].spec.node_affinity is not None:
            yield Candidate(
                "volume-anywhere",
                "cluster",
                text(N_("Let the volume %(volume)s be used on every node"), volume=mark["name"]),
                text(N_("True only for storage that every node reaches; a local disk stays where it is.")),
                (Remove(volume[0], ("spec", "nodeAffinity")),),
                DRASTIC,
            )


def _zone(situation: Situation, rejection: Rejection) -> Iterator[Candidate]:
    """The labels that the node lacks, or the volume's labels as the node has them."""
    node = situation.nodes.get(rejection.node)
    if node is None:
        return
    lacking = [row for row in rejection.failed_rows if row[1] not in node.metadata.labels]
    if lacking and len(lacking) == len(rejection.failed_rows):
        labels = {row[1]: row[2].partition(",")[0] for row in lacking}
        yield Candidate(
            "label-node",
            "cluster",
            text(N_("Label %(node)s with %(label)s"), node=rejection.node, label=_labels(labels)),
            text(
                N_("The volume says where it can be used, and %(node)s does not say where it is."), node=rejection.node
            ),
            tuple(Set(node_ref(rejection.node), ("metadata", "labels", key), labels[key]) for key in labels),
            SMALL,
        )
        return
    for name in dict.fromkeys(row[0] for row in rejection.failed_rows):
        volume = _volume(situation, name)
        keys = [row[1] for row in rejection.failed_rows if row[0] == name]
        if volume is None:
            continue
        changes: list[Change] = []
        for key in keys:
            path = ("metadata", "labels", key)
            value = node.metadata.labels.get(key)
            changes.append(Set(volume[0], path, value) if value else Remove(volume[0], path))
        new = {key: node.metadata.labels.get(key, "") for key in keys}
        yield Candidate(
            "volume-zone",
            "cluster",
            text(N_("Correct the labels of %(volume)s: %(labels)s"), volume=name, labels=_labels(new)),
            text(N_("Right only if the disk is there: a label moves no data.")),
            tuple(changes),
            DRASTIC,
        )


def _labels(labels: dict[str, str]) -> str:
    """Labels as kubectl label takes them; one to be removed has a dash."""
    return ", ".join(f"{key}={value}" if value else f"{key}-" for key, value in labels.items())


# -- sharing and attaching ---------------------------------------------------------------------------------------


def _exclusive(situation: Situation) -> Iterator[Candidate]:
    """A claim for one pod only that another pod uses."""
    for name, _ephemeral in claim_names(situation).values():
        claim = _claim(situation, name)
        if claim is None or ONE_POD not in claim[1].spec.access_modes:
            continue
        changes: list[Change] = [Set(claim[0], ("spec", "accessModes"), ["ReadWriteOnce"])]
        if volume := _volume(situation, claim[1].spec.volume_name):
            changes.append(Set(volume[0], ("spec", "accessModes"), ["ReadWriteOnce"]))
        yield Candidate(
            "share-claim",
            "pod",
            text(N_("Let pods of one node share %(claim)s (ReadWriteOnce)"), claim=name),
            text(N_("ReadWriteOncePod allows a single pod in the whole cluster.")),
            tuple(changes),
            LARGE,
        )
        users = [key for key in situation.pods if situation.node_of(key) and _uses(situation, key, name)]
        yield from delete_pods(situation, [users])


def _uses(situation: Situation, key: str, claim: str) -> bool:
    pod = situation.pods[key]
    same = key.partition("/")[0] == situation.namespace
    return same and any(claim_name(pod, volume) == claim for volume in pod.spec.volumes)


def _limit(situation: Situation, rejection: Rejection) -> Iterator[Candidate]:
    needed = next((row["amount"] for row in rejection.evidence.get("rows", []) if row.get("sign") == "="), None)
    paths = rejection.paths("CSINode", rejection.node)
    if needed is not None and paths and paths[0].endswith("count"):
        yield Candidate(
            "attach-limit",
            "cluster",
            text(N_("Let %(node)s attach %(count)d volumes"), node=rejection.node, count=needed),
            text(N_("The driver says in CSINode how many volumes it can attach to the node.")),
            (Set(Ref("CSINode", "", rejection.node), parse_path(paths[0]), int(needed)),),
            LARGE,
        )
    users = [key for key in situation.pods_on(rejection.node) if situation.pods[key].spec.volumes]
    yield from delete_pods(situation, [[key] for key in users[:2]])
