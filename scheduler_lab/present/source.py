"""The learner's text as highlighted lines, and excerpts of it around the lines that decided something."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe
from pygments.lexer import Lexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.token import STANDARD_TYPES, Token

HIGHLIGHT_LIMIT = 400_000
CONTEXT = 2


@dataclass(frozen=True)
class Line:
    """One line: `code` is escaped HTML with Pygments' class names; `marked` lines decided the verdict."""

    number: int
    code: SafeString
    marked: bool = False


@lru_cache(maxsize=8)
def highlighted(text: str) -> tuple[SafeString, ...]:
    """Every line of a YAML text as HTML. A very long text is only escaped."""
    return _highlighted(text, YamlLexer(ensurenl=False, stripnl=False))


def highlighted_json(text: str) -> tuple[SafeString, ...]:
    """The same for JSON."""
    return _highlighted(text, JsonLexer(ensurenl=False, stripnl=False))


def _highlighted(text: str, lexer: Lexer) -> tuple[SafeString, ...]:
    if len(text) > HIGHLIGHT_LIMIT:
        return tuple(mark_safe(html.escape(line)) for line in text.split("\n"))
    lines: list[str] = [""]
    for kind, value in lexer.get_tokens(text):
        css = _css(kind)
        for index, part in enumerate(value.split("\n")):
            if index:
                lines.append("")
            if part:
                escaped = html.escape(part)
                lines[-1] += f'<span class="{css}">{escaped}</span>' if css else escaped
    return tuple(mark_safe(line) for line in lines)


@lru_cache(maxsize=2048)
def highlighted_line(line: str) -> SafeString:
    """One line by itself as HTML, as good as that can be told without the lines around it."""
    return highlighted(line)[0] if len(line) < HIGHLIGHT_LIMIT else mark_safe(html.escape(line))


def _css(kind: object) -> str:
    if kind in (Token.Text, Token.Text.Whitespace, Token.Literal.Scalar.Plain):
        return ""
    return STANDARD_TYPES.get(kind, "")  # type: ignore[no-any-return]


def excerpt(text: str, marked: Iterable[int], context: int = CONTEXT, most: int = 14) -> list[Line]:
    """The marked lines with a little around them, within their document, at most `most` lines."""
    lines = highlighted(text)
    wanted = sorted({number for number in marked if 1 <= number <= len(lines)})
    shown: list[int] = []
    for number in wanted:
        for near in range(number - context, number + 1):
            if near >= 1 and near not in shown and (near == number or lines[near - 1] != ""):
                shown.append(near)
    after = wanted[-1] + 1 if wanted else 0
    if 0 < after <= len(lines) and lines[after - 1]:
        shown.append(after)
    shown = _within_documents(text, shown, wanted)[:most]
    return [Line(number, lines[number - 1], number in wanted) for number in shown]


def _within_documents(text: str, shown: list[int], wanted: list[int]) -> list[int]:
    raw = text.split("\n")
    breaks = [number for number, line in enumerate(raw, 1) if line.startswith("---")]
    keep: list[int] = []
    for number in sorted(shown):
        near = min(wanted, key=lambda line: abs(line - number))
        low, high = min(near, number), max(near, number)
        if not any(low <= at <= high for at in breaks):
            keep.append(number)
    return keep
