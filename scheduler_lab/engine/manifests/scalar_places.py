"""Where a character of a text value stands in the document: values are unfolded and unescaped when they are read."""

from __future__ import annotations

from typing import Final

from scheduler_lab.engine.manifests.documents import Document
from scheduler_lab.engine.manifests.located import Located

_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_BLANK_ESCAPES: Final = "nrtvfNLP_ \n"


def place_in_scalar(document: Document, place: Located, at: int) -> tuple[int, int]:
    """Line and column, from 1 in the whole text, of the character of a scalar's value at `at` (from 0).

    Folding and indentation change only white space, so the other characters are counted.
    """
    text, value = document.text, place.source
    start = _start(document, place)
    if start is None:
        return place.line, place.column
    wanted = sum(not character.isspace() for character in value[:at])
    quote = "" if place.block or place.plain or text[start : start + 1] not in ("'", '"') else text[start]
    found = _skip(text, start + len(quote), wanted, quote)
    if at < len(value) and not value[at].isspace():
        while text[found : found + 1].isspace():
            found += 1
    line = document.first_line + text.count("\n", 0, found)
    return line, found - text.rfind("\n", 0, found)


def _start(document: Document, place: Located) -> int | None:
    """The offset in the document at which the value's own text begins."""
    offset = 0
    lines = place.value_line - document.first_line + (1 if place.block else 0)
    for _ in range(lines):
        offset = document.text.find("\n", offset) + 1
        if not offset:
            return None
    return offset if place.block else offset + place.value_column - 1


def _skip(text: str, at: int, wanted: int, quote: str) -> int:
    """The offset behind as many visible characters of a value."""
    while wanted > 0 and at < len(text):
        visible, length = _character(text, at, quote)
        wanted -= visible
        at += length
    return at


def _character(text: str, at: int, quote: str) -> tuple[bool, int]:
    """(whether it is visible in the value, how much of the text writes it)."""
    character = text[at]
    if quote == "'" and text.startswith("''", at):
        return True, 2
    if quote == '"' and character == "\\":
        escape = text[at + 1 : at + 2]
        return escape not in _BLANK_ESCAPES, 2 + _HEX_DIGITS.get(escape, 0)
    return not character.isspace(), 1
