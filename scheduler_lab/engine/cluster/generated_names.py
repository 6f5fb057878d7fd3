"""Names of what controllers make: as the real ones look, but the same for the same text in every run."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from scheduler_lab.engine.objects.quantity import Quantity

# The alphabet of generated names: neither vowels nor look-alikes.
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
SUFFIX_LENGTH = 5
LONGEST_BASE = 63 - SUFFIX_LENGTH
_FNV_OFFSET = 0x811C9DC5
_FNV_PRIME = 0x01000193


def content_hash(value: msgspec.Struct) -> str:
    """A hash of an object's content in the form of pod-template-hash: the decimal FNV-1a sum, letter by letter."""
    total = _FNV_OFFSET
    for byte in msgspec.json.encode(value, enc_hook=_encode, order="sorted"):
        total = ((total ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return "".join(ALPHABET[ord(digit) % len(ALPHABET)] for digit in str(total))


def suffix(*parts: str | int) -> str:
    """Five letters that stand for the parts."""
    digest = hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    letters = []
    for _ in range(SUFFIX_LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)


def generated(base: str, *parts: str | int) -> str:
    """The name made from a generateName; a long base is cut as the API server cuts it."""
    return base[:LONGEST_BASE] + suffix(base, *parts)


def _encode(value: object) -> Any:
    if isinstance(value, Quantity):
        return str(value)
    raise NotImplementedError(type(value).__name__)
