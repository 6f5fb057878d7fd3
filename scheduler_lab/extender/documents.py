"""The lab/v1 Extender documents of a text, and the addresses that they can have."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from scheduler_lab import examples
from scheduler_lab.engine import load
from scheduler_lab.engine.manifests import PASTED
from scheduler_lab.engine.objects.codec import convert, to_dict
from scheduler_lab.engine.objects.lab import Extender

LARGEST_TEXT = PASTED.characters
"""Characters of the longest text whose extenders can be published."""

_HINT = re.compile(r"""kind["']?\s*:\s*["']?Extender\b""")
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")


def may_hold_extenders(text: str) -> bool:
    """Whether a text looks as if it had an Extender document; cheap, and never wrong about one that has."""
    return "Extender" in text and _HINT.search(text) is not None


def extenders_of(text: str) -> dict[str, Extender]:
    """The documents of a text by name; of several with one name the last counts, as in a run.

    Those whose name no address can have are left out.
    """
    if len(text) > LARGEST_TEXT or not may_hold_extenders(text):
        return {}
    found = (item for item in load(text).objects if isinstance(item, Extender))
    return {item.name: item for item in found if _NAME.fullmatch(item.name)}


def is_short(name: str) -> bool:
    """Whether a name can stand alone in an address; one with a dot would look like a name with a hash."""
    return "." not in name


@lru_cache(maxsize=1)
def of_examples() -> dict[str, Extender]:
    """The extenders of the shipped examples by name; the first example of a name counts."""
    found: dict[str, Extender] = {}
    for example in examples.all_examples():
        for name, document in extenders_of(example.text).items():
            found.setdefault(name, document)
    return found


def to_json(document: Extender) -> dict[str, Any]:
    """The document as JSON data."""
    return to_dict(document)


def from_json(data: dict[str, Any]) -> Extender:
    """The document of `to_json`. Raises msgspec.ValidationError for anything else."""
    document = convert(data, Extender)
    assert isinstance(document, Extender)
    return document
