"""DynamicResources: devices that the pod's claims ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Ref, Set
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, delete_pods, written
from scheduler_lab.engine.explain.fixes.model import LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.resource import ResourceClaim, ResourceSlice


def devices(situation: Situation) -> Iterator[Candidate]:
    """Share a claim that has its devices, publish another device, or free one."""
    rejected = [rejection.node for rejection in situation.by("DynamicResources")]
    if not rejected:
        return
    yield from _share(situation)
    for node in rejected[:SHOWN_NODES]:
        yield from _another_device(situation, node)
        users = [key for key in situation.pods_on(node) if situation.pods[key].spec.resource_claims]
        yield from delete_pods(situation, [[key] for key in users[:2]])


def _share(situation: Situation) -> Iterator[Candidate]:
    claims = [
        ref.name
        for ref, claim in situation.book.objects.items()
        if isinstance(claim, ResourceClaim) and ref.namespace == situation.namespace
    ]
    for index, entry in enumerate(situation.spec_pod.spec.resource_claims):
        for name in claims:
            if entry.resource_claim_name == name:
                continue
            shared = {"name": entry.name, "resourceClaimName": name}
            yield Candidate(
                "share-device",
                "pod",
                text(N_("Share the devices of the claim %(claim)s"), claim=name),
                text(
                    N_("Pods that name the same ResourceClaim use the same devices; a template makes a claim for each.")
                ),
                (Set(situation.pod_ref, ("spec", "resourceClaims", index), shared),),
                SMALL,
            )


def _another_device(situation: Situation, node: str) -> Iterator[Candidate]:
    for ref, item in situation.book.objects.items():
        if not isinstance(item, ResourceSlice) or item.spec.node_name != node or not item.spec.devices:
            continue
        device: dict[str, Any] = written(item.spec.devices[-1])
        names = {d.name for d in item.spec.devices}
        name = next(n for i in range(len(names) + 2) if (n := f"{device['name']}-{i}") not in names)
        yield Candidate(
            "add-device",
            "cluster",
            text(N_("Add a device like %(device)s to %(node)s"), device=device["name"], node=node),
            text(N_("The driver publishes the devices of a node in a ResourceSlice.")),
            (Append(Ref(ref.kind, "", ref.name), ("spec", "devices"), {**device, "name": name}),),
            LARGE,
        )
