"""YAML text to a tree of nodes that know their place. No aliases, no tags, bounded size and depth."""

import re
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext as _

from quizzes.content_format.problem import Problem
from scheduler_lab.engine.manifests.syntax import yaml_place, yaml_sentence

MAX_BYTES = 2_000_000
MAX_DEPTH = 24
MAX_NODES = 100_000
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INT = re.compile(r"[-+]?[0-9]{1,30}")
_TAG_LINE = re.compile(r"^%TAG", re.MULTILINE)
_FLOAT = re.compile(r"[-+]?[0-9]{1,30}\.[0-9]{1,30}(e[-+]?[0-9]{1,3})?", re.IGNORECASE)
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


class Unreadable(Exception):
    """The text is no YAML that may be used here; carries the one problem that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass
class Node:
    line: int
    column: int


@dataclass
class Scalar(Node):
    text: str
    plain: bool

    def value(self) -> str | int | float | bool | None:
        """The scalar as JSON would have it (YAML 1.2 core words only: `yes` is a string)."""
        if not self.plain:
            return self.text
        if self.text.lower() in _WORDS:
            return _WORDS[self.text.lower()]
        if _INT.fullmatch(self.text):
            return int(self.text)
        return float(self.text) if _FLOAT.fullmatch(self.text) else self.text


@dataclass
class Sequence(Node):
    items: list[Node]


@dataclass
class Mapping(Node):
    items: list[tuple[Scalar, Node]]


def plain_value(node: Node) -> Any:
    """Return the node as JSON values; keys are texts."""
    if isinstance(node, Scalar):
        return node.value()
    if isinstance(node, Sequence):
        return [plain_value(item) for item in node.items]
    assert isinstance(node, Mapping)
    return {key.text: plain_value(value) for key, value in node.items}


def compose(source: str | bytes) -> Node:
    """Return the only document of `source` (bytes are UTF-8). Raises Unreadable."""
    try:
        size = len(source) if isinstance(source, bytes) else len(source.encode())
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
    except UnicodeError:
        raise Unreadable(Problem(1, 1, "", _("The file is not UTF-8 text."))) from None
    if size > MAX_BYTES:
        raise Unreadable(
            Problem(1, 1, "", _("The file is larger than %(size)s MB.") % {"size": MAX_BYTES // 1_000_000})
        )
    if found := _TAG_LINE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise Unreadable(Problem(line, 1, "", _("Tags (!name) are not used in this format.")))
    try:
        return _Builder().build(text)
    except yaml.MarkedYAMLError as error:
        line, column = yaml_place(error, text)
        character = text.split("\n")[line - 1][column - 1 : column]
        template, params = yaml_sentence(error.problem, error.context, character)
        raise Unreadable(Problem(line, column, "", _(template) % params)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, int(error.position)) + 1
        raise Unreadable(Problem(line, 1, "", _("There is a character here that YAML does not allow."))) from None
    except yaml.YAMLError as error:
        raise Unreadable(Problem(1, 1, "", _("This is not YAML: %(why)s.") % {"why": error})) from None


def _place(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


class _Builder:
    """Builds the tree from the parser's events, so that depth and size are known before anything is kept."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[Mapping | Sequence] = []
        self.keys: list[Scalar | None] = []
        self.names: list[set[str]] = []
        self.count = 0

    def build(self, text: str) -> Node:
        for event in yaml.parse(text, Loader=LOADER):
            if isinstance(event, yaml.AliasEvent):
                self.refuse(event, _("Anchors and aliases (& and *) are not used in this format."))
            elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
                self.refuse(event, _("The file holds more than one document."))
            elif isinstance(event, (yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self.start(event)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self.open.pop()
                self.keys.pop()
                self.names.pop()
        if self.root is None:
            raise Unreadable(Problem(1, 1, "", _("The file is empty.")))
        return self.root

    def refuse(self, event: yaml.Event, message: str) -> None:
        line, column = _place(event)
        raise Unreadable(Problem(line, column, "", message))

    def start(self, event: yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        self.count += 1
        line, column = _place(event)
        if event.anchor:
            self.refuse(event, _("Anchors and aliases (& and *) are not used in this format."))
        if event.tag and event.tag != "!":
            self.refuse(event, _("Tags (!name) are not used in this format."))
        if len(self.open) >= MAX_DEPTH or self.count > MAX_NODES:
            self.refuse(event, _("The file is nested too deeply or holds too much."))
        if isinstance(event, yaml.ScalarEvent):
            scalar = Scalar(line, column, event.value, plain=event.style in (None, ""))
            self.add(event, scalar)
            return
        node = Mapping(line, column, []) if isinstance(event, yaml.MappingStartEvent) else Sequence(line, column, [])
        self.add(event, node)
        self.open.append(node)
        self.keys.append(None)
        self.names.append(set())

    def add(self, event: yaml.Event, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
            return
        key = self.keys[-1]
        if key is not None:
            parent.items.append((key, node))
            self.keys[-1] = None
        elif not isinstance(node, Scalar):
            self.refuse(event, _("A key must be a word."))
        elif node.text in self.names[-1]:
            self.refuse(event, _("The key “%(key)s” appears twice.") % {"key": node.text})
        else:
            self.names[-1].add(node.text)
            self.keys[-1] = node
