"""Tags of the systems' pages, and the one that puts a system under its answered question."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from quizzes import markdown
from scheduler_lab.help.schema import Text
from scheduler_lab.systems.sections import System, of_question

register = template.Library()


@register.simple_tag
def said(system: System, text: Text | None) -> str:
    """A text of the section in the current language with the runs' values in it (Markdown)."""
    return system.text(text)


@register.filter
def go(text: str) -> SafeString:
    """A Go file as a code block."""
    return mark_safe(markdown.code_block(text, "go"))


@register.inclusion_tag("systems/build_here.html")
def build_it(set_name: str, question: str) -> dict[str, Any]:
    """The examples of a question's system, with a link to its section; nothing where it has none."""
    return {"system": of_question(f"{set_name}/{question}")}
