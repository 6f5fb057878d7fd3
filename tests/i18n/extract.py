"""Finds the texts to translate in Python files and templates, without the gettext programs."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.extract import extract
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]

KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}

CATALOGS = {
    "quizzes": ("config", "quizzes", "templates/*.html", "templates/includes", "templates/quizzes", "templates/admin"),
    "scheduler_lab": ("scheduler_lab", "templates/lab", "templates/help", "templates/systems"),
}
"""Which app's catalog holds the texts of which files."""


def files_of(app: str) -> Iterator[Path]:
    for place in CATALOGS[app]:
        if "*" in place:
            yield from ROOT.glob(place)
        else:
            for pattern in ("*.py", "*.html", "*.txt", "*.md"):
                yield from (ROOT / place).rglob(pattern)


def texts_of(path: Path) -> Iterator[tuple[str | None, str, int]]:
    """Yield (context, text, line) of each text to translate in a file."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        if "{%" not in source:
            return
        source = templatize(source)
    for line, found, _comments, context in extract(
        "python", BytesIO(source.encode()), KEYWORDS, options={"encoding": "utf-8"}
    ):
        singular = found[0] if isinstance(found, tuple) else found
        yield context, singular, line
