"""Whether the cluster as a whole has a gang's minResources free, and the text that says what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.framework.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.plugins.coscheduling.groups import group_name

_NUMBER = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)([a-zA-Z]*)([+-]?[0-9]*)", re.ASCII)
_POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SHIFTS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


@dataclass(slots=True)
class Amount:
    """`value` × 10^`scale`, as Go's quantities keep it; `style` is the notation it was written in."""

    value: int
    scale: int
    style: str

    @classmethod
    def of(cls, quantity: Quantity) -> Amount:
        """The amount that a quantity's text writes."""
        match = _NUMBER.fullmatch(quantity.text)
        if match is None:
            return cls(quantity.nanos, -9, "DecimalSI")
        sign, whole, part, suffix, exponent = match.groups()
        digits = int(f"{sign}{whole}{part}" if whole or part else "0")
        if suffix in _SHIFTS:
            return cls(digits << _SHIFTS[suffix], -len(part), "BinarySI")
        if exponent:
            return cls(digits, int(exponent) - len(part), "DecimalExponent")
        return cls(digits, _POWERS.get(suffix, 0) - len(part), "DecimalSI")

    def subtract(self, value: int, scale: int) -> None:
        """Take `value` × 10^`scale` away, at the finer of the two scales."""
        if value == 0:
            return
        if self.value == 0:
            self.value, self.scale = -value, scale
            return
        finer = min(self.scale, scale)
        self.value = self.value * 10 ** (self.scale - finer) - value * 10 ** (scale - finer)
        self.scale = finer

    def __str__(self) -> str:
        # A Go quantity printed without its own formatting: its number, no big decimal, no cached text, its format.
        return f"{{{{{self.value} {self.scale}}} {{<nil>}}  {self.style}}}"


def resource_gap(nodes: Iterable[NodeInfo], wanted: Mapping[str, Quantity], members: int, group: str) -> str:
    """What the nodes together lack for `wanted` and `members` pods, as `resource gap: map[…]`; "" if nothing.

    Nodes are taken one after the other until nothing is missing. What pods of the group itself use counts as free.
    """
    missing = {name: Amount.of(quantity) for name, quantity in wanted.items()}
    missing[PODS] = Amount(members, 0, "DecimalSI")
    for node in nodes:
        free = _free(node, group)
        for name, amount in list(missing.items()):
            amount.subtract(free.get(name, 0), -3 if name == CPU else 0)
            if amount.value <= 0:
                del missing[name]
        if not missing:
            return ""
    entries = " ".join(f"{name}:{amount}" for name, amount in sorted(missing.items()))
    return f"resource gap: map[{entries}]"


def _free(node: NodeInfo, group: str) -> dict[str, int]:
    """Milli-CPU, bytes, pods and units that are free on the node, the group's own pods left out."""
    view = node.clone()
    for pod in node.pods:
        if group_name(pod.pod) == group:
            view.remove_pod(pod.uid)
    offered, used = view.allocatable, view.requested
    free = {name: amount - used.scalars.get(name, 0) for name, amount in offered.scalars.items()}
    free[CPU] = offered.milli_cpu - used.milli_cpu
    free[MEMORY] = offered.memory - used.memory
    free[EPHEMERAL_STORAGE] = offered.ephemeral_storage - used.ephemeral_storage
    free[PODS] = offered.allowed_pods - len(view.pods)
    return free
