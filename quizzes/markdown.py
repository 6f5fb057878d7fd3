"""Markdown of question sets to safe HTML: highlighted code lines, no raw HTML, sanitised all the same."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LANGUAGES = {
    "yaml": "YAML",
    "json": "JSON",
    "go": "Go",
    "console": gettext_noop("Shell"),
    "shell": gettext_noop("Shell"),
    "bash": gettext_noop("Shell"),
    "diff": "Diff",
}

ALLOWED_TAGS = {
    *("p", "br", "em", "strong", "code", "pre", "span", "a", "ul", "ol", "li", "blockquote", "hr"),
    *("h2", "h3", "h4", "table", "thead", "tbody", "tr", "th", "td", "div"),
}
ALLOWED_ATTRIBUTES = {
    "a": {"href", "title"},
    "span": {"class", "data-n"},
    "pre": {"class", "tabindex", "role", "aria-label", "data-block"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "ol": {"start"},
    "th": {"class"},
    "td": {"class"},
}

_MARKED = re.compile(r"\{([0-9, -]{1,100})\}")
_formatter = HtmlFormatter(nowrap=True)


def _marked_lines(info: str) -> set[int]:
    """Return the lines named as in ```yaml {2,4-6}."""
    found = _MARKED.search(info)
    lines: set[int] = set()
    for part in found.group(1).split(",") if found else ():
        first, _, last = part.strip().partition("-")
        if first.strip().isdigit() and (not last or last.strip().isdigit()):
            lines.update(range(int(first), min(int(last or first), int(first) + 500) + 1))
    return lines


def code_block(code: str, language: str = "", marked: Sequence[int] | set[int] = (), block: int = -1) -> str:
    """Return `code` as the site shows it: a numbered line each, highlighted if the language is known."""
    # Tab stops would count from the line number.
    code = code.rstrip("\n").expandtabs(4)
    try:
        lines = highlight(code, get_lexer_by_name(language, stripnl=False), _formatter).rstrip("\n").split("\n")
    except ClassNotFound:
        lines = [str(escape(line)) for line in code.split("\n")]
    rows = "".join(
        f'<span class="ln{" hll" if number in marked else ""}" data-n="{number}">{line or " "}</span>'
        for number, line in enumerate(lines, start=1)
    )
    plain = "" if language in ("yaml", "json", "go") else " plain"
    label = _(LANGUAGES.get(language, gettext_noop("Code")))
    number = f' data-block="{block}"' if block >= 0 else ""
    return f'<pre class="code{plain}" tabindex="0" role="group" aria-label="{label}"{number}><code>{rows}</code></pre>'


class _Renderer(RendererHTML):
    """Headings start below the page's own; tables scroll by themselves."""

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        info = tokens[idx].info.strip()
        language = info.split()[0].lower() if info and not info.startswith("{") else ""
        blocks: list[tuple[str, str]] = env.setdefault("blocks", [])
        blocks.append((language, tokens[idx].content))
        return code_block(tokens[idx].content, language, _marked_lines(info), len(blocks) - 1)

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return code_block(tokens[idx].content)

    def heading_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"<h{_level(tokens[idx])}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"</h{_level(tokens[idx])}>"

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return '<div class="scroll" tabindex="0"><table>'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>"


def _level(token: Token) -> int:
    return min(int(token.tag[1]) + 2, 4)


_parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")


def _sanitise(html: str) -> str:
    return nh3.clean(
        html,
        tags=ALLOWED_TAGS,
        attributes=ALLOWED_ATTRIBUTES,
        url_schemes={"https", "http"},
        link_rel="noopener noreferrer",
    )


@lru_cache(maxsize=2000)
def _rendered(text: str, _language: str | None) -> tuple[str, tuple[tuple[str, str], ...]]:
    env: dict[str, Any] = {}
    html = _sanitise(_parser.render(text, env))
    return html, tuple(env.get("blocks", ()))


def render(text: str, after_block: Callable[[str, str], str] | None = None) -> SafeString:
    """Return the HTML of a Markdown text.

    `after_block(language, code)` gives trusted HTML to stand behind a fenced block, or "".
    """
    html, blocks = _rendered(text, get_language())
    if after_block is None:
        return mark_safe(html)

    def add(match: re.Match[str]) -> str:
        return match[0] + after_block(*blocks[int(match[1])])

    return mark_safe(re.sub(r'<pre [^>]*data-block="([0-9]+)"[^>]*>.*?</pre>', add, html, flags=re.DOTALL))


@lru_cache(maxsize=4000)
def render_inline(text: str) -> SafeString:
    """Return the HTML of one line of Markdown, without a paragraph around it."""
    return mark_safe(_sanitise(_parser.renderInline(text)))


def is_manifest(language: str, code: str) -> bool:
    """True for YAML that can be opened in the lab: whole objects, not a part of one."""
    return language == "yaml" and bool(re.search(r"^apiVersion:", code, re.M) and re.search(r"^kind:", code, re.M))
