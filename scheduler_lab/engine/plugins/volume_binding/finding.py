"""What a node can offer the pod's claims: the part of VolumeBinding that Filter asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from scheduler_lab.engine.cluster.claims import SELECTED_NODE, claim_class, requested
from scheduler_lab.engine.cluster.storage_drivers import Untranslatable, in_tree_plugin, translated, translated_on
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.storage import CSINode
from scheduler_lab.engine.plugins.volume_binding.assumed import AssumedObjects
from scheduler_lab.engine.plugins.volume_binding.claims import BindingError, PodClaims
from scheduler_lab.engine.plugins.volume_binding.matching import Matcher, Reach
from scheduler_lab.engine.plugins.volume_binding.provisioning import Obstacle, Provision, Provisioner

AFFINITY_CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NOT_ENOUGH_STORAGE = "node(s) did not have enough free storage"
VOLUME_GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


class Match(NamedTuple):
    """A claim and the volume it gets."""

    volume: PersistentVolume
    claim: PersistentVolumeClaim


@dataclass(slots=True)
class Offer:
    """How the pod's claims would be satisfied on one node, or the reasons why they cannot."""

    matches: list[Match] = field(default_factory=list)
    provisions: list[Provision] = field(default_factory=list)
    reasons: tuple[str, ...] = ()


class VolumeFinder:
    """Checks the volumes of one profile's pods against nodes."""

    def __init__(self, store: Store, volumes: AssumedObjects, *, attributes_class: bool) -> None:
        self._store = store
        self._volumes = volumes
        self._reach = Reach()
        self.matcher = Matcher(self._reach, attributes_class=attributes_class)
        self.provisioner = Provisioner(store)

    def offer(self, claims: PodClaims, node: NodeInfo) -> Offer:
        """What the node offers. Raises BindingError where no answer is possible."""
        found = Offer()
        affine, exist = self._check_bound(claims.bound, node)
        satisfied, room = self._satisfy(claims, node, found) if claims.delayed else (True, True)
        found.reasons = tuple(
            reason
            for reason, fine in (
                (AFFINITY_CONFLICT, affine),
                (NOTHING_TO_BIND, satisfied),
                (NOT_ENOUGH_STORAGE, room),
                (VOLUME_GONE, exist),
            )
            if not fine
        )
        return found

    def _check_bound(self, claims: list[PersistentVolumeClaim], node: NodeInfo) -> tuple[bool, bool]:
        """(all can be used on the node, all exist) of the volumes of bound claims, up to the first problem."""
        for claim in claims:
            volume: PersistentVolume | None = self._volumes.get("", claim.spec.volume_name)
            if volume is None:
                return True, False
            if not self.usable(volume, node):
                return False, True
        return True, True

    def usable(self, volume: PersistentVolume, node: NodeInfo) -> bool:
        """Whether the volume's node affinity holds on the node, as CSI sees it where the node has moved to CSI."""
        plugin = in_tree_plugin(volume.spec)
        if plugin:
            csi_node: CSINode | None = self._store.get("CSINode", "", node.name)
            if translated_on(csi_node, plugin):
                try:
                    volume = translated(volume)
                except Untranslatable as problem:
                    raise BindingError(f"could not translate pv: {problem}") from problem
        return self._reach.covers(volume, node.labels)

    def _satisfy(self, claims: PodClaims, node: NodeInfo, found: Offer) -> tuple[bool, bool]:
        """(every claim gets a volume, storage suffices) for the claims that wait for a consumer."""
        to_provision: list[PersistentVolumeClaim] = []
        to_match: list[PersistentVolumeClaim] = []
        for claim in claims.delayed:
            selected = claim.metadata.annotations.get(SELECTED_NODE)
            if selected is None:
                to_match.append(claim)
            elif selected == node.name:
                to_provision.append(claim)
            else:
                return False, True
        to_provision += self._match(to_match, claims, node, found)
        for claim in to_provision:
            answer = self.provisioner.ask(claim, node)
            if isinstance(answer, Obstacle):
                found.provisions = []
                return answer is Obstacle.CAPACITY, answer is not Obstacle.CAPACITY
            found.provisions.append(answer)
        return True, True

    def _match(
        self, to_match: list[PersistentVolumeClaim], claims: PodClaims, node: NodeInfo, found: Offer
    ) -> list[PersistentVolumeClaim]:
        """Give volumes to the claims, the smallest request first; the claims that found none."""
        chosen: set[str] = set()
        left: list[PersistentVolumeClaim] = []
        for claim in by_size(to_match):
            volume = self.matcher.find(claim, claims.volumes[claim_class(claim)], node.labels, chosen)
            if volume is None:
                left.append(claim)
                continue
            chosen.add(volume.metadata.name)
            found.matches.append(Match(volume, claim))
        return left


def by_size(claims: list[PersistentVolumeClaim]) -> list[PersistentVolumeClaim]:
    """The claims in increasing order of what they ask for."""
    return sorted(claims, key=requested)
