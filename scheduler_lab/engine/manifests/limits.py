"""How much text a load accepts. All bounds in one place."""

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one load; `nodes` counts values with aliases written out, `problems` those that are told.

    A long text must have `characters_of_node` characters for each value. `documents` counts JSON values in a row too,
    `entries` are those of one map, or of one list other than the items of a List, `directives` %TAG lines.
    `commas` bounds the lists of a YAML text before it is parsed, which takes longest for a text that is little else.
    """

    characters: int = 1_500_000
    documents: int = 20_000
    depth: int = 100
    nodes: int = 400_000
    characters_of_node: int = 12
    entries: int = 20_000
    commas: int = 1_000_000
    number_digits: int = 256
    problems: int = 200
    directives: int = 100

    def for_text(self, characters: int) -> "Limits":
        """These bounds for a text of that length: a long one may hold more values, but not be values alone.

        What kubectl prints has 15 to 30 characters a value; with two or three a text of a few megabytes takes seconds.
        """
        return replace(self, nodes=min(self.nodes, max(_ALWAYS, characters // self.characters_of_node)))


_ALWAYS: Final = 300_000

PASTED: Final = Limits()
"""What a page accepts: a load within these bounds takes about a second."""

FILES: Final = Limits(characters=64_000_000, documents=200_000, nodes=10_000_000, characters_of_node=6)
"""What the command line accepts from a file."""
