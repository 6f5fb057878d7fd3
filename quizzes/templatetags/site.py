"""Tags that every page uses: glyphs and the language switch."""

from django import template
from django.conf import settings
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_from_path

register = template.Library()

NAMES = {"en": "English", "ko": "한국어"}


@register.simple_tag
def glyph(name: str) -> SafeString:
    """The shape `name` of includes/glyphs.html, hidden from screen readers: a word always stands beside it."""
    return format_html('<svg class="g" aria-hidden="true"><use href="#g-{}"/></svg>', name)


def path_in(language: str, path: str) -> str:
    """Return `path` (with its query) as the same page in another language."""
    current = get_language_from_path(path)
    rest = path.removeprefix(f"/{current}") if current else path
    return f"/{language}{rest}"


@register.simple_tag(takes_context=True)
def language_links(context: Context) -> SafeString:
    """The parts of the language switch: a link to this page in each other language.

    A page shown in answer to a POST sets `page_url` in its context to an address that may be opened with GET.
    """
    request = context.get("request")
    path = context.get("page_url") or (request.get_full_path() if request else "/")
    current = get_language()
    parts = []
    for code, _name in settings.LANGUAGES:
        if code == current:
            parts.append(format_html('<span aria-current="true" lang="{}">{}</span>', code, NAMES[code]))
        else:
            href = path_in(code, path)
            parts.append(format_html('<a href="{}" lang="{}" hreflang="{}">{}</a>', href, code, code, NAMES[code]))
    return format_html_join("", "{}", ((part,) for part in parts))
