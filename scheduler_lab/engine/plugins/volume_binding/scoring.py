"""Scoring by storage capacity (feature gate StorageCapacityScoring)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scheduler_lab.engine.cluster.claims import capacity, claim_class, requested, volume_class
from scheduler_lab.engine.configuration.types import UtilizationShapePoint
from scheduler_lab.engine.plugins.scoring import broken_linear, round_half_away
from scheduler_lab.engine.plugins.volume_binding.finding import Offer

FULL = 100
# Points of a shape go to 10, scores to 100.
_SCALE = 10


class ClassUse(NamedTuple):
    """What a pod's claims of one class take of the room there is, in bytes."""

    storage_class: str
    requested: int
    capacity: int

    @property
    def utilization(self) -> int:
        """Percent of the room that is taken."""
        return FULL if not self.capacity or self.requested > self.capacity else self.requested * FULL // self.capacity


def class_uses(offer: Offer) -> list[ClassUse]:
    """By class: the sizes of matched volumes, or without any the published capacity that volumes are made from.

    The capacity of volumes to be made is that of one object, not a sum.
    """
    uses: dict[str, ClassUse] = {}
    for match in offer.matches:
        name = volume_class(match.volume)
        use = uses.get(name, ClassUse(name, 0, 0))
        size = requested(match.claim).value()
        uses[name] = ClassUse(name, use.requested + size, use.capacity + capacity(match.volume).value())
    if offer.matches:
        return list(uses.values())
    for provision in offer.provisions:
        if provision.room is None:
            continue
        name = claim_class(provision.claim)
        use = uses.get(name, ClassUse(name, 0, 0))
        room = provision.room.capacity
        size = requested(provision.claim).value()
        uses[name] = ClassUse(name, use.requested + size, room.value() if room is not None else 0)
    return list(uses.values())


class CapacityScorer:
    """Looks utilization up on the configured shape."""

    def __init__(self, shape: Sequence[UtilizationShapePoint]) -> None:
        self._shape = [(point.utilization, point.score * _SCALE) for point in shape]

    def of(self, use: ClassUse) -> int:
        """The score of one class."""
        return broken_linear(self._shape, use.utilization)

    def score(self, uses: Sequence[ClassUse]) -> int:
        """The mean over the classes, rounded; 0 for none."""
        return round_half_away(sum(map(self.of, uses)) / len(uses)) if uses else 0
