"""A framework code as a verdict: the `data-v` that colours it, its glyph and its word."""

from __future__ import annotations

from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

Verdict = Literal["pass", "reject", "unresolvable", "wait", "skip", "none", "chosen"]

_BY_CODE: dict[str, Verdict] = {
    "Success": "pass",
    "Unschedulable": "reject",
    "UnschedulableAndUnresolvable": "unresolvable",
    "Error": "reject",
    "Wait": "wait",
    "Pending": "wait",
    "Skip": "skip",
}


_WORDS: dict[Verdict, str] = {
    "pass": gettext_noop("passed"),
    "reject": gettext_noop("rejected"),
    "unresolvable": gettext_noop("unresolvable"),
    "wait": gettext_noop("waited"),
    "skip": gettext_noop("skipped"),
    "none": gettext_noop("not reached"),
    "chosen": gettext_noop("chosen"),
}


def of_code(code: str) -> Verdict:
    """The verdict of a status code; an unknown code counts as a rejection."""
    return _BY_CODE.get(code, "reject")


def word(verdict: Verdict) -> str:
    """The verdict in one word of the page's language."""
    return _(_WORDS[verdict])


def code_word(code: str) -> str:
    """The code in one word: like `word`, but an error is called an error."""
    return _("error") if code == "Error" else word(of_code(code))
