"""A lab's walkthrough gets its numbers from the lab's claims, which a test holds against the engine."""

import json
from collections.abc import Mapping
from typing import Any

from quizzes.content_format.parse import PLACEHOLDER


def fill(text: str, claims: Mapping[str, Any]) -> str:
    """Return `text` with each {{claim}} replaced by the claim's value; an unknown one stays as it is."""
    return PLACEHOLDER.sub(lambda match: _shown(claims[match[1]]) if match[1] in claims else match[0], text)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    return json.dumps(value, ensure_ascii=False)
