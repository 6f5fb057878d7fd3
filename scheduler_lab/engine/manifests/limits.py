"""How much text a load accepts. All bounds in one place."""

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one load; `nodes` counts values with aliases written out, `problems` those that are told.

    `documents` counts JSON values that follow one another too, `directives` %TAG lines. `commas` bounds the lists of a
    YAML text before it is parsed, which takes longest for a text that is little else.
    """

    characters: int = 1_500_000
    documents: int = 20_000
    depth: int = 100
    nodes: int = 400_000
    commas: int = 1_000_000
    number_digits: int = 256
    problems: int = 200
    directives: int = 100

    def for_text(self, characters: int) -> "Limits":
        """These bounds for a text of that length: a long one may hold more values, but not be values alone.

        What kubectl prints has 15 to 30 characters a value; with two or three a text of a few megabytes takes seconds.
        """
        return replace(self, nodes=min(self.nodes, max(_ALWAYS, characters // _CHARACTERS_OF_VALUE)))


_ALWAYS: Final = 300_000
_CHARACTERS_OF_VALUE: Final = 12


PASTED: Final = Limits()
"""What a page accepts: a load within these bounds takes about a second."""

FILES: Final = Limits(characters=64_000_000, documents=200_000, nodes=10_000_000)
"""What the command line accepts from a file."""
