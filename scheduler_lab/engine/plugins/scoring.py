"""Score arithmetic as Go computes it: truncating division, int64 wrap-around, halves away from zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

MAX_SCORE = 100
MAX_INT64 = 2**63 - 1
_MIN_INT64 = -(2**63)


def int64(value: int) -> int:
    """The value as a signed 64-bit integer, wrapped around like Go's.

    >>> int64(2**63)
    -9223372036854775808
    """
    if _MIN_INT64 <= value <= MAX_INT64:
        return value
    return (value + 2**63) % 2**64 - 2**63


def divide(dividend: int, divisor: int) -> int:
    """Integer division truncated toward zero.

    >>> divide(-7, 2)
    -3
    """
    if dividend >= 0 and divisor > 0:
        return dividend // divisor
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) is (divisor < 0) else -quotient


def round_half_away(value: float) -> int:
    """The nearest integer, halves away from zero.

    >>> round_half_away(2.5), round_half_away(-2.5)
    (3, -3)
    """
    whole = math.floor(abs(value))
    if abs(value) - whole >= 0.5:
        whole += 1
    return whole if value >= 0 else -whole


def default_normalize(scores: dict[str, int], *, reverse: bool) -> None:
    """Scale scores in place so that the largest becomes 100; reversed, the largest becomes 0.

    Models kube-scheduler v1.35 DefaultNormalizeScore. All zero: reversed all become 100, else unchanged.
    """
    highest = max(0, *scores.values()) if scores else 0
    if highest == 0:
        if reverse:
            scores.update(dict.fromkeys(scores, MAX_SCORE))
        return
    for node, score in scores.items():
        scaled = divide(MAX_SCORE * score, highest)
        scores[node] = MAX_SCORE - scaled if reverse else scaled


def broken_linear(shape: Sequence[tuple[int, int]], x: int) -> int:
    """The value at x of the line through the points (x, y), flat before the first and after the last.

    Models kube-scheduler v1.35 BuildBrokenLinearFunction: multiplies before it divides, truncating.

    >>> [broken_linear([(0, 100), (30, 0)], x) for x in (0, 1, 7, 29, 30, 31)]
    [100, 97, 77, 4, 0, 0]
    """
    for index, (at, value) in enumerate(shape):
        if x <= at:
            if index == 0:
                return value
            before, start = shape[index - 1]
            return start + divide((value - start) * (x - before), at - before)
    return shape[-1][1]
