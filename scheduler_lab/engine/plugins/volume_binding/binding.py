"""Reserving the chosen volumes and writing them to the API server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scheduler_lab.engine.cluster.claims import (
    SELECTED_NODE,
    claim_key,
    fully_bound,
    reserved_for,
    with_claim_ref,
    with_selected_node,
)
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.framework.runtime import quoted
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.plugins.pod_claims import CLAIM, VOLUME
from scheduler_lab.engine.plugins.volume_binding.assumed import AssumedObjects
from scheduler_lab.engine.plugins.volume_binding.claims import BindingError
from scheduler_lab.engine.plugins.volume_binding.finding import Offer, VolumeFinder

_RESOURCES = {VOLUME: "persistentvolumes", CLAIM: "persistentvolumeclaims"}
_TIMEOUT = "context deadline exceeded"


@dataclass(slots=True)
class Change:
    """An object as it is to be written, and what the API server had when that was decided."""

    stored: Any
    after: Any
    claim: PersistentVolumeClaim


@dataclass(slots=True)
class Reservation:
    """What one pod has reserved: volumes that get a claim, and claims that get a node."""

    volumes: list[Change] = field(default_factory=list)
    claims: list[Change] = field(default_factory=list)


class VolumeBinder:
    """Assumes and writes bindings; the volume controller completes them."""

    def __init__(self, store: Store, claims: AssumedObjects, volumes: AssumedObjects, finder: VolumeFinder) -> None:
        self._store = store
        self._claims = claims
        self._volumes = volumes
        self._finder = finder

    def reserve(self, offer: Offer, node: str) -> Reservation:
        """Assume that the offer's volumes belong to their claims and its claims are provisioned on the node."""
        reservation = Reservation()
        for match in offer.matches:
            volume, claim = match.volume, match.claim
            reference = volume.spec.claim_ref
            if reference is None or not reference.uid or not reserved_for(volume, claim):
                volume = with_claim_ref(volume, claim)
                self._volumes.assume(volume)
            reservation.volumes.append(self._change(volume, claim))
        for provision in offer.provisions:
            claim = with_selected_node(provision.claim, node)
            self._claims.assume(claim)
            reservation.claims.append(self._change(claim, claim))
        return reservation

    def _change(self, after: Any, claim: PersistentVolumeClaim) -> Change:
        meta = after.metadata
        return Change(self._store.get(after.kind, meta.namespace, meta.name), after, claim)

    def release(self, reservation: Reservation) -> None:
        """Give everything back that has not been written."""
        for change in reservation.volumes:
            self._volumes.restore(change.after)
        for change in reservation.claims:
            self._claims.restore(change.after)

    def bind(self, reservation: Reservation, node: str) -> None:
        """Write the reservation and see that every claim is bound. Raises BindingError with upstream's text."""
        for change in (*reservation.volumes, *reservation.claims):
            self._write(change)
        self._check(reservation, node)

    def _write(self, change: Change) -> None:
        after = change.after
        meta, kind = after.metadata, after.kind
        current = self._store.get(kind, meta.namespace, meta.name)
        if current is None:
            raise BindingError(f"{_RESOURCES[kind]} {quoted(meta.name)} not found")
        if current == after:
            return
        if current != change.stored:
            raise BindingError(
                f"Operation cannot be fulfilled on {_RESOURCES[kind]} {quoted(meta.name)}: the object has been "
                "modified; please apply your changes to the latest version and try again"
            )
        self._store.put(after)

    def _check(self, reservation: Reservation, node_name: str) -> None:
        node = self._store.get("Node", "", node_name)
        if node is None:
            raise BindingError(
                f"binding volumes: failed to get node {quoted(node_name)}: node {quoted(node_name)} not found"
            )
        info = NodeInfo(node)
        for change in reservation.volumes:
            self._check_match(change, info)
        for change in reservation.claims:
            self._check_provision(change, info)

    def _check_match(self, change: Change, node: NodeInfo) -> None:
        name = change.after.metadata.name
        volume: PersistentVolume | None = self._store.get(VOLUME, "", name)
        claim = self._current(change.claim)
        if volume is None or claim is None:
            what = f"v1.PersistentVolume {quoted(name)}" if volume is None else _claim_title(change.claim)
            raise BindingError(f"binding volumes: failed to check binding: {what}: not found")
        self._check_affinity(volume, node)
        if volume.spec.claim_ref is None or not volume.spec.claim_ref.uid:
            raise BindingError(f"binding volumes: ClaimRef got reset for pv {quoted(name)}")
        if not fully_bound(claim):
            raise BindingError(f"binding volumes: {_TIMEOUT}")

    def _check_provision(self, change: Change, node: NodeInfo) -> None:
        claim = self._current(change.claim)
        if claim is None:
            raise BindingError(
                f"binding volumes: failed to check provisioning pvc: {_claim_title(change.claim)}: not found"
            )
        name = quoted(claim.metadata.name)
        if not claim.metadata.annotations:
            raise BindingError(f"binding volumes: selectedNode annotation reset for PVC {name}")
        if claim.metadata.annotations.get(SELECTED_NODE) != node.name:
            raise BindingError(f"binding volumes: provisioning failed for PVC {name}")
        volume: PersistentVolume | None = None
        if claim.spec.volume_name:
            volume = self._store.get(VOLUME, "", claim.spec.volume_name)
        if volume is not None:
            self._check_affinity(volume, node)
        if not fully_bound(claim):
            raise BindingError(f"binding volumes: {_TIMEOUT}")

    def _check_affinity(self, volume: PersistentVolume, node: NodeInfo) -> None:
        if not self._finder.usable(volume, node):
            raise BindingError(
                f"binding volumes: pv {quoted(volume.metadata.name)} node affinity doesn't match node "
                f"{quoted(node.name)}: no matching NodeSelectorTerms"
            )

    def _current(self, claim: PersistentVolumeClaim) -> PersistentVolumeClaim | None:
        found: PersistentVolumeClaim | None = self._store.get(CLAIM, claim.metadata.namespace, claim.metadata.name)
        return found


def _claim_title(claim: PersistentVolumeClaim) -> str:
    return f"v1.PersistentVolumeClaim {quoted(claim_key(claim))}"
