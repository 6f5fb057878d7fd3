"""The syntax of names, label keys and label values, as apimachinery's validation has it."""

import re
from functools import lru_cache
from typing import Final

_LABEL: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_1035: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_QUALIFIED: Final = re.compile(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)


def is_dns_label(text: str) -> bool:
    """Whether text is an RFC 1123 label: at most 63 of a-z, 0-9 and inner hyphens."""
    return len(text) <= 63 and _LABEL.fullmatch(text) is not None


def is_dns_1035_label(text: str) -> bool:
    """Whether text is an RFC 1035 label: as the above, beginning with a letter."""
    return len(text) <= 63 and _LABEL_1035.fullmatch(text) is not None


def is_dns_subdomain(text: str) -> bool:
    """Whether text is an RFC 1123 subdomain: dot-separated labels, at most 253 characters."""
    return len(text) <= 253 and _SUBDOMAIN.fullmatch(text) is not None


@lru_cache(maxsize=16384)
def is_qualified_name(text: str) -> bool:
    """Whether text is a label key or resource name: an optional DNS prefix, a slash, and at most 63 characters."""
    prefix, slash, name = text.rpartition("/")
    if slash and not is_dns_subdomain(prefix):
        return False
    return 0 < len(name) <= 63 and _QUALIFIED.fullmatch(name) is not None


@lru_cache(maxsize=16384)
def is_label_value(text: str) -> bool:
    """Whether text is a label value: empty, or at most 63 of A-Z, a-z, 0-9, -, _ and . with alphanumeric ends."""
    return text == "" or (len(text) <= 63 and _QUALIFIED.fullmatch(text) is not None)


def label_key_problem(key: str) -> str | None:
    """A sentence that says what is wrong with a label key, or None."""
    if is_qualified_name(key):
        return None
    return f"{_cut(key)} is not a label key: write name or prefix/name, at most 63 letters, digits, -, _ or ."


def label_value_problem(value: str) -> str | None:
    """A sentence that says what is wrong with a label value, or None."""
    if is_label_value(value):
        return None
    return (
        f"{_cut(value)} is not a label value: at most 63 letters, digits, -, _ or ., "
        "beginning and ending with a letter or digit"
    )


def _cut(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "…")
