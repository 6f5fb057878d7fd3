"""What reading one document gives, whether it was YAML or JSON."""

from dataclasses import dataclass, field
from typing import Any


class Broken(Exception):
    """A document that cannot be read any further; `line` and `column` count from 1 within the document."""

    def __init__(self, template: str, line: int, column: int, **params: str) -> None:
        super().__init__(template)
        self.template, self.params, self.line, self.column = template, params, line, column


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong that does not stop the reading; `line` and `column` count from 1 within the document."""

    template: str
    line: int
    column: int
    params: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Data:
    """The values of a document (more than one when JSON values follow each other) and what was odd about them.

    `has_null` tells that a null is somewhere in it; `nodes` counts the values, aliases expanded; `spans` are the places
    of JSON values that follow each other. `cut` tells that so much is wrong that the rest was not read.
    """

    values: list[Any] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    duplicates: list[Finding] = field(default_factory=list)
    has_null: bool = False
    nodes: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)
    cut: bool = False
