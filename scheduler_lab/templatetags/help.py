"""Tags of the help pages, and those that lead to them from elsewhere."""

from __future__ import annotations

from django import template

from scheduler_lab.help.pages import Page, address_of, address_of_reason
from scheduler_lab.help.schema import Text

register = template.Library()

_VERDICTS = {
    "Unschedulable": "reject",
    "UnschedulableAndUnresolvable": "unresolvable",
    "Error": "reject",
    "Wait": "wait",
}


@register.simple_tag
def filled(page: Page, text: Text | None) -> str:
    """A text of the page in the current language with the example's numbers in it (Markdown)."""
    return page.text(text)


@register.filter
def verdict(code: str) -> str:
    """How a status code looks: the `data-v` of its chip."""
    return _VERDICTS[code]


@register.simple_tag
def help_url(name: str) -> str:
    """The address of the page on a plugin or extension point, "" when it has none."""
    return address_of(name)


@register.simple_tag
def reason_url(plugin: str, message: str) -> str:
    """The address of what a plugin's page says about one of its messages, "" when the plugin has no page."""
    return address_of_reason(plugin, message)
