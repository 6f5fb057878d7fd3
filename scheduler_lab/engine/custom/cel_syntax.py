"""The syntax tree of a CEL expression, read from the serialized form in which the CEL library gives it out.

The form is the protocol buffer message cel.expr.ParsedExpr; the few field numbers needed are named below. Macros such
as `all` and `map` are already expanded into comprehensions there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_Message = dict[int, list[Any]]

_ANY_VALUE, _EXPRESSION, _SOURCE = 2, 2, 3
_POSITIONS = 4
_CONSTANT, _IDENTIFIER, _SELECT, _CALL, _LIST, _STRUCT, _COMPREHENSION = 3, 4, 5, 6, 7, 8, 9
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_STRING_CONSTANT = 6


@dataclass(slots=True)
class Syntax:
    """One node of the tree. `at` is its place in the expression, in characters from 0.

    `kind` is constant, identifier, select, call, list, map or comprehension. `name` is the identifier, the selected
    member or the called function; `text` a string constant, None for any other; `parts` are the operands: of a select
    one, of a call the receiver (if `member`) and the arguments, of a map keys and values in turn. `test` marks a
    `has(…)`.
    """

    kind: str
    at: int
    name: str = ""
    text: str | None = None
    parts: list[Syntax] = field(default_factory=list)
    member: bool = False
    test: bool = False
    loop: Loop | None = None

    def walk(self) -> Iterator[Syntax]:
        """This node and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()
        if self.loop is not None:
            for part in (self.loop.range, self.loop.start, self.loop.condition, self.loop.step, self.loop.result):
                yield from part.walk()


@dataclass(slots=True)
class Loop:
    """A comprehension: `variable` takes each item of `range`, `accumulator` begins as `start` and becomes `step`."""

    variable: str
    second: str
    accumulator: str
    range: Syntax
    start: Syntax
    condition: Syntax
    step: Syntax
    result: Syntax


def read_syntax(serialized: bytes) -> Syntax:
    """The tree of a serialized expression; a form that is not understood raises ValueError."""
    try:
        parsed = _fields(_fields(serialized)[_ANY_VALUE][0])
        positions = _positions(_fields(parsed[_SOURCE][0]))
        return _Reader(positions).read(parsed[_EXPRESSION][0])
    except (KeyError, IndexError, TypeError, UnicodeDecodeError) as failure:
        raise ValueError(f"unknown form of a syntax tree: {failure!r}") from None


class _Reader:
    def __init__(self, positions: Mapping[int, int]) -> None:
        self._positions = positions

    def read(self, data: bytes) -> Syntax:
        message = _fields(data)
        at = self._positions.get(message.get(2, [0])[0], 0)
        for number, read in _READERS.items():
            if number in message:
                node: Syntax = read(self, _fields(message[number][0]), at)
                return node
        return Syntax("constant", at)

    def constant(self, message: _Message, at: int) -> Syntax:
        text = message.get(_STRING_CONSTANT)
        return Syntax("constant", at, text=text[0].decode() if text else None)

    def identifier(self, message: _Message, at: int) -> Syntax:
        return Syntax("identifier", at, name=_text(message, 1))

    def select(self, message: _Message, at: int) -> Syntax:
        operand = self.read(message[1][0])
        return Syntax("select", at, name=_text(message, 2), parts=[operand], test=bool(message.get(3, [0])[0]))

    def call(self, message: _Message, at: int) -> Syntax:
        receiver = [self.read(data) for data in message.get(1, [])]
        arguments = [self.read(data) for data in message.get(3, [])]
        return Syntax("call", at, name=_text(message, 2), parts=receiver + arguments, member=bool(receiver))

    def list(self, message: _Message, at: int) -> Syntax:
        return Syntax("list", at, parts=[self.read(data) for data in message.get(1, [])])

    def map(self, message: _Message, at: int) -> Syntax:
        parts: list[Syntax] = []
        for data in message.get(2, []):
            entry = _fields(data)
            parts += [self.read(entry[3][0]) if 3 in entry else Syntax("constant", at), self.read(entry[4][0])]
        return Syntax("map", at, parts=parts)

    def comprehension(self, message: _Message, at: int) -> Syntax:
        range_, start, condition, step, result = (self.read(message[number][0]) for number in (2, 4, 5, 6, 7))
        loop = Loop(_text(message, 1), _text(message, 8), _text(message, 3), range_, start, condition, step, result)
        return Syntax("comprehension", at, loop=loop)


_READERS: Final = {
    _CONSTANT: _Reader.constant,
    _IDENTIFIER: _Reader.identifier,
    _SELECT: _Reader.select,
    _CALL: _Reader.call,
    _LIST: _Reader.list,
    _STRUCT: _Reader.map,
    _COMPREHENSION: _Reader.comprehension,
}


def _positions(source: _Message) -> dict[int, int]:
    found: dict[int, int] = {}
    for data in source.get(_POSITIONS, []):
        entry = _fields(data)
        found[entry.get(1, [0])[0]] = entry.get(2, [0])[0]
    return found


def _text(message: _Message, number: int) -> str:
    data: bytes = message.get(number, [b""])[0]
    return data.decode()


def _fields(data: bytes) -> _Message:
    """The fields of a serialized message by number: integers, and bytes for everything with a length."""
    found: _Message = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        value: Any
        if wire == _VARINT:
            value, at = _varint(data, at)
        elif wire == _BYTES:
            length, at = _varint(data, at)
            value, at = data[at : at + length], at + length
        elif wire in (_FIXED64, _FIXED32):
            length = 8 if wire == _FIXED64 else 4
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"unknown form of a syntax tree: wire type {wire}")
        found.setdefault(number, []).append(value)
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
