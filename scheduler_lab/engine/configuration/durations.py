"""Go durations, as `metav1.Duration` reads and writes them."""

import re
from decimal import Decimal
from typing import Final

from msgspec import Struct

_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_PART: Final = re.compile(r"([0-9]*(?:\.[0-9]*)?)([^0-9.]*)")
_MAX: Final = 2**63 - 1


class Duration(Struct, frozen=True, order=True):
    """A signed time span in nanoseconds."""

    nanos: int = 0

    @property
    def seconds(self) -> float:
        """The span in seconds."""
        return self.nanos / 1_000_000_000

    @classmethod
    def of_seconds(cls, seconds: int) -> "Duration":
        """A span of whole seconds."""
        return cls(seconds * 1_000_000_000)

    @classmethod
    def parse(cls, text: str) -> "Duration":
        """Read `1h15m30.5s`; raises ValueError with the text of Go's time.ParseDuration."""
        return cls(_parse(text))

    def __str__(self) -> str:
        return format_duration(self.nanos)


def _parse(text: str) -> int:
    sign, rest = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    if rest == "0":
        return 0
    if not rest:
        raise ValueError(f'time: invalid duration "{text}"')
    total = Decimal(0)
    position = 0
    while position < len(rest):
        match = _PART.match(rest, position)
        if match is None or not match[1].strip("."):
            raise ValueError(f'time: invalid duration "{text}"')
        number, unit = match[1], match[2]
        if not unit:
            raise ValueError(f'time: missing unit in duration "{text}"')
        if unit not in _UNITS:
            raise ValueError(f'time: unknown unit "{unit}" in duration "{text}"')
        total += Decimal(int(Decimal(number) * _UNITS[unit]))
        position = match.end()
    if total > _MAX:
        raise ValueError(f'time: invalid duration "{text}"')
    return sign * int(total)


def format_duration(nanos: int) -> str:
    """The span as Go prints it: `0s`, `1.5ms`, `10s`, `1m0s`, `1h0m0.25s`."""
    if nanos == 0:
        return "0s"
    sign, rest = ("-", -nanos) if nanos < 0 else ("", nanos)
    for unit, size in (("ns", 1), ("µs", 1_000), ("ms", 1_000_000)):
        if rest < size * 1_000:
            return f"{sign}{_trimmed(rest, size)}{unit}"
    minutes, remainder = divmod(rest, _UNITS["m"])
    text = f"{_trimmed(remainder, _UNITS['s'])}s"
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else f"{sign}{text}"


def _trimmed(amount: int, size: int) -> str:
    whole, fraction = divmod(amount, size)
    if not fraction:
        return str(whole)
    return f"{whole}.{fraction:0{len(str(size)) - 1}d}".rstrip("0")
