"""Where each field of a document is written: a tree made only when a position is asked for."""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import yaml
from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, StreamEndEvent

from scheduler_lab.engine.manifests.documents import Document, line_numbers
from scheduler_lab.engine.manifests.pause import no_collections
from scheduler_lab.engine.manifests.scalars import TooLong, key_text, resolve

Path = tuple[str | int, ...]
_MANY: Final = 10_000
_STEP: Final = re.compile(r"\[([^\]]*)\]|\.?([^.\[]+)")


@dataclass(slots=True)
class Located:
    """A value's place: `line` and `column` from 1 in the whole text (of its key, for a map entry).

    `source` is the text of a scalar, `plain` whether it is unquoted, `block` whether it is a block scalar,
    and `indent` how far its content is indented.
    `value_line` and `value_column` are where the value itself begins, `end_line` the last line that belongs to it.
    """

    line: int
    column: int
    value_line: int
    end_line: int
    source: str = ""
    plain: bool = False
    block: bool = False
    indent: int = 0
    value_column: int = 1
    entries: dict[str, "Located"] = field(default_factory=dict)
    items: list["Located"] = field(default_factory=list)

    def find(self, path: Path) -> "Located":
        """The place of the deepest part of the path that is written."""
        place = self
        for step in path:
            inner = place.step(step)
            if inner is None:
                return place
            place = inner
        return place

    def positions(self) -> dict[str, tuple[int, int]]:
        """Line and column of what is inside, by field path from here; of very many only the first."""
        found: dict[str, tuple[int, int]] = {}
        waiting: list[tuple[Path, Located]] = [((), self)]
        while waiting and len(found) < _MANY:
            path, place = waiting.pop()
            if path:
                found[format_path(path)] = (place.line, place.column)
            waiting += [((*path, key), inner) for key, inner in place.entries.items()]
            waiting += [((*path, index), inner) for index, inner in enumerate(place.items)]
        return found

    def step(self, step: str | int) -> "Located | None":
        """The place of one member, or None when it is not written."""
        if isinstance(step, int):
            return self.items[step] if step < len(self.items) else self.entries.get(str(step))
        return self.entries.get(step)


def locate(document: Document) -> list[Located]:
    """The trees of a document's values; what cannot be parsed, and all after it, has none."""
    found: list[Located] = []
    with suppress(yaml.YAMLError, RecursionError), no_collections():
        _Locator(document, found).read()
    return found


class _Locator:
    """Follows libyaml's events, keeping marks only."""

    def __init__(self, document: Document, found: list[Located]) -> None:
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(document.text)
        self._next = loader.get_event
        self._line = document.first_line
        self._lines: list[str] | None = None
        self._text = document.text
        self._numbers = line_numbers(document.text)
        self._found = found
        self._anchors: dict[str, Located] = {}

    def read(self) -> None:
        while not isinstance(event := self._next(), StreamEndEvent):
            if hasattr(event, "anchor"):
                self._found.append(self._node(event, event))

    def _at(self, line: int) -> int:
        numbers = self._numbers
        return self._line + (line if numbers is None else numbers[min(line, len(numbers) - 1)])

    def _node(self, event: Any, key: Any) -> Located:
        place = Located(
            self._at(key.start_mark.line),
            key.start_mark.column + 1,
            self._at(event.start_mark.line),
            self._at(event.end_mark.line),
            value_column=event.start_mark.column + 1,
        )
        kind = event.__class__
        if kind is AliasEvent:
            target = self._anchors.get(event.anchor)
            if target is not None:
                place.entries, place.items, place.source = target.entries, target.items, target.source
            return place
        if kind is ScalarEvent:
            place.source, place.plain = event.value, bool(event.implicit[0])
            place.block = event.style in ("|", ">")
            if place.block:
                place.indent = self._indent(place.value_line)
        elif kind is MappingStartEvent:
            self._mapping(place)
        else:
            while (item := self._next()).__class__ is not SequenceEndEvent:
                place.items.append(self._node(item, item))
                place.end_line = place.items[-1].end_line
        if event.anchor is not None:
            self._anchors[event.anchor] = place
        return place

    def _indent(self, line: int) -> int:
        """The columns before the first line of a block scalar's content, whose header is on `line`."""
        if self._lines is None:
            self._lines = self._text.split("\n")
        for source in self._lines[line - self._line + 1 :]:
            if source.strip():
                return len(source) - len(source.lstrip(" "))
        return 0

    def _mapping(self, place: Located) -> None:
        merged: list[Located] = []
        while (key := self._next()).__class__ is not MappingEndEvent:
            name = _name(key)
            if key.__class__ not in (ScalarEvent, AliasEvent):
                self._node(key, key)
            inner = self._node(self._next(), key)
            place.end_line = inner.end_line
            if name == "<<":
                merged += inner.items or [inner]
            else:
                place.entries.setdefault(name, inner)
        for source in merged:
            for name, inner in source.entries.items():
                place.entries.setdefault(name, inner)


def _name(key: Any) -> str:
    if key.__class__ is not ScalarEvent:
        return ""
    text = str(key.value)
    if not key.implicit[0]:
        return text
    try:
        return key_text(resolve(text)) or text
    except TooLong:
        return text


def parse_path(text: str) -> Path:
    """A field path's steps: `spec.containers[0].name`, and `metadata.labels[example.com/zone]` for keys with dots."""
    steps: list[str | int] = []
    for bracket, name in _STEP.findall(text):
        if name:
            steps.append(name)
        else:
            steps.append(int(bracket) if bracket.isdigit() and len(bracket) < 10 else bracket)
    return tuple(steps)


def format_path(path: Path) -> str:
    """A path's steps as text; the reverse of `parse_path`."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int) or "." in step or "/" in step:
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)
