"""The engine's texts in the page's language."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from scheduler_lab.engine.evidence import Text
from scheduler_lab.present.facts import short_name


def translated(text: Any) -> str:
    """An engine text (evidence.Text, or as JSON) in the page's language; a plain string is translated as it is."""
    if isinstance(text, Text):
        text = {"template": text.template, "params": text.params}
    if isinstance(text, str):
        return gettext(_short(text)) if text else ""
    params = {key: _short(value) for key, value in (text.get("params") or {}).items()}
    return fill(text.get("template", ""), params)


def _short(value: Any) -> Any:
    """Pods of the default namespace go by their name alone, as everywhere on the page."""
    return ", ".join(short_name(part) for part in value.split(", ")) if isinstance(value, str) else value


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
