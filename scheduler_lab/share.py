"""Shared texts: the same text always has the same link, and nothing but the text is kept."""

from __future__ import annotations

import base64
import hashlib

from scheduler_lab.models import SharedText

DIGEST_LENGTH = 22


def digest(text: str) -> str:
    """The name of a text in links: 22 characters of its SHA-256, safe in an address."""
    whole = hashlib.sha256(text.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(whole).decode()[:DIGEST_LENGTH]


def save(text: str) -> str:
    """Keep a text for its link and return its digest. Keeping it twice changes nothing."""
    name = digest(text)
    SharedText.objects.get_or_create(digest=name, defaults={"text": text})
    return name


def load(name: str) -> str | None:
    """The shared text of that digest, None when there is none."""
    return SharedText.objects.filter(digest=name).values_list("text", flat=True).first()
