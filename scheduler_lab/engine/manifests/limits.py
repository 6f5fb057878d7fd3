"""How much text a load accepts. All bounds in one place."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one load; `nodes` counts values with aliases written out, `problems` those that are told.

    `commas` bounds the lists of a YAML text before it is parsed, which takes longest for a text that is little else.
    """

    characters: int = 1_500_000
    documents: int = 20_000
    depth: int = 100
    nodes: int = 400_000
    commas: int = 1_000_000
    number_digits: int = 256
    problems: int = 200


PASTED: Final = Limits()
"""What a page accepts: a load within these bounds takes about a second."""

FILES: Final = Limits(characters=64_000_000, documents=200_000, nodes=10_000_000)
"""What the command line accepts from a file."""
