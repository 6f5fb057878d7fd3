"""A text cut into its documents, before any of them is parsed."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from typing import Final

_SEPARATOR: Final = re.compile(r"^---(?=[ \t\n]|\Z)", re.MULTILINE)
_UNPRINTABLE: Final = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_YAML_BREAK: Final = re.compile("[\n\x85\u2028\u2029]")
_JSON_START: Final = re.compile(r"\s*\{")
_CONTENT: Final = re.compile(r"^[ \t]*+[^ \t\n#]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its number from 1, its source, and the line of the whole text on which the source begins."""

    number: int
    text: str
    first_line: int

    def place(self, line: int, column: int) -> tuple[int, int]:
        """Where a place of the document, from 1, is in the whole text."""
        return line + self.first_line - 1, column

    def cut(self, spans: list[tuple[int, int]]) -> list["Document"]:
        """The parts of the document, each a document of the same number."""
        parts = []
        line, before = self.first_line, 0
        for start, end in spans:
            line += self.text.count("\n", before, start)
            before = start
            parts.append(Document(self.number, self.text[start:end], line))
        return parts

    @property
    def is_json(self) -> bool:
        """Whether the document begins with `{`, which makes it JSON."""
        return _JSON_START.match(self.text) is not None


def normalised(text: str) -> str:
    """The text without a byte order mark and with Unix line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=1)
def line_numbers(text: str) -> list[int] | None:
    """For a text with breaks that only YAML counts (U+0085, U+2028, U+2029): YAML's line → the line, both from 0."""
    if text.isascii() or not any(mark in text for mark in "\x85\u2028\u2029"):
        return None
    return list(accumulate((mark == "\n" for mark in _YAML_BREAK.findall(text)), initial=0))


def unprintable(text: str) -> tuple[int, int, str] | None:
    """Line, column and code point of the first character that YAML does not allow, or None."""
    match = _UNPRINTABLE.search(text)
    if match is None:
        return None
    start = match.start()
    line_start = text.rfind("\n", 0, start) + 1
    return text.count("\n", 0, start) + 1, start - line_start + 1, f"U+{ord(match[0]):04X}"


def document_beyond(text: str, limit: int) -> int | None:
    """The line of the separator after which a text has more than so many documents, blank ones counted too, or None."""
    if text.count("\n---") < limit - 1:
        return None
    separators = _SEPARATOR.finditer(text)
    beyond = next(islice(separators, limit if _SEPARATOR.match(text) else limit - 1, None), None)
    if beyond is None or not _has_content(text[beyond.end() :]):
        return None
    return text.count("\n", 0, beyond.start()) + 1


def split(text: str) -> list[Document]:
    """The documents of a normalised text, cut at lines that begin with `---`; blank ones and pure comments left out."""
    found: list[Document] = []
    start, line = 0, 1
    for begin, end in [*((m.start(), m.end()) for m in _SEPARATOR.finditer(text)), (len(text), len(text))]:
        source = text[start:begin]
        if _has_content(source):
            found.append(Document(len(found) + 1, source, line))
        line += source.count("\n")
        start = end
        if text[end : end + 1] == "\n":
            start, line = end + 1, line + 1
    return found


def _has_content(source: str) -> bool:
    """Whether there is more than blanks and comments."""
    text = source.strip(" \t\n")
    return bool(text) and (text[0] != "#" or _CONTENT.search(text) is not None)
