"""The score of a node: how far up in their lists of alternatives the requests were served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler_lab.engine.objects.resource import AllocationResult, ResourceClaim

MAX_ALTERNATIVES = 8


class TooFewAllocations(Exception):
    """A claim has no allocation of its own on the node."""


def served_alternatives(
    claims: Sequence[ResourceClaim], results: Sequence[AllocationResult]
) -> Iterator[tuple[ResourceClaim, str, int]]:
    """(claim, `request/alternative`, points) of every alternative that was allocated: 8 for the first, then 7, …

    The i-th claim is paired with the i-th result, as upstream pairs them although results are there for claims
    without an allocation only: raises TooFewAllocations when a pod mixes both.
    """
    for index, claim in enumerate(claims):
        if index >= len(results):
            raise TooFewAllocations(f"number of allocations {len(results)} is smaller than number of claims")
        served = {result.request for result in results[index].devices.results if "/" in result.request}
        for request in claim.spec.devices.requests:
            if request.exactly is not None:
                continue
            for place, alternative in enumerate(request.first_available):
                name = f"{request.name}/{alternative.name}"
                if name in served:
                    yield claim, name, MAX_ALTERNATIVES - place
