"""Tags for what question sets hold."""

from collections.abc import Sequence

from django import template
from django.middleware.csrf import get_token
from django.template.context import Context
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from quizzes import markdown
from quizzes.templatetags.site import glyph
from scheduler_lab.completing import completed

register = template.Library()


@register.filter(name="inline")
def inline(text: str) -> SafeString:
    """One line of Markdown."""
    return markdown.render_inline(text)


@register.filter(name="blocks")
def blocks(text: str) -> SafeString:
    """Markdown of any length."""
    return markdown.render(text)


@register.filter(name="yaml")
def yaml(text: str) -> SafeString:
    """A whole YAML text as a code block."""
    return mark_safe(markdown.code_block(text, "yaml"))


@register.simple_tag(takes_context=True)
def with_lab(context: Context, text: str) -> SafeString:
    """Markdown of any length; below each whole manifest stands a button that runs it in the lab, completed."""
    try:
        action = reverse("lab:run")
    except NoReverseMatch:
        return markdown.render(text)
    token = get_token(context["request"])

    def button(language: str, code: str) -> str:
        if not markdown.is_manifest(language, code):
            return ""
        return format_html(
            '<form class="to-lab" method="post" action="{}"><input type="hidden" name="csrfmiddlewaretoken" value="{}">'
            '<input type="hidden" name="text" value="{}"><button type="submit" class="btn quiet">{}{}</button></form>',
            *(action, token, completed(code), _("Run this in the lab"), glyph("out")),
        )

    return markdown.render(text, after_block=button)


@register.simple_tag
def ticks(states: Sequence[str]) -> SafeString:
    """A tick for each question: filled when right, outlined in red when wrong, empty when open."""
    step = 100 / max(1, len(states))
    gap = min(1.2, step * 0.2)
    rects = format_html_join(
        "",
        '<rect{} x="{}" y="1" width="{}" height="8"/>',
        (
            (format_html(' class="{}"', state) if state else "", f"{index * step + gap / 2:.2f}", f"{step - gap:.2f}")
            for index, state in enumerate(states)
        ),
    )
    return format_html(
        '<svg class="ticks" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{}</svg>', rects
    )
