"""The numbers behind a verdict, as data: only the plugin that judged knows them.

Texts are English templates in Python's %-format with named parameters, marked with `N_` so that the pages can
translate them; the engine itself knows one language.
"""

from __future__ import annotations

import msgspec


def N_(template: str) -> str:  # noqa: N802 - gettext's customary name for "translate later"
    """Mark a template for translation; returns it unchanged."""
    return template


class Text(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sentence or label: `template % params`."""

    template: str
    params: dict[str, str | int] = {}

    def __str__(self) -> str:
        return self.template % self.params if self.params else self.template


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A field of an object that decided the verdict, e.g. path `spec.containers[0].resources.requests.cpu`."""

    kind: str
    name: str
    path: str
    namespace: str = ""


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the arithmetic. `amount` is in the unit that `value` spells out."""

    label: Text
    value: str
    sign: str = ""
    tone: str = ""
    amount: int | float | None = None
    mark: Mark | None = None


class Table(msgspec.Struct, frozen=True, omit_defaults=True):
    """Data behind a verdict that is not a sum: one row a taint, a domain, a term."""

    columns: list[Text]
    rows: list[list[str]]
    highlight: list[int] = []


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a plugin answered what it answered, for one pod and one node (or for the cycle)."""

    sentence: Text
    rows: list[Row] = []
    table: Table | None = None
    marks: list[Mark] = []


def text(template: str, **params: str | int) -> Text:
    """Shorthand for `Text(template, params)`."""
    return Text(template, params)
