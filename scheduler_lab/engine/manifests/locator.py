"""Where each field of a document is written: a tree that grows only as far as a position is asked for."""

from dataclasses import dataclass, field
from typing import Any, Final

import yaml
from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, StreamEndEvent

from scheduler_lab.engine.manifests.documents import Document, line_numbers
from scheduler_lab.engine.manifests.located import Located, Path
from scheduler_lab.engine.manifests.pause import no_collections
from scheduler_lab.engine.manifests.scalars import TooLong, key_text, resolve

_AT_ONCE: Final = 500


@dataclass(slots=True)
class _Open:
    """A map or list whose end is not read yet; `step` is the name or index under which it goes into its parent.

    `key` is the event of a map's key that waits for its value, `merged` what merge keys bring in.
    """

    place: Located
    step: str | int
    is_map: bool
    anchor: str | None
    is_key: bool = False
    key: Any = None
    name: str = ""
    merged: list[Located] = field(default_factory=list)


class Locator:
    """The places in one document, from libyaml's events. What cannot be parsed, and all after it, has none."""

    def __init__(self, document: Document) -> None:
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(document.text)
        self._next = loader.get_event
        self._line = document.first_line
        self._lines: list[str] | None = None
        self._text = document.text
        self._numbers = line_numbers(document.text)
        self._values: list[Located] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, Located] = {}
        self._ended = False

    def tree(self, value: int = 0) -> Located | None:
        """All places of the document's value of that number."""
        with no_collections():
            while not self._ended and len(self._values) <= value:
                self._advance()
        return self._values[value] if value < len(self._values) else None

    def begin(self, value: int, path: Path) -> Located | None:
        """The place of the deepest written part of a path; of a map or list perhaps only its beginning is known yet.

        Reads no further than it must: a mistake at the beginning of a large document is found at once.
        """
        with no_collections():
            while not self._ended:
                found = self._known(value, path)
                if found is not None:
                    return found
                self._advance()
        return self._values[value].find(path) if value < len(self._values) else None

    def _known(self, value: int, path: Path) -> Located | None:
        """The place when no later event can change it."""
        if value < len(self._values):
            return self._values[value].find(path)
        if value > len(self._values) or not self._stack:
            return None
        for depth, opened in enumerate(self._stack):
            if depth == len(path):
                return opened.place
            inner = opened.place.step(path[depth])
            if inner is not None:
                return inner.find(path[depth + 1 :])
            following = self._stack[depth + 1] if depth + 1 < len(self._stack) else None
            if following is None or following.is_key or str(following.step) != str(path[depth]):
                return None
        return None

    def _advance(self) -> None:
        """Read a few hundred events more."""
        try:
            for _ in range(_AT_ONCE):
                event = self._next()
                if isinstance(event, StreamEndEvent):
                    self._ended = True
                    return
                self._event(event)
        except yaml.YAMLError:
            self._ended = True

    def _event(self, event: Any) -> None:
        kind = event.__class__
        if kind is MappingEndEvent or kind is SequenceEndEvent:
            self._close()
        elif hasattr(event, "anchor"):
            parent = self._stack[-1] if self._stack else None
            if parent is not None and parent.is_map and parent.key is None:
                parent.key, parent.name = event, _name(event)
                if kind is ScalarEvent or kind is AliasEvent:
                    if event.anchor is not None and kind is ScalarEvent:
                        self._anchors[event.anchor] = self._leaf(event, event)
                else:
                    self._open(event, event, "", is_key=True)
                return
            key = parent.key if parent is not None and parent.is_map else event
            step: str | int = "" if parent is None else parent.name if parent.is_map else len(parent.place.items)
            if kind is ScalarEvent or kind is AliasEvent:
                self._attach(self._leaf(event, key), step)
            else:
                self._open(event, key, step)

    def _open(self, event: Any, key: Any, step: str | int, is_key: bool = False) -> None:
        is_map = event.__class__ is MappingStartEvent
        self._stack.append(_Open(self._place(event, key), step, is_map, event.anchor, is_key))

    def _close(self) -> None:
        closed = self._stack.pop()
        place = closed.place
        for source in closed.merged:
            for name, inner in source.entries.items():
                place.entries.setdefault(name, inner)
        if closed.anchor is not None:
            self._anchors[closed.anchor] = place
        if not closed.is_key:
            self._attach(place, closed.step)

    def _attach(self, place: Located, step: str | int) -> None:
        """Put a finished place into the map, list or document that it stands in."""
        if not self._stack:
            self._values.append(place)
            return
        parent = self._stack[-1]
        parent.place.end_line = place.end_line
        if not parent.is_map:
            parent.place.items.append(place)
            return
        if step == "<<":
            parent.merged += place.items or [place]
        else:
            parent.place.entries.setdefault(str(step), place)
        parent.key = None

    def _leaf(self, event: Any, key: Any) -> Located:
        place = self._place(event, key)
        if event.__class__ is AliasEvent:
            target = self._anchors.get(event.anchor or "")
            if target is not None:
                place.entries, place.items, place.source = target.entries, target.items, target.source
            return place
        place.source, place.plain = event.value, bool(event.implicit[0])
        place.block = event.style in ("|", ">")
        if place.block:
            place.indent = self._indent(place.value_line, place.end_line)
        if event.anchor is not None:
            self._anchors[event.anchor] = place
        return place

    def _place(self, event: Any, key: Any) -> Located:
        start = event.start_mark
        return Located(
            self._at(key.start_mark.line),
            key.start_mark.column + 1,
            self._at(start.line),
            self._at(event.end_mark.line),
            value_column=start.column + 1,
        )

    def _at(self, line: int) -> int:
        numbers = self._numbers
        return self._line + (line if numbers is None else numbers[min(line, len(numbers) - 1)])

    def _indent(self, line: int, end: int) -> int:
        """The columns before the first line of a block scalar's content, whose header is on `line`."""
        if self._lines is None:
            self._lines = self._text.split("\n")
        for number in range(line - self._line + 1, min(end - self._line + 1, len(self._lines))):
            source = self._lines[number]
            if source.strip():
                return len(source) - len(source.lstrip(" "))
        return 0


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
