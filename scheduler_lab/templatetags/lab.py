"""What the lab's templates need beside the site's tags, and the tag that puts a run into another page."""

import re
import shlex
from typing import Any

from django import template
from django.template.context import Context
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from scheduler_lab import runs
from scheduler_lab.help.pages import address_of
from scheduler_lab.pages import result_context
from scheduler_lab.present.extender_calls import Call
from scheduler_lab.present.links import Selection
from scheduler_lab.present.vocabulary import PHASES

register = template.Library()

_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[/.])")
OVERVIEW = ("", "Filter", "Score")


@register.simple_tag
def help_link(name: str, css: str = "") -> SafeString:
    """A plugin's or extension point's name, as a link to its help page where it has one."""
    url = address_of(name)
    if not url:
        return format_html('<span class="{}" title="{}">{}</span>', css, name, breakable(name))
    return format_html('<a class="help-link {}" href="{}" title="{}">{}</a>', css, url, name, breakable(name))


@register.simple_tag
def help_mark(name: str) -> SafeString:
    """A small link to the help page of a name that stands beside it already; nothing where there is none."""
    url = address_of(name)
    label = _("Help: %(name)s") % {"name": name}
    return (
        format_html('<a class="help-mark" href="{}" aria-label="{}" title="{}">?</a>', url, label, label)
        if url
        else SafeString()
    )


@register.simple_tag
def help_how(plugin: str) -> SafeString:
    """A link to how a plugin decides; nothing for a plugin without a help page."""
    url = address_of(plugin)
    said = _("How %(plugin)s decides") % {"plugin": plugin}
    return format_html('<a href="{}">{}</a>', url, said) if url else SafeString()


LONGEST_ARGUMENT = 100_000
"""Bytes of a command's argument that every system takes."""


@register.simple_tag(takes_context=True)
def curl(context: Context, call: Call) -> str:
    """The command that sends an extender call's request to this site, for a shell."""
    request = context.get("request")
    origin = f"{request.scheme}://{request.get_host()}" if request else "http://127.0.0.1:8000"
    data = call.body if len(call.body.encode()) <= LONGEST_ARGUMENT else "@request.json"
    words = ["curl", "-sS", "-H", "Content-Type: application/json", "--data-binary", data, origin + call.path]
    return shlex.join(words)


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
