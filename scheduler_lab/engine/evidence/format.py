"""Amounts as people write them in manifests: 500m, 2, 512Mi, 8Gi."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lab.engine.framework.resources import CPU, EPHEMERAL_STORAGE, MEMORY

_BINARY = ((2**60, "Ei"), (2**50, "Pi"), (2**40, "Ti"), (2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"))
_DECIMAL = ((10**18, "E"), (10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def is_bytes(resource: str) -> bool:
    """Whether amounts of a resource are bytes."""
    return resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith("hugepages-")


def amounts(resource: str, values: Sequence[int]) -> list[str]:
    """Exact texts of amounts (milli-CPU, bytes or units), all in the largest unit that suits every one of them.

    One unit for all keeps a column of a sum comparable: 3600m + 500m = 4100m, 512Mi + 1536Mi = 2048Mi.

    >>> amounts("cpu", [3600, 500, 4000])
    ['3600m', '500m', '4000m']
    >>> amounts("memory", [2**29, 2**31])
    ['512Mi', '2048Mi']
    """
    if resource == CPU:
        if all(value % 1000 == 0 for value in values):
            return [str(value // 1000) for value in values]
        return [f"{value}m" for value in values]
    if is_bytes(resource) and any(values):
        for factor, suffix in (*_BINARY, *_DECIMAL):
            if all(value % factor == 0 for value in values):
                return [f"{value // factor}{suffix}" for value in values]
    return [str(value) for value in values]


def amount(resource: str, value: int) -> str:
    """The exact text of one amount (milli-CPU, bytes or units)."""
    return amounts(resource, [value])[0]


def size(value: int) -> str:
    """Bytes in Mi with at most one decimal, for sizes that nobody writes by hand.

    >>> size(500 * 2**20)
    '500Mi'
    """
    return f"{number(value / 2**20, 1)}Mi"


def number(value: float, decimals: int = 4) -> str:
    """A number with at most so many decimals and no trailing zeros.

    >>> number(0.375)
    '0.375'
    """
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
