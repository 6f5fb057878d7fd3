"""Allocations that the scheduler has decided but not written yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scheduler_lab.engine.objects.resource import ResourceClaim

if TYPE_CHECKING:
    from scheduler_lab.engine.framework.interfaces import Handle

_KEY = "DynamicResources.inFlight"


class InFlightClaims:
    """Claims between Reserve and PreBind by UID, with their allocation; one for all profiles of a scheduler."""

    __slots__ = ("_claims",)

    def __init__(self) -> None:
        self._claims: dict[str, ResourceClaim] = {}

    @classmethod
    def of(cls, handle: Handle) -> InFlightClaims:
        """The one that belongs to the handle's scheduler process."""
        found: InFlightClaims = handle.shared.setdefault(_KEY, cls())
        return found

    def add(self, claim: ResourceClaim) -> None:
        """`claim` carries the allocation that will be written."""
        self._claims[claim.metadata.uid] = claim

    def remove(self, uid: str) -> bool:
        """The allocation has been written or given up; False if there was none."""
        return self._claims.pop(uid, None) is not None

    def __contains__(self, uid: str) -> bool:
        return uid in self._claims

    def __iter__(self) -> Iterator[ResourceClaim]:
        return iter(self._claims.values())
