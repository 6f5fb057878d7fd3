"""How an allocation can go wrong."""

from __future__ import annotations


class AllocationError(Exception):
    """Something is wrong with a claim, class or slice: the whole attempt ends in an error with this text."""


class NodeUnsuitable(Exception):
    """The claims cannot be allocated on this node; the text is the rejection's reason."""
