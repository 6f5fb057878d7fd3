"""Resource quantities with exact arithmetic, as apimachinery's resource.Quantity computes them."""

import re
from functools import lru_cache, total_ordering
from typing import Final, Self

MAX_INT64: Final = 2**63 - 1
MIN_INT64: Final = -(2**63)
NANO: Final = 10**9
MAX_TEXT: Final = 256
_MAX_EXPONENT: Final = 60

_PATTERN = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]*))?|\.(?P<only>[0-9]+))"
    r"(?:(?P<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?P<exponent>[+-]?[0-9]+))?",
    re.ASCII,
)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES: Final = {power: name for name, power in _DECIMAL.items()}
_BINARY_NAMES: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


@total_ordering
class Quantity:
    """An exact amount in billionths (`nanos`) with the text it was written as.

    Equality, order and hash follow the amount alone: `1` equals `1000m`.
    """

    __slots__ = ("nanos", "text")

    nanos: int
    text: str

    def __init__(self, nanos: int, text: str) -> None:
        self.nanos = nanos
        self.text = text

    @classmethod
    def parse(cls, value: "str | int | float | Quantity") -> "Quantity":
        """The quantity that a YAML or JSON scalar writes; finer than 10⁻⁹ rounds away from zero.

        Binary amounts are capped at 2⁶³-1. Raises ValueError with a sentence when it is not a quantity.
        """
        if isinstance(value, str):
            return _parse_text(value)
        if isinstance(value, Quantity):
            return value
        if isinstance(value, bool):
            raise ValueError(f"{str(value).lower()} is not a quantity")
        if isinstance(value, int | float):
            return _parse_number(value)
        raise ValueError("a quantity is a text or a number")

    @classmethod
    def from_units(cls, units: int) -> "Quantity":
        """The quantity of so many whole units (bytes, pods, …)."""
        return cls(units * NANO, str(units))

    @classmethod
    def from_milli(cls, milli: int) -> "Quantity":
        """The quantity of so many thousandths (milli-CPU)."""
        return cls.from_nanos(milli * 10**6)

    @classmethod
    def from_nanos(cls, nanos: int, binary: bool = False) -> "Quantity":
        """The quantity of so many billionths, its text in canonical form."""
        return cls(nanos, _canonical(nanos, "binary" if binary else "decimal"))

    def milli(self) -> int:
        """The amount in thousandths, rounded up, within int64."""
        return _capped(-(-self.nanos // 10**6))

    def value(self) -> int:
        """The amount in units, rounded up, within int64."""
        return _capped(-(-self.nanos // NANO))

    def is_zero(self) -> bool:
        """Whether the amount is exactly zero."""
        return self.nanos == 0

    def is_binary(self) -> bool:
        """Whether it was written with a binary suffix (Ki, Mi, …)."""
        return self.text.endswith("i")

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity.from_nanos(self.nanos + other.nanos, self._binary_with(other))

    def __sub__(self, other: "Quantity") -> "Quantity":
        return Quantity.from_nanos(self.nanos - other.nanos, self._binary_with(other))

    def __neg__(self) -> "Quantity":
        return Quantity.from_nanos(-self.nanos, self.is_binary())

    def _binary_with(self, other: "Quantity") -> bool:
        return self.is_binary() if self.nanos else other.is_binary()

    def __bool__(self) -> bool:
        return self.nanos != 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.nanos == other.nanos

    def __lt__(self, other: "Quantity") -> bool:
        return self.nanos < other.nanos

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __str__(self) -> str:
        return _canonical(self.nanos, _style(self.text))

    def __repr__(self) -> str:
        return f"Quantity({self.text!r})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def _capped(amount: int) -> int:
    return MAX_INT64 if amount > MAX_INT64 else MIN_INT64 if amount < MIN_INT64 else amount


@lru_cache(maxsize=65536)
def _parse_text(text: str) -> Quantity:
    if len(text) > MAX_TEXT:
        raise ValueError(f"a quantity of {len(text)} characters is too long")
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{text!r} is not a quantity: write a number with at most one suffix "
            "(n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei) or an exponent such as 1e3"
        )
    whole, part = match["whole"] or "", match["part"] or match["only"] or ""
    digits = int(whole + part)
    suffix = match["suffix"] or ""
    if suffix in _BINARY:
        nanos = min(_scaled((digits << _BINARY[suffix]), 9 - len(part)), MAX_INT64 * NANO)
    else:
        power = int(match["exponent"]) if match["exponent"] else _DECIMAL[suffix]
        power = max(-_MAX_EXPONENT - len(part), min(power, _MAX_EXPONENT))
        nanos = _scaled(digits, 9 + power - len(part))
    return Quantity(-nanos if match["sign"] == "-" else nanos, text)


@lru_cache(maxsize=4096, typed=True)
def _parse_number(value: int | float) -> Quantity:
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"{value} is not a quantity")
        if value.is_integer() and abs(value) < 1e21:
            value = int(value)
    elif abs(value) >= 10**MAX_TEXT:
        raise ValueError("the number is too long for a quantity")
    return _parse_text(repr(value))


def _scaled(digits: int, power: int) -> int:
    """digits × 10^power, rounded up to a whole number."""
    if power >= 0:
        return int(digits * 10**power)
    return int(-(-digits // 10**-power))


def _style(text: str) -> str:
    if text.endswith("i"):
        return "binary"
    return "exponent" if re.search(r"[eE][+-]?[0-9]", text) else "decimal"


def _canonical(nanos: int, style: str) -> str:
    """The shortest exact text in a style: no fraction, the largest suffix possible (as the API server writes it)."""
    if nanos == 0:
        return "0"
    sign, amount = ("-", -nanos) if nanos < 0 else ("", nanos)
    if style == "binary" and amount >= 1024 * NANO:
        units = -(-amount // NANO)
        step = 0
        while units % 1024 == 0 and step < len(_BINARY_NAMES) - 1:
            units //= 1024
            step += 1
        return f"{sign}{units}{_BINARY_NAMES[step]}"
    power = -9
    while amount % 1000 == 0 and (power < 18 or style == "exponent"):
        amount //= 1000
        power += 3
    if style == "exponent":
        return f"{sign}{amount}e{power}" if power else f"{sign}{amount}"
    return f"{sign}{amount}{_DECIMAL_NAMES[power]}"
