"""What cel-go, which Kubernetes uses, says where the C++ implementation words an error differently.

The checker's messages are the same, position and excerpt included, but for two things: the C++ one puts a status
code around them, and names an unknown member by its whole path. Run-time messages differ more; the table below
holds those that expressions over plain data can meet, any other passes through without its status code.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_STATUS = re.compile(r"\A[A-Z_]+: |\s\[[A-Z_]+\]\Z")
_OPERATOR = re.compile(r"[^\w.]|_")

_AT_RUN_TIME: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r'Key not found in map : "(.*)"', re.DOTALL), r"no such key: \1"),
    (re.compile(r"Key not found in map : (.*)", re.DOTALL), r"no such key: \1"),
    (re.compile(r"Index error: index=(-?\d+) size=\d+"), r"index out of bounds: \1"),
    (re.compile(r"Iteration budget exceeded"), "operation cancelled: actual cost limit exceeded"),
    (re.compile(r"divide by zero"), "division by zero"),
    (re.compile(r"modulus by zero|modulo by zero"), "modulus by zero"),
    (re.compile(r"No value with name \"(.*)\" found in Activation"), r"no such attribute(s): \1"),
)
_NO_OVERLOAD = re.compile(r"No matching overloads found : (?:\([^()]*\)\.)?([^\s(]+).*", re.DOTALL)
_UNDECLARED = re.compile(
    r"ERROR: <input>:(?P<line>\d+):(?P<column>\d+): undeclared reference to '(?P<path>\w+(?:\.\w+)+)' "
    r"\(in container ''\)\n \| (?P<source>[^\n]*)\n \| \.*\^"
)


def run_message(error: str) -> str:
    """An evaluation's error in cel-go's words."""
    text = _STATUS.sub("", error)
    for pattern, wording in _AT_RUN_TIME:
        if found := pattern.fullmatch(text):
            return found.expand(wording)
    if found := _NO_OVERLOAD.fullmatch(text):
        name = found[1]
        # Operators fail in their operand's own method, which does not name itself.
        return "no such overload" if _OPERATOR.search(name) or name == "in" else f"no such overload: {name}"
    return text


def check_message(error: str, expression: str, owners: Collection[str]) -> str:
    """A compilation's errors in cel-go's words; `owners` are the variables of which only members are declared."""
    text = _STATUS.sub("", error)

    def renamed(found: re.Match[str]) -> str:
        owner, member = found["path"].split(".")[:2]
        if owner not in owners:
            return found[0]
        column = _column_of_member(found["source"], int(found["column"]), found["path"].count(".") - 1)
        return (
            f"ERROR: <input>:{found['line']}:{column}: undefined field '{member}'\n"
            f" | {found['source']}\n | {'.' * (column - 1)}^"
        )

    return f"compilation failed: {_UNDECLARED.sub(renamed, text)}"


def _column_of_member(source: str, column: int, back: int) -> int:
    """The column (from 1) of the dot that lies `back` dots before the one at `column`."""
    at = column - 1
    for _ in range(back):
        at = source.rfind(".", 0, at)
    return at + 1 if at >= 0 else column
