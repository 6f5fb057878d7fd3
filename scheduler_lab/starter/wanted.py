"""What a learner asks of a new plugin, and what follows from it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from scheduler_lab.engine.configuration.registry import KNOWN_PLUGINS

POINTS = (
    "queueSort",
    "preEnqueue",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "normalizeScore",
    "reserve",
    "unreserve",
    "permit",
    "preBind",
    "postBind",
)
"""The extension points to choose from, in the order in which a pod meets them. The lab has no Bind of one's own."""

EVENTS = "events"
"""Chosen like an extension point: which events wake the pods that the plugin rejects."""

_NEEDS = {"normalizeScore": "score", "unreserve": "reserve"}
NAME = re.compile(r"[A-Z][A-Za-z0-9]{1,39}")

_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "break case chan const continue default defer else fallthrough for func go goto if import interface map "
        "package range return select struct switch type var",
    )
)
# Neither may be the name of a package that another imports.
_NO_PACKAGES = frozenset({"init", "internal", "main", "testdata", "vendor"})
_IN_USE = frozenset({"Args", "Name", "New"})


def is_go_name(name: str) -> bool:
    """Whether a Go type can have the name, and a package its lower case."""
    return bool(NAME.fullmatch(name)) and name not in _IN_USE and name.lower() not in _KEYWORDS | _NO_PACKAGES


def is_taken(name: str) -> bool:
    """Whether the scheduler has a plugin of that name, or the lab a document that acts as one."""
    return name in KNOWN_PLUGINS or name == "Extender"


@dataclass(frozen=True)
class Wanted:
    """A new plugin. `points` holds what the chosen ones need besides; `remembers` whether it keeps state in a cycle."""

    name: str
    points: tuple[str, ...]
    takes_args: bool = False
    remembers: bool = False
    registers_events: bool = False

    @property
    def package(self) -> str:
        """The name of its Go package."""
        return self.name.lower()

    @property
    def remembering_point(self) -> str:
        """Where it notes what later points read, "" for nowhere."""
        if not self.remembers:
            return ""
        return "preFilter" if "preFilter" in self.points else "preScore"

    def has(self, *points: str) -> bool:
        """Whether it serves one of the points."""
        return any(point in self.points for point in points)


def wanted(name: str, chosen: Collection[str], *, takes_args: bool = False, remembers: bool = False) -> Wanted:
    """The plugin with everything that the chosen points need."""
    points = set(chosen) & set(POINTS)
    points |= {_NEEDS[point] for point in points if point in _NEEDS}
    if remembers and not points & {"preFilter", "preScore"}:
        points.add("preScore" if "score" in points else "preFilter")
    in_order = tuple(point for point in POINTS if point in points)
    return Wanted(name, in_order, takes_args, remembers, EVENTS in chosen)
