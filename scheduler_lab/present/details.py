"""Sentences that stand inside another sentence about the text: what was expected, what is wrong with a value."""

from __future__ import annotations

import re
from functools import cache

from django.utils.translation import gettext, gettext_noop

_SAYINGS = (
    gettext_noop("a text"),
    gettext_noop("a map"),
    gettext_noop("a list"),
    gettext_noop("a whole number"),
    gettext_noop("a number"),
    gettext_noop("true or false"),
    gettext_noop("a quantity"),
    gettext_noop("a whole number or a text"),
    gettext_noop("a quantity is a text or a number"),
    gettext_noop("the number is too long for a quantity"),
    gettext_noop("the boolean %(value)s"),
    gettext_noop("the number %(value)s"),
    gettext_noop("the text %(value)s"),
    gettext_noop(
        "%(value)s is not a quantity: write a number with at most one suffix "
        "(n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei) or an exponent such as 1e3"
    ),
    gettext_noop("%(value)s is not a quantity"),
    gettext_noop("a quantity of %(value)s characters is too long"),
    gettext_noop("%(value)s is not a label key: write name or prefix/name, at most 63 letters, digits, -, _ or ."),
    gettext_noop(
        "%(value)s is not a label value: at most 63 letters, digits, -, _ or ., "
        "beginning and ending with a letter or digit"
    ),
    gettext_noop("%(value)s is not an RFC 3339 time such as 2030-01-01T00:00:00Z"),
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(re.escape(saying).replace(re.escape("%(value)s"), "(?P<value>.+)"), re.DOTALL), saying)
        for saying in _SAYINGS
    )


def spoken(text: str) -> str:
    """The text in the page's language where it is one of the engine's sayings, else as it is."""
    for pattern, saying in _patterns():
        if match := pattern.fullmatch(text):
            return gettext(saying) % match.groupdict() if "%(" in saying else gettext(saying)
    return text
