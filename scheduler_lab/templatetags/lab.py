"""What the lab's templates need beside the site's tags."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[/.])")


@register.filter
def breakable(name: str) -> SafeString:
    """A plugin's name that may break between its words, e.g. NodeResources|BalancedAllocation."""
    return mark_safe("<wbr>".join(escape(part) for part in _SEAM.split(name)))
