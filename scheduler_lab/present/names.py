"""The order of names."""

from __future__ import annotations

import re


def natural(name: str) -> list[tuple[int, str]]:
    """A sort key that reads the numbers in a name as numbers.

    >>> sorted(["node-10", "node-2"], key=natural)
    ['node-2', 'node-10']
    """
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"([0-9]+)", name)]
