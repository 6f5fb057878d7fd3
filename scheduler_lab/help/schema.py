"""What a help page's file holds, as plain frozen values.

`content/plugins/<Name>.yaml` and `content/points/<Name>.yaml` have the members of `HelpPage`. Long texts are Markdown.
Wherever a run's number appears in a text it is written {{claim-name}}: a test holds every claim of the example against
the engine, so no number can go stale.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Literal

import msgspec
from django.utils.translation import get_language

Code = Literal["Unschedulable", "UnschedulableAndUnresolvable", "Error", "Wait"]
_PLACEHOLDER = re.compile(r"<[^<>]+>")


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename="camel"):
    pass


class Text(_Strict, frozen=True):
    """The same text in both languages."""

    ko: str
    en: str

    def __str__(self) -> str:
        """The text in the page's language."""
        return self.ko if (get_language() or "en").startswith("ko") else self.en


class Argument(_Strict, frozen=True):
    """A member of the plugin's args, or another field that steers it."""

    name: str
    default: str
    meaning: Text


class Reason(_Strict, frozen=True, dict=True):
    """A message as the scheduler writes it; `<…>` stands for what differs from case to case."""

    text: str
    code: Code
    point: str
    meaning: Text

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches a message of this kind, whatever stands in its places."""
        fixed = _PLACEHOLDER.split(self.text)
        return re.compile(".+?".join(re.escape(part) for part in fixed), re.DOTALL)


class Claim(_Strict, frozen=True):
    """A value that the run of the example produces, found in the record by `at`."""

    name: str
    at: str
    value: Any


class Look(_Strict, frozen=True):
    """Where the lab opens: `cycle` counts from 1, 0 leaves the choice to the lab."""

    cycle: int = 0
    phase: str = ""
    node: str = ""
    plugin: str = ""


class Example(_Strict, frozen=True):
    """A text that runs in the lab, and what to notice in its run."""

    title: Text
    text: str
    reading: Text
    look: Look = Look()
    claims: tuple[Claim, ...] = ()


class Link(_Strict, frozen=True):
    title: Text
    url: str


class Content(_Strict, frozen=True):
    """One page."""

    title: Text
    summary: Text
    does: Text
    example: Example
    links: tuple[Link, ...]
    args: tuple[Argument, ...] = ()
    reasons: tuple[Reason, ...] = ()
    arithmetic: Text | None = None
    wakes: Text | None = None
    traps: Text | None = None


class Metadata(_Strict, frozen=True):
    name: str


class HelpPage(_Strict, frozen=True):
    """The file: a document in Kubernetes' own style."""

    api_version: Literal["lab/v1"]
    kind: Literal["HelpPage"]
    metadata: Metadata
    spec: Content
