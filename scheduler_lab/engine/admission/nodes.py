"""Defaults of nodes."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.quantity import Quantity

HOSTNAME = "kubernetes.io/hostname"
DEFAULT_PODS = Quantity.parse("110")


def admit_node(node: Node) -> Node:
    """Allocatable from capacity, room for 110 pods and the hostname label where they are missing."""
    labels = node.metadata.labels
    if HOSTNAME not in labels:
        labels = {**labels, HOSTNAME: node.metadata.name}
    allocatable = node.status.allocatable or node.status.capacity
    if "pods" not in allocatable:
        allocatable = {**allocatable, "pods": DEFAULT_PODS}
    return replace(
        node,
        metadata=replace(node.metadata, labels=labels),
        status=replace(node.status, allocatable=allocatable),
    )
