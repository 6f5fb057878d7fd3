"""Status codes and results of plugin calls (kube-scheduler v1.35, framework interface `Status`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Code(Enum):
    """What a plugin answers; the value is upstream's text."""

    SUCCESS = "Success"
    ERROR = "Error"
    UNSCHEDULABLE = "Unschedulable"
    UNSCHEDULABLE_AND_UNRESOLVABLE = "UnschedulableAndUnresolvable"
    WAIT = "Wait"
    SKIP = "Skip"
    PENDING = "Pending"

    @property
    def rejected(self) -> bool:
        """True for the codes that mean "this pod cannot run there now" as opposed to a failure."""
        return self in _REJECTED


_REJECTED = frozenset({Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING})


@dataclass(frozen=True, slots=True)
class Status:
    """A plugin's verdict. A plugin returns None for Success; `plugin` is filled in by the runtime."""

    code: Code
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def message(self) -> str:
        """The reasons joined as upstream joins them."""
        return ", ".join(self.reasons)

    @property
    def rejected(self) -> bool:
        """Whether the code is one of Unschedulable, UnschedulableAndUnresolvable and Pending."""
        return self.code in _REJECTED


SKIP = Status(Code.SKIP)


def unschedulable(*reasons: str) -> Status:
    """A rejection that preemption might resolve."""
    return Status(Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Status:
    """A rejection that removing pods cannot resolve."""
    return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons)


def error(*reasons: str) -> Status:
    """An internal failure: the cycle ends with SchedulerError."""
    return Status(Code.ERROR, reasons)
