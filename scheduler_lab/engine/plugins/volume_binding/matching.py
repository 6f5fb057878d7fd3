"""Which free volume a claim can have on a node (v1.35, storage volume helpers)."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from enum import Enum

from msgspec.structs import replace

from scheduler_lab.engine.cluster.claims import (
    capacity,
    claim_class,
    claim_key,
    requested,
    reserved_for,
    volume_class,
)
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorTerm
from scheduler_lab.engine.objects.selectors import CompiledNodeSelectorTerm, InvalidSelector, compile_label_selector
from scheduler_lab.engine.plugins.volume_binding.claims import BindingError

AVAILABLE = "Available"
FILESYSTEM = "Filesystem"


class Misfit(Enum):
    """Why a volume is not for a claim on a node, in the order in which it is asked."""

    CHOSEN = "chosen"
    RESERVED = "reserved"
    SIZE = "size"
    MODE = "mode"
    ATTRIBUTES = "attributes"
    DELETED = "deleted"
    PHASE = "phase"
    SELECTOR = "selector"
    CLASS = "class"
    AFFINITY = "affinity"
    ACCESS = "access"


class Reach:
    """Node affinity of volumes, compiled once for each. Only labels of nodes count, matchFields do not."""

    def __init__(self) -> None:
        self._compiled: dict[str, tuple[NodeSelector, list[CompiledNodeSelectorTerm | None]]] = {}

    def covers(self, volume: PersistentVolume, labels: Mapping[str, str]) -> bool:
        """Whether the volume can be used on a node with these labels."""
        affinity = volume.spec.node_affinity
        if affinity is None or affinity.required is None:
            return True
        name = volume.metadata.name
        cached = self._compiled.get(name)
        if cached is None or cached[0] is not affinity.required:
            cached = self._compiled[name] = (affinity.required, _terms(affinity.required))
        return any(term is None or term.matches(labels, "") for term in cached[1])


def _terms(selector: NodeSelector) -> list[CompiledNodeSelectorTerm | None]:
    """The usable terms by their label expressions; None for one that has no expressions and so holds everywhere."""
    found: list[CompiledNodeSelectorTerm | None] = []
    for term in selector.node_selector_terms:
        whole = CompiledNodeSelectorTerm(term)
        if not whole.empty and not whole.errors:
            found.append(_labels_only(term) if term.match_expressions else None)
    return found


def _labels_only(term: NodeSelectorTerm) -> CompiledNodeSelectorTerm:
    return CompiledNodeSelectorTerm(replace(term, match_fields=[]))


class Matcher:
    """Finds the volume for a claim among those of its class."""

    def __init__(self, reach: Reach, *, attributes_class: bool) -> None:
        self._reach = reach
        self._attributes_class = attributes_class

    def misfit(
        self,
        claim: PersistentVolumeClaim,
        volume: PersistentVolume,
        labels: Mapping[str, str],
        chosen: Container[str],
    ) -> Misfit | None:
        """Why the volume cannot be the claim's on a node with these labels, or None. `chosen` ones are taken."""
        mine = reserved_for(volume, claim)
        if volume.metadata.name in chosen:
            return Misfit.CHOSEN
        if volume.spec.claim_ref is not None and not mine:
            return Misfit.RESERVED
        if capacity(volume) < requested(claim):
            return Misfit.SIZE
        if (volume.spec.volume_mode or FILESYSTEM) != (claim.spec.volume_mode or FILESYSTEM):
            return Misfit.MODE
        if (volume.spec.volume_attributes_class_name or "") != (claim.spec.volume_attributes_class_name or ""):
            return Misfit.ATTRIBUTES
        if volume.metadata.deletion_timestamp is not None:
            return Misfit.DELETED
        affine = self._reach.covers(volume, labels)
        if mine:
            return None if affine else Misfit.AFFINITY
        return self._misfit_of_free(claim, volume, affine)

    def _misfit_of_free(self, claim: PersistentVolumeClaim, volume: PersistentVolume, affine: bool) -> Misfit | None:
        if volume.status.phase != AVAILABLE:
            return Misfit.PHASE
        selector = claim.spec.selector
        if selector is not None and not compile_label_selector(selector).matches(volume.metadata.labels):
            return Misfit.SELECTOR
        if volume_class(volume) != claim_class(claim):
            return Misfit.CLASS
        if not affine:
            return Misfit.AFFINITY
        if not set(claim.spec.access_modes) <= set(volume.spec.access_modes):
            return Misfit.ACCESS
        return None

    def find(
        self,
        claim: PersistentVolumeClaim,
        volumes: Sequence[PersistentVolume],
        labels: Mapping[str, str],
        chosen: Container[str],
    ) -> PersistentVolume | None:
        """The volume reserved for the claim, else the smallest that fits, of equals the first; None if there is none.

        A volume that is reserved for the claim but out of reach of the node ends the search. Raises BindingError for
        a selector that cannot be converted.
        """
        self._check(claim)
        smallest: PersistentVolume | None = None
        for volume in volumes:
            misfit = self.misfit(claim, volume, labels, chosen)
            if reserved_for(volume, claim) and misfit in (None, Misfit.AFFINITY):
                return volume if misfit is None else None
            if misfit is None and (smallest is None or capacity(volume) < capacity(smallest)):
                smallest = volume
        return smallest

    def _check(self, claim: PersistentVolumeClaim) -> None:
        if claim.spec.volume_attributes_class_name and not self._attributes_class:
            raise BindingError(
                f"unsupported volumeAttributesClassName is set on claim {claim_key(claim)} "
                "when the feature-gate VolumeAttributesClass is disabled"
            )
        if claim.spec.selector is not None:
            try:
                compile_label_selector(claim.spec.selector)
            except InvalidSelector as problem:
                text = f"error creating internal label selector for claim: {claim_key(claim)}: {problem}"
                raise BindingError(text) from problem
