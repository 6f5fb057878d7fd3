"""The order of names."""

from __future__ import annotations

import re


def natural(name: str) -> list[tuple[int, str]]:
    """A sort key that reads the numbers in a name as numbers.

    >>> sorted(["node-10", "node-2"], key=natural)
    ['node-2', 'node-10']
    """
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"([0-9]+)", name)]


def around(name: str, sentence: str) -> tuple[str, str]:
    """What a sentence says before and after a name, so that the name is not written twice beside it.

    A sentence without the name follows it after a colon.

    >>> around("node-1", "The label of node-1 is gone."), around("node-1", "No node-10.")
    (('The label of ', ' is gone.'), ('', ': No node-10.'))
    """
    named = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", sentence)
    return (sentence[: named.start()], sentence[named.end() :]) if named else ("", f": {sentence}")
