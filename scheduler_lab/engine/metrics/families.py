"""Metric families as data: a name with its help, and samples with their labels."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping

import msgspec

Labels = tuple[tuple[str, str], ...]
"""Label names and values, sorted by name."""


LARGEST_PLAIN = 6
"""The power of ten from which Go writes an exponent."""


class Sample(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: what follows the family's name (as `_bucket`), its labels and its value."""

    labels: Labels
    value: float
    suffix: str = ""


class Family(msgspec.Struct, omit_defaults=True):
    """A metric as the exposition shows it; `kind` is Prometheus' type, `stability` Kubernetes' level.

    `time` says what becomes of durations: "" for metrics that are none, "virtual" for those that the run's clock
    gives, "counted" for those of which only the number of observations is known.
    """

    name: str
    kind: str
    stability: str
    help: str
    samples: list[Sample] = []
    time: str = ""


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """An event with its virtual time in seconds.

    `by` is which recorder told it, `source` the component that kubectl names; `version` counts the changes of the
    object (its resourceVersion, in effect) before.
    """

    type: str
    reason: str
    regarding: str
    message: str
    time: float
    by: str = "scheduler"
    source: str = ""
    version: int = 0


class Measurement(msgspec.Struct):
    """What a run leaves behind for those who watch a scheduler.

    `metrics` are the families of /metrics and `resources` those of /metrics/resources, by name. Of several scheduler
    processes each has its own /metrics: `processes` are those that run at the end, and `metrics` the first of them.
    `events` are in the order in which they were told; `now` is the virtual time at the end, in seconds.
    """

    metrics: list[Family] = []
    resources: list[Family] = []
    events: list[Told] = []
    now: float = 0.0
    processes: dict[str, list[Family]] = {}


class Histogram:
    """Observations in buckets, upper bounds included as Prometheus has it."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.sum = 0.0
        self.count = 0

    def observe(self, value: float) -> None:
        """Count one observation."""
        self._counts[bisect_left(self.bounds, value)] += 1
        self.sum += value
        self.count += 1

    def samples(self, given: Mapping[str, str]) -> list[Sample]:
        """The lines of this histogram: cumulative buckets, sum and count; `le` stands last among the labels."""
        own = labels(given)
        lines, below = [], 0
        for bound, count in zip((*self.bounds, math.inf), self._counts, strict=True):
            below += count
            lines.append(Sample((*own, ("le", number(bound))), below, "_bucket"))
        return [*lines, Sample(own, self.sum, "_sum"), Sample(own, self.count, "_count")]


def labels(given: Mapping[str, str]) -> Labels:
    """Labels in the order in which Prometheus writes them."""
    return tuple(sorted(given.items()))


def number(value: float) -> str:
    """A number as Go's `strconv.FormatFloat(value, 'g', -1, 64)` writes it: 3, 0.25, 1.34217728e+08, +Inf."""
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "0"
    mantissa, _, power = f"{value!r}".lower().partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    exponent = len(whole) - 1 - leading + int(power or 0)
    digits = digits.rstrip("0") or "0"
    if not -4 <= exponent < LARGEST_PLAIN:
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if len(digits) <= exponent + 1:
        return sign + digits.ljust(exponent + 1, "0")
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :]}"
