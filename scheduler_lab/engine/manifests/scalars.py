"""What an unquoted YAML scalar is, as Go's YAML 1.1 decoder for Kubernetes reads it, seen as JSON."""

import re
from functools import lru_cache
from typing import Final

Scalar = str | int | float | bool | None

_CONSTANTS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_LARGEST_UNSIGNED: Final = 2**64 - 1
_WHOLE_BELOW: Final = 1e21
MAX_DIGITS: Final = 256


class TooLong(ValueError):
    """A number with more digits than are accepted."""


@lru_cache(maxsize=65536)
def resolve(text: str) -> Scalar:
    """The value of a plain scalar: bool, null, integer, float or text. Raises TooLong for a number of absurd length.

    A whole float counts as an integer, as it does after the conversion to JSON; timestamps stay text.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    plain = text.replace("_", "")
    if len(plain) > MAX_DIGITS:
        if _FLOAT.fullmatch(plain) or _INTEGER.fullmatch(plain):
            raise TooLong(f"a number of {len(plain)} digits")
        return text
    number = _integer(plain)
    if number is not None:
        return number
    if _FLOAT.fullmatch(plain):
        value = float(plain)
        if value in (float("inf"), float("-inf")):
            return text
        return int(value) if value.is_integer() and abs(value) < _WHOLE_BELOW else value
    return text


def _integer(plain: str) -> int | None:
    match = _INTEGER.fullmatch(plain)
    if match is None:
        return None
    sign, hexadecimal, binary, octal, decimal = match.groups()
    if hexadecimal:
        number = int(hexadecimal, 16)
    elif binary:
        number = int(binary, 2)
    elif octal:
        number = int(octal, 8)
    else:
        number = int(decimal)
    if sign == "-":
        number = -number
    return number if -(2**63) <= number <= _LARGEST_UNSIGNED else None


def key_text(value: Scalar) -> str | None:
    """What a resolved mapping key becomes in JSON; None when it cannot be a key."""
    if isinstance(value, str):
        return value
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
