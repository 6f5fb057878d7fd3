"""Claims that are missing or unbound: PreFilter ends the attempt before any node is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from scheduler_lab.engine.admission.storage import IS_DEFAULT
from scheduler_lab.engine.cluster.claims import WAIT_FOR_FIRST_CONSUMER, claim_class, requested
from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Create, Ref, Set
from scheduler_lab.engine.explain.fixes.model import INTENDED, LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.storage import StorageClass
from scheduler_lab.engine.plugins.pod_claims import claim_name

_PLUGINS = ("VolumeBinding", "VolumeRestrictions", "NodeVolumeLimits", "VolumeZone")
_SIZE = "1Gi"


def claims(situation: Situation) -> Iterator[Candidate]:
    """Bring about what the claim lacks: itself, a class, a volume."""
    blamed = any(verdict["plugin"] in _PLUGINS for verdict in situation.verdicts("preFilter"))
    if not blamed:
        return
    for index, (name, ephemeral) in claim_names(situation).items():
        ref = Ref("PersistentVolumeClaim", situation.namespace, name)
        claim = situation.book.get(ref)
        if isinstance(claim, PersistentVolumeClaim):
            yield from _unbound(situation, ref, claim)
        elif not ephemeral:
            yield from _missing(situation, ref, index)


def claim_names(situation: Situation) -> dict[int, tuple[str, bool]]:
    """The pod's claims by the index of their volume, and whether they belong to an ephemeral volume."""
    pod = situation.spec_pod
    found = {i: (claim_name(pod, volume), volume.ephemeral is not None) for i, volume in enumerate(pod.spec.volumes)}
    return {index: (name, ephemeral) for index, (name, ephemeral) in found.items() if name}


def classes(situation: Situation) -> dict[str, StorageClass]:
    """The storage classes, those that wait for a pod first, default ones before others."""
    found = [c for c in situation.book.objects.values() if isinstance(c, StorageClass)]
    found.sort(key=lambda c: (not waits(c), not any(c.metadata.annotations.get(a) == "true" for a in IS_DEFAULT)))
    return {c.metadata.name: c for c in found}


def waits(storage_class: StorageClass) -> bool:
    """Whether the class binds a volume when a pod comes."""
    return storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER


def volume_document(name: str, claim: dict[str, Any], ref: Ref) -> dict[str, Any]:
    """A volume as the claim asks for it, kept for it."""
    spec: dict[str, Any] = {
        "capacity": {"storage": claim["storage"]},
        "accessModes": claim["modes"],
        "hostPath": {"path": f"/mnt/{name}"},
        "claimRef": {"namespace": ref.namespace, "name": ref.name},
    }
    if claim.get("class"):
        spec["storageClassName"] = claim["class"]
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def _class_document(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "disk.csi.example.com",
        "volumeBindingMode": WAIT_FOR_FIRST_CONSUMER,
    }


def _missing(situation: Situation, ref: Ref, index: int) -> Iterator[Candidate]:
    why = text(N_("The pod uses the claim %(claim)s, and there is none of that name in its namespace."), claim=ref.name)
    there = [r.name for r in situation.book.objects if r.kind == ref.kind and r.namespace == ref.namespace]
    for other in get_close_matches(ref.name, there, n=2):
        yield Candidate(
            "claim-name",
            "pod",
            text(N_("Use the claim %(claim)s"), claim=other),
            why,
            (Set(situation.pod_ref, ("spec", "volumes", index, "persistentVolumeClaim", "claimName"), other),),
            INTENDED,
        )
    spec: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": _SIZE}}}
    document = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": ref.name, "namespace": ref.namespace},
        "spec": spec,
    }
    title = text(N_("Create the claim %(claim)s"), claim=ref.name)
    usable = next((name for name, found in classes(situation).items() if waits(found)), None)
    if usable is not None:
        spec["storageClassName"] = usable
        yield Candidate("create-claim", "cluster", title, why, (Create(document),), INTENDED)
        return
    spec["storageClassName"] = ""
    volume = volume_document(f"volume-of-{ref.name}", {"storage": _SIZE, "modes": ["ReadWriteOnce"]}, ref)
    title = text(N_("Create the claim %(claim)s and a volume for it"), claim=ref.name)
    yield Candidate("create-claim", "cluster", title, why, (Create(document), Create(volume)), INTENDED)


def _unbound(situation: Situation, ref: Ref, claim: PersistentVolumeClaim) -> Iterator[Candidate]:
    known = classes(situation)
    named = claim_class(claim)
    why = text(N_("Nothing binds %(claim)s: it neither waits for a pod nor finds a volume."), claim=ref.name)
    path = ("spec", "storageClassName")
    if named and named not in known:
        for other in get_close_matches(named, known, n=1):
            yield _use_class(ref, other, INTENDED)
        yield Candidate(
            "create-class",
            "cluster",
            text(N_("Create the storage class %(class)s"), **{"class": named}),
            text(N_("%(claim)s names a storage class that does not exist."), claim=ref.name),
            (Create(_class_document(named)),),
            INTENDED,
        )
    elif named and not waits(known[named]):
        yield Candidate(
            "wait-for-pod",
            "cluster",
            text(N_("Let the class %(class)s wait for the first pod"), **{"class": named}),
            text(N_("With WaitForFirstConsumer the volume is found or made where the pod goes.")),
            (Set(Ref("StorageClass", "", named), ("volumeBindingMode",), WAIT_FOR_FIRST_CONSUMER),),
            SMALL,
        )
    for other in [name for name, found in known.items() if waits(found) and name != named][:2]:
        yield _use_class(ref, other, SMALL)
    if not named and not known:
        yield Candidate(
            "create-class",
            "cluster",
            text(N_("Give %(claim)s a storage class that makes volumes"), claim=ref.name),
            why,
            (Set(ref, path, "standard"), Create(_class_document("standard"))),
            SMALL,
        )
    if not claim.spec.volume_name:
        asked = {"storage": requested(claim).text or _SIZE, "modes": claim.spec.access_modes, "class": named}
        yield Candidate(
            "create-volume",
            "cluster",
            text(N_("Create a volume for %(claim)s"), claim=ref.name),
            why,
            (Create(volume_document(f"volume-of-{ref.name}", asked, ref)),),
            LARGE,
        )


def _use_class(ref: Ref, name: str, rank: int) -> Candidate:
    return Candidate(
        "use-class",
        "pod",
        text(N_("Use the storage class %(class)s for %(claim)s"), claim=ref.name, **{"class": name}),
        text(N_("Its volumes are found or made when the pod is scheduled.")),
        (Set(ref, ("spec", "storageClassName"), name),),
        rank,
    )
