"""The engine's texts in the page's language."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext


def translated(text: Any) -> str:
    """An engine text {template, params} in the page's language; a plain string is translated as it is."""
    if isinstance(text, str):
        return gettext(text) if text else ""
    template, params = text.get("template", ""), text.get("params") or {}
    return fill(template, params)


def fill(template: str, params: dict[str, Any]) -> str:
    """`gettext(template) % params`; the English text where the translation does not fit the parameters."""
    if not template:
        return ""
    for candidate in (gettext(template), template):
        try:
            return candidate % params if params else candidate
        except (KeyError, TypeError, ValueError):
            continue
    return template
