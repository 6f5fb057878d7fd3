"""Where a value and what is in it are written, and field paths as steps and as text."""

import re
from dataclasses import dataclass, field
from typing import Final

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
