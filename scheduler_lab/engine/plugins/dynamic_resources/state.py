"""What DynamicResources remembers of a pod during one cycle."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_lab.engine.objects.pod import ContainerExtendedResourceRequest
from scheduler_lab.engine.objects.resource import AllocationResult, ResourceClaim
from scheduler_lab.engine.objects.selectors import CompiledNodeSelector
from scheduler_lab.engine.plugins.dynamic_resources.allocator import Allocator

KEY = "DynamicResources"


@dataclass(slots=True)
class NodeAllocation:
    """What Filter found on one node, a result for each claim to allocate; with the node's extended resource claim."""

    results: list[AllocationResult]
    extended: ResourceClaim | None = None
    mappings: list[ContainerExtendedResourceRequest] = field(default_factory=list)


@dataclass(slots=True)
class PodState:
    """The pod's claims, the one for extended resources last.

    `extended` is that one's index or None, `scalars` what the pod asks for of scalar resources then. `selectors` holds
    each allocated claim's node selector, `chosen` what Reserve decided for a claim, `unavailable` the claims that some
    node could not use.
    """

    claims: list[ResourceClaim] = field(default_factory=list)
    extended: int | None = None
    scalars: dict[str, int] = field(default_factory=dict)
    selectors: dict[int, CompiledNodeSelector] = field(default_factory=dict)
    allocator: Allocator | None = None
    allocations: dict[str, NodeAllocation] = field(default_factory=dict)
    unavailable: set[int] = field(default_factory=set)
    chosen: dict[int, AllocationResult] = field(default_factory=dict)

    def clone(self) -> PodState:
        """Itself: dry runs share what Filter finds, as upstream's do."""
        return self

    @property
    def to_allocate(self) -> list[int]:
        """Indices of the claims without an allocation."""
        return [index for index, claim in enumerate(self.claims) if claim.status.allocation is None]

    @property
    def user_claims(self) -> list[ResourceClaim]:
        """The claims that the pod's spec names."""
        return self.claims if self.extended is None else self.claims[: self.extended]
