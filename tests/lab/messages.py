"""Finds every text that the lab marks for translation, without gettext's command line tools."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent.parent
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_noop": None,
    "gettext_lazy": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "N_": None,
    "text": None,
}


def _messages(source: str, keywords: dict[str, object]) -> Iterator[tuple[str, ...]]:
    for _line, message, _comments, _context in extract("python", io.BytesIO(source.encode()), keywords):
        yield message if isinstance(message, tuple) else (message,)


def site_messages() -> set[tuple[str, ...]]:
    """The texts of the lab's Python modules and templates: (text,) or (singular, plural)."""
    found: set[tuple[str, ...]] = set()
    keywords = {name: spec for name, spec in KEYWORDS.items() if name not in ("N_", "text")}
    for path in (ROOT / "scheduler_lab").rglob("*.py"):
        if "engine" not in path.relative_to(ROOT / "scheduler_lab").parts:
            found.update(_messages(path.read_text(encoding="utf-8"), keywords))
    for path in (ROOT / "templates" / "lab").rglob("*.html"):
        found.update(_messages(templatize(path.read_text(encoding="utf-8")), keywords))
    return {message for message in found if message[0]}


def engine_messages() -> set[tuple[str, ...]]:
    """The texts that the engine marks with N_()."""
    found: set[tuple[str, ...]] = set()
    for path in (ROOT / "scheduler_lab" / "engine").rglob("*.py"):
        found.update(_messages(path.read_text(encoding="utf-8"), {"N_": None}))
    return {message for message in found if message[0]}
