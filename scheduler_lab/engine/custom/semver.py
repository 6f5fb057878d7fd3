"""Semantic versions 2.0: parsing and precedence."""

from __future__ import annotations

import re
from functools import total_ordering

_STRICT = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_LOOSE = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+].*)?", re.ASCII)


@total_ordering
class Version:
    """Numbers and pre-release identifiers; build metadata is dropped, as it has no precedence."""

    __slots__ = ("numbers", "precedence", "pre_release")

    def __init__(self, numbers: tuple[int, int, int], pre_release: tuple[str, ...]) -> None:
        self.numbers = numbers
        self.pre_release = pre_release
        core = ".".join(str(number) for number in numbers)
        self.precedence = f"{core}-{'.'.join(pre_release)}" if pre_release else core

    @classmethod
    def of_precedence(cls, text: str) -> Version:
        """The version that wrote this `precedence`."""
        core, _, rest = text.partition("-")
        major, minor, patch = (int(part) for part in core.split("."))
        return cls((major, minor, patch), tuple(rest.split(".")) if rest else ())

    def _key(self) -> tuple[object, ...]:
        # Numeric identifiers come before others; a version without any comes after its pre-releases.
        parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in self.pre_release]
        return (self.numbers, not self.pre_release, parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.precedence == other.precedence

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()

    def __hash__(self) -> int:
        return hash(self.precedence)


def parse_version(text: str, loose: bool = False) -> Version:
    """The version; raises ValueError if it is none.

    `loose` first drops a leading v, fills in missing numbers and drops leading zeros, as semver(text, true) does.
    """
    if loose and (found := _LOOSE.fullmatch(text)) is not None:
        text = ".".join(str(int(number or 0)) for number in found.groups()[:3]) + (found[4] or "")
    match = _STRICT.fullmatch(text)
    if match is None:
        wanted = "No Major.Minor.Patch elements found"
        raise ValueError(wanted if text.count(".") < 2 else f"invalid semantic version {text!r}")
    return Version((int(match[1]), int(match[2]), int(match[3])), tuple(match[4].split(".")) if match[4] else ())


def is_version(text: str, loose: bool = False) -> bool:
    """Whether the text is a semantic version."""
    try:
        parse_version(text, loose)
    except ValueError:
        return False
    return True
