"""What a section's file holds, as plain frozen values.

`content/<question>.yaml` has the members of `SectionFile`. Long texts are Markdown. What a run gives is written
{{claim-name}}: a test holds every claim against the engine and lets no other number stand that the examples lack.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_lab.help.schema import Claim, Look, Text


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename="camel"):
    pass


class SectionExample(_Strict, frozen=True):
    """An example of scheduler_lab/examples, what to try with it, and what its run shows."""

    name: str
    look: Text
    attempt: Text | None = msgspec.field(default=None, name="try")
    at: Look = Look()
    claims: tuple[Claim, ...] = ()


class GoFile(_Strict, frozen=True):
    """A file of docs/go; `example` is the one whose plugin it is."""

    path: str
    about: Text
    example: str = ""


class Section(_Strict, frozen=True):
    """One system; `question` is SET/NAME of the question it belongs to."""

    question: str
    order: int
    title: Text
    summary: Text
    what: Text
    not_modelled: Text
    examples: tuple[SectionExample, ...]
    go: tuple[GoFile, ...]
    measured: bool = False
    """Whether the page measures the cost of InterPodAffinity."""
    figure: Literal["", "domains"] = ""
    """The drawing beside the text."""


class Metadata(_Strict, frozen=True):
    name: str


class SectionFile(_Strict, frozen=True):
    """The file: a document in Kubernetes' own style."""

    api_version: Literal["lab/v1"]
    kind: Literal["System"]
    metadata: Metadata
    spec: Section
