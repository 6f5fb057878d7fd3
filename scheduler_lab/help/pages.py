"""Loads the help pages and finds the one that explains a name or a message."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec
import yaml
from django.urls import reverse

from quizzes.walkthrough import fill
from scheduler_lab.help.relations import DOCUMENTS, POINTS, QUEUE, plugins
from scheduler_lab.help.schema import Content, HelpPage, Reason, Text

FOLDER = Path(__file__).resolve().parent / "content"
Kind = Literal["plugin", "point", "document"]
_FOLDERS: dict[Kind, str] = {"plugin": "plugins", "point": "points", "document": "documents"}


@dataclass(frozen=True)
class Page:
    """A help page with its address."""

    kind: Kind
    name: str
    content: Content

    @property
    def url(self) -> str:
        return reverse(f"help:{self.kind}", args=[self.name])

    @cached_property
    def values(self) -> dict[str, object]:
        """The example's numbers, by the names under which the texts use them."""
        return {claim.name: claim.value for claim in self.content.example.claims}

    def text(self, text: Text | None) -> str:
        """A text of the page in the current language with the example's numbers in it, "" for none."""
        return fill(str(text), self.values) if text is not None else ""


def names(kind: Kind) -> tuple[str, ...]:
    """The names that need a page, in the order of the index."""
    return {"plugin": plugins(), "point": (*POINTS, QUEUE), "document": DOCUMENTS}[kind]


def load(path: Path) -> HelpPage:
    """The page in a file; raises msgspec.ValidationError or yaml.YAMLError when it is not one."""
    return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), HelpPage)


@cache
def find(kind: Kind, name: str) -> Page | None:
    """The page of a plugin or an extension point, None where there is none."""
    if name not in names(kind):
        return None
    path = FOLDER / _FOLDERS[kind] / f"{name}.yaml"
    return Page(kind, name, load(path).spec) if path.is_file() else None


@cache
def find_all(kind: Kind) -> tuple[Page, ...]:
    """Every page of a kind, in the order of the index."""
    return tuple(page for name in names(kind) if (page := find(kind, name)))


def address_of(name: str) -> str:
    """The address of the page on a plugin or an extension point, "" for a name without one (a learner's plugin)."""
    page = find("plugin", name) or find("point", name)
    return page.url if page else ""


def address_of_reason(plugin: str, message: str) -> str:
    """The address of what a plugin's page says about a message, of the page where it does not list it, or ""."""
    page = find("plugin", plugin)
    if page is None:
        return ""
    number = reason_number(page.content.reasons, message)
    return f"{page.url}#message-{number}" if number else page.url


def reason_number(reasons: tuple[Reason, ...], message: str) -> int:
    """The place, from 1, of the listed reason that a message is, 0 for none."""
    return next((number for number, r in enumerate(reasons, 1) if r.pattern.fullmatch(message)), 0)
