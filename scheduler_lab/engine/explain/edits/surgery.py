"""One change in the text of a document, at the place where the field is written.

The places come from PyYAML's marks. Whatever they cannot tell (an alias, a merge key) shows when the new text is read
again; `one_document` then writes the document anew.
"""

from __future__ import annotations

from typing import Any, Final

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from scheduler_lab.engine.explain.edits.changes import EditError
from scheduler_lab.engine.explain.edits.writing import block, flow
from scheduler_lab.engine.manifests.located import Path

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Surgeon:
    """Edits one value of a document. `as_json`: new parts are written as JSON."""

    def __init__(self, text: str, value: int, as_json: bool) -> None:
        try:
            roots = list(yaml.compose_all(text, Loader=_LOADER))
        except yaml.YAMLError as error:
            raise EditError(str(error)) from None
        roots = [root for root in roots if root is not None]
        if value >= len(roots):
            raise EditError(value)
        self._text = text
        self._root: Node = roots[value]
        self._json = as_json

    # -- the three changes -------------------------------------------------------------------------------------

    def set(self, path: Path, value: Any) -> str:
        """The text with the value at the path."""
        node, depth = self._root, 0
        while depth < len(path):
            inner = _child(node, path[depth])
            if inner is None:
                break
            node, depth = inner, depth + 1
        if depth == len(path):
            return self._replace(path, value)
        if isinstance(node, ScalarNode) and depth and _is_null(node):
            return self._replace(path[:depth], _nested(path[depth:], value))
        if not isinstance(node, MappingNode):
            raise EditError(path)
        return self._insert(node, str(path[depth]), _nested(path[depth + 1 :], value))

    def replace(self, path: Path, value: Any) -> str:
        """The text with another value for what is written at the path; raises EditError where nothing is."""
        if not path or self._find(path) is None:
            raise EditError(path)
        return self._replace(path, value)

    def append(self, path: Path, item: Any) -> str:
        """The text with the item at the end of the list."""
        node = self._find(path)
        if node is None or _is_null(node):
            return self.set(path, [item])
        if not isinstance(node, SequenceNode):
            raise EditError(path)
        if node.flow_style:
            return self._into_flow(node, node.value, flow(item, self._json))
        indent = node.start_mark.column
        lines = block([item], indent)
        return self._after_line(_end(node), lines)

    def remove(self, path: Path) -> str:
        """The text without what is at the path."""
        parent = self._find(path[:-1])
        if isinstance(parent, MappingNode):
            return self._remove_entry(parent, str(path[-1]))
        if isinstance(parent, SequenceNode) and isinstance(path[-1], int) and path[-1] < len(parent.value):
            return self._remove_item(parent, path[-1])
        raise EditError(path)

    # -- setting -----------------------------------------------------------------------------------------------

    def _find(self, path: Path) -> Node | None:
        node: Node | None = self._root
        for step in path:
            node = _child(node, step) if node is not None else None
        return node

    def _replace(self, path: Path, value: Any) -> str:
        parent, node = self._find(path[:-1]), self._find(path)
        assert node is not None
        start, end = node.start_mark.index, _end(node)
        if isinstance(node, ScalarNode) and node.style == "|" and isinstance(value, str):
            return self._rewrite_literal(node, value)
        scalar = not isinstance(value, dict | list) or not value
        inside = bool(getattr(parent, "flow_style", False))
        if isinstance(parent, SequenceNode) and not (scalar or inside or self._json):
            return self._cut(start, end, block(value, node.start_mark.column).strip("\n").lstrip(" "))
        if scalar or inside or self._json:
            new = flow(value, self._json)
            return self._cut(start, end, new if start < end else f" {new}")
        key = _key_node(parent, str(path[-1]))
        lines = block({str(path[-1]): value}, key.start_mark.column).strip("\n").lstrip(" ")
        return self._cut(key.start_mark.index, max(end, _end(key) + 1), lines)

    def _rewrite_literal(self, node: ScalarNode, value: str) -> str:
        """The text with other lines in a literal block scalar, indented as the old ones."""
        content = self._text.find("\n", node.start_mark.index) + 1
        end = int(node.end_mark.index)
        first = next((line for line in self._text[content:end].split("\n") if line.strip()), "")
        indent = " " * (len(first) - len(first.lstrip(" ")))
        lines = [f"{indent}{line}" if line else line for line in value.removesuffix("\n").split("\n")]
        return self._cut(content, end, "\n".join(lines) + ("\n" if self._text[end - 1 : end] == "\n" else ""))

    def _insert(self, node: MappingNode, key: str, value: Any) -> str:
        if node.flow_style or not node.value:
            entry = flow({key: value}, self._json).strip()[1:-1]
            return self._into_flow(node, [pair[1] for pair in node.value], entry)
        return self._after_line(_end(node), block({key: value}, node.start_mark.column))

    def _into_flow(self, node: Node, members: list[Node], new: str) -> str:
        if not members:
            at = node.start_mark.index + 1
            return self._cut(at, at, new)
        at = _end(members[-1])
        first = node.value[-1][0] if isinstance(node, MappingNode) else members[-1]
        lead = self._lead(first.start_mark.index)
        if lead is not None and lead + 1 > node.start_mark.index:
            return self._cut(at, at, f",\n{self._text[lead + 1 : first.start_mark.index]}{new}")
        return self._cut(at, at, f", {new}")

    def _lead(self, at: int) -> int | None:
        """The line end before `at`, if only blanks are between them."""
        line = self._text.rfind("\n", 0, at)
        return line if line >= 0 and not self._text[line + 1 : at].strip() else None

    def _after_line(self, end: int, lines: str) -> str:
        """The text with lines after the one that holds the character before `end`."""
        at = self._text.find("\n", end)
        if at < 0:
            return f"{self._text}\n{lines.rstrip(chr(10))}"
        return self._cut(at + 1, at + 1, lines)

    def _cut(self, start: int, end: int, new: str) -> str:
        return self._text[:start] + new + self._text[end:]

    # -- removing ----------------------------------------------------------------------------------------------

    def _remove_entry(self, parent: MappingNode, name: str) -> str:
        keys = [key for key, _ in parent.value]
        index = next((i for i, key in enumerate(keys) if key.value == name), None)
        if index is None:
            raise EditError(name)
        ends = [_end(value) if _end(value) > _end(key) else _end(key) + 1 for key, value in parent.value]
        starts = [key.start_mark.index for key in keys]
        return self._remove_member(parent, starts, ends, index)

    def _remove_item(self, parent: SequenceNode, index: int) -> str:
        starts = [item.start_mark.index for item in parent.value]
        ends = [_end(item) for item in parent.value]
        if not parent.flow_style:
            starts = [self._text.rfind("-", 0, start) for start in starts]
        return self._remove_member(parent, starts, ends, index)

    def _remove_member(self, parent: Node, starts: list[int], ends: list[int], index: int) -> str:
        start, end = starts[index], ends[index]
        last = index + 1 == len(starts)
        if getattr(parent, "flow_style", False):
            if not last:
                return self._cut(start, starts[index + 1], "")
            return self._cut(ends[index - 1] if index else start, end, "")
        if len(starts) == 1:
            raise EditError("the only member goes with what holds it")
        if self._lead(start) is not None or start == 0:
            begin = self._text.rfind("\n", 0, start) + 1
            line_end = self._text.find("\n", end)
            if line_end < 0:
                return self._text[: max(0, begin - 1)]
            return self._cut(begin, line_end + 1, "")
        if last:
            raise EditError("not on a line of its own")
        return self._cut(start, starts[index + 1], "")


def _nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = {str(step): value}
    return value


def _key_node(parent: Node | None, name: str) -> Node:
    assert isinstance(parent, MappingNode)
    key: Node = next(key for key, _ in parent.value if key.value == name)
    return key


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(node, MappingNode):
        return next((value for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        child: Node = node.value[step]
        return child
    return None


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _end(node: Node) -> int:
    """Where the last character of a node's content is written, plus one."""
    if isinstance(node, ScalarNode):
        # A block scalar ends at the start of the line after it.
        return int(node.end_mark.index) - (node.style in ("|", ">"))
    if getattr(node, "flow_style", False) or not node.value:
        return int(node.end_mark.index)
    if isinstance(node, MappingNode):
        key, value = node.value[-1]
        return max(_end(key), _end(value))
    return _end(node.value[-1])
