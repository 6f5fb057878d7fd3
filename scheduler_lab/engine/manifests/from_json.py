"""A JSON document as plain data: bounded, repeated keys found, any number of values one after another."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.limits import Limits
from scheduler_lab.engine.manifests.syntax import clamped, json_sentence
from scheduler_lab.engine.manifests.values import Broken, Data, Finding

CHEAPER: Final = 2
"""Values of JSON that take as long as one of YAML."""

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_TOKEN: Final = re.compile(
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|(.?\Z)))(\s*+:)?+|([\[{\]}])|(-?[0-9][0-9.eE+-]*+)|[tfn][a-z]*+', re.DOTALL
)
"""A text (2: unclosed) and the colon after it (3), a bracket (4), a number (5), or a word."""


def read_json(text: str, limits: Limits) -> Data:
    """The values of a JSON text; raises Broken at the first thing that makes the rest unreadable."""
    data = Data(has_null="null" in text, nodes=_check_bounds(text, limits) // CHEAPER)
    repeated, escaped = False, "\\u" in text

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        value = dict(items)
        repeated = repeated or len(value) != len(items)
        return value

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_refuse_constant)
    position = _skip(text, 0)
    while position < len(text):
        try:
            value, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            template, params = json_sentence(error.msg)
            line, column = clamped(error.lineno, error.colno, text)
            raise Broken(template, line, column, **params) from None
        except ValueError as error:
            template, params = json_sentence(str(error))
            line, column = place(text, position)
            raise Broken(template, line, column, **params) from None
        if len(data.values) >= limits.documents:
            number, limit = str(len(data.values) + 1), str(limits.documents)
            raise Broken(messages.TOO_MANY_DOCUMENTS, *place(text, position), count=number, limit=limit)
        data.values.append(_without_surrogates(value) if escaped else value)
        data.spans.append((position, end))
        position = _skip(text, end)
    if repeated:
        data.duplicates = list(islice(_duplicates(text), limits.problems))
        data.cut = len(data.duplicates) >= limits.problems
    return data


def place(text: str, position: int) -> tuple[int, int]:
    """Line and column, from 1, of a position in a text."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _check_bounds(text: str, limits: Limits) -> int:
    """The number of values; raises Broken for nesting, counts or numbers beyond the limits.

    What no decoder reads any further than (an unclosed text, a bracket too many) ends the count.
    """
    depth = count = 0
    most = limits.nodes * CHEAPER
    for token in _TOKEN.finditer(text):
        _text, unclosed, colon, bracket, number = token.groups()
        if colon is None and bracket not in ("]", "}"):
            count += 1
            if count > most:
                raise Broken(messages.TOO_MANY_VALUES, *place(text, token.start()), limit=str(most))
        if bracket is not None:
            depth += 1 if bracket in "[{" else -1
            if depth > limits.depth:
                raise Broken(messages.TOO_DEEP, *place(text, token.start()), limit=str(limits.depth))
        elif number is not None and len(number) > limits.number_digits:
            raise Broken(messages.LONG_NUMBER, *place(text, token.start()), digits=str(len(number)))
        if depth < 0 or unclosed is not None:
            break
    return count


def _duplicates(text: str) -> Iterator[Finding]:
    stack: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        written, _unclosed, colon, bracket, _number = token.groups()
        if bracket in ("{", "["):
            stack.append(set())
        elif bracket and stack:
            stack.pop()
        elif colon is not None and stack:
            key = json.loads(written, strict=False)
            if key in stack[-1]:
                yield Finding(messages.DUPLICATE_KEY, *place(text, token.start()), {"key": key})
            stack[-1].add(key)


def _without_surrogates(value: Any) -> Any:
    """The value with lone surrogate escapes replaced, as Go's decoder does."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value
