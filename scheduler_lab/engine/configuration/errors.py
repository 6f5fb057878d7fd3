"""The texts of configuration errors, put together as the scheduler's validation library does."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PATH: Final = re.compile(r"[a-z][A-Za-z]*(?:\.[A-Za-z]+|\[[^\]]*\])*(?=: )")


class ConfigurationError(Exception):
    """The scheduler would not start: `str()` is the text it would print.

    `paths` are the fields of the document at fault, as written in the text ("profiles[0].pluginConfig[1].args"); empty
    where the text names none.
    """

    def __init__(self, text: str, paths: Iterable[str] = ()) -> None:
        super().__init__(text)
        self.paths = tuple(dict.fromkeys(paths))


class EmptyList(list[Any]):
    """A list that the document spells out as empty; an absent one prints as `null` in error texts, this as `[]`."""


def quote(text: str) -> str:
    """The text in double quotes, escaped as Go's %q does for printable text."""
    escaped = (_ESCAPES.get(char) or (char if char.isprintable() else f"\\u{ord(char):04x}") for char in text)
    return f'"{"".join(escaped)}"'


def go_json(value: Any) -> str:
    """A value as Go's encoding/json writes it: compact, with <, > and & escaped; an absent list is null."""
    if isinstance(value, list) and not value and not isinstance(value, EmptyList):
        return "null"
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def invalid(path: str, value: Any, detail: str) -> str:
    """`<path>: Invalid value: <value>: <detail>`."""
    return f"{path}: Invalid value: {_value(value)}: {detail}"


def required(path: str, detail: str = "") -> str:
    """`<path>: Required value`, with the detail if there is one."""
    return f"{path}: Required value: {detail}" if detail else f"{path}: Required value"


def forbidden(path: str, detail: str) -> str:
    """`<path>: Forbidden: <detail>`."""
    return f"{path}: Forbidden: {detail}"


def duplicate(path: str, value: Any) -> str:
    """`<path>: Duplicate value: <value>`."""
    return f"{path}: Duplicate value: {_value(value)}"


def not_supported(path: str, value: str, supported: Sequence[str]) -> str:
    """`<path>: Unsupported value: <value>: supported values: …`."""
    return f"{path}: Unsupported value: {quote(value)}: supported values: {', '.join(quote(s) for s in supported)}"


def aggregate(messages: Iterable[str]) -> str:
    """One message as it is; several distinct ones in brackets, comma-joined, repeats dropped."""
    distinct = list(dict.fromkeys(messages))
    return distinct[0] if len(distinct) == 1 else "[" + ", ".join(distinct) + "]"


def raise_if_any(messages: Iterable[str]) -> None:
    """Raise ConfigurationError with the aggregate of the messages unless there are none."""
    found = list(messages)
    if found:
        paths = (_PATH.match(message) for message in found)
        raise ConfigurationError(aggregate(found), [path[0] for path in paths if path])


def child(path: str, name: str) -> str:
    """The path of a member; an empty path is the root."""
    return f"{path}.{name}" if path else name


def _value(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    return go_json(value)
