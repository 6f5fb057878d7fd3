"""What the lab's templates need beside the site's tags, and the tag that puts a run into another page."""

import re
from typing import Any

from django import template
from django.template.context import Context
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from scheduler_lab import runs
from scheduler_lab.pages import result_context
from scheduler_lab.present.links import Selection
from scheduler_lab.present.vocabulary import PHASES

register = template.Library()

_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[/.])")
OVERVIEW = ("", "Filter", "Score")


@register.filter
def breakable(name: str) -> SafeString:
    """A plugin's name that may break between its words, e.g. NodeResources|BalancedAllocation."""
    return mark_safe("<wbr>".join(escape(part) for part in _SEAM.split(name)))


@register.inclusion_tag("lab/embed.html", takes_context=True)
def lab_run(context: Context, text: str, pod: str = "", phase: str = "") -> dict[str, Any]:
    """The result of running `text`, inside another page, at the last cycle of `pod` (`default/web`) and at `phase`.

    The page needs css/lab.css and js/lab.js; without the script the links open the lab.
    """
    run = runs.perform(text)
    cycles = (run.outcome.record or {}).get("cycles", [])
    at = max((number for number, cycle in enumerate(cycles, 1) if cycle["pod"] == pod), default=0)
    shown = phase if phase in PHASES and phase not in OVERVIEW else ""
    return {**result_context(run, Selection(cycle=at, phase=shown), embed=True), "request": context.get("request")}
