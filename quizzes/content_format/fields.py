"""Reads the members of one mapping and writes down everything that is wrong with them."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

from django.utils.translation import gettext as _

from quizzes.content_format.node import Mapping, Node, Scalar, Sequence
from quizzes.content_format.problem import Problem
from quizzes.content_format.schema import Text

T = TypeVar("T")

SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
NO_TEXT = Text("", "")


MOST_PROBLEMS = 200


def clean(text: str) -> str:
    """Return a text as it is kept: without blank lines and spaces around it."""
    return text.strip("\n").rstrip()


class Fields:
    """The members of `node`. A reader method returns an empty value after it wrote down a problem."""

    def __init__(self, node: Node, path: str, problems: list[Problem]) -> None:
        self.node, self.path, self.problems = node, path, problems
        self.members: dict[str, Node] = {}
        self.asked: list[str] = []
        if isinstance(node, Mapping):
            self.members = {key.text: value for key, value in node.items}
        else:
            self.report(node, "", _("Expected a mapping (name: value)."))

    @property
    def full(self) -> bool:
        """Whether as many problems are written down as anyone reads."""
        return len(self.problems) >= MOST_PROBLEMS

    def report(self, node: Node, name: str, message: str) -> None:
        if self.full:
            return
        path = ".".join(filter(None, (self.path, name)))
        self.problems.append(Problem(node.line, node.column, path, message))

    def get(self, name: str, required: bool) -> Node | None:
        self.asked.append(name)
        found = self.members.get(name)
        if found is None and required and isinstance(self.node, Mapping):
            self.report(self.node, name, _("%(field)s is missing.") % {"field": name})
        return found

    def text(self, name: str, required: bool = True) -> str:
        node = self.get(name, required)
        if node is None:
            return ""
        if not isinstance(node, Scalar):
            self.report(node, name, _("Expected a text."))
            return ""
        text = clean(node.text)
        if not text.strip() or (node.plain and node.value() is None):
            self.report(node, name, _("The text is empty."))
            return ""
        return text

    def bilingual(self, name: str) -> Text:
        node = self.get(name, required=True)
        return NO_TEXT if node is None else self._both(node, name)

    def optional_bilingual(self, name: str) -> Text | None:
        node = self.get(name, required=False)
        return None if node is None else self._both(node, name)

    def _both(self, node: Node, name: str) -> Text:
        inner = self.inside(node, name)
        both = Text(ko=inner.text("ko"), en=inner.text("en"))
        inner.end()
        return both

    def slug(self, name: str) -> str:
        text = self.text(name)
        if text and not SLUG.fullmatch(text):
            self.report(self.members[name], name, _("Use lower-case letters, digits and hyphens, at most 63."))
        return text

    def word(self, name: str, allowed: Iterable[str], required: bool = True) -> str:
        text = self.text(name, required)
        words = tuple(allowed)
        if text and text not in words:
            message = _("“%(word)s” is none of: %(words)s.") % {"word": text, "words": ", ".join(words)}
            self.report(self.members[name], name, message + _near(text, words))
        return text

    def number(self, name: str, at_least: int) -> int:
        node = self.get(name, required=True)
        if node is None:
            return 0
        value = node.value() if isinstance(node, Scalar) else None
        if not isinstance(value, int) or isinstance(value, bool) or not at_least <= value < 2**31:
            self.report(node, name, _("Expected a whole number, %(least)s or more.") % {"least": at_least})
            return 0
        return value

    def flag(self, name: str) -> bool:
        node = self.get(name, required=False)
        if node is None:
            return False
        value = node.value() if isinstance(node, Scalar) else None
        if not isinstance(value, bool):
            self.report(node, name, _("Expected true or false."))
        return value is True

    def items(self, name: str, at_least: int, at_most: int, required: bool = True) -> list[Node]:
        node = self.get(name, required)
        if node is None:
            return []
        if not isinstance(node, Sequence):
            self.report(node, name, _("Expected a list (- item)."))
            return []
        if not at_least <= len(node.items) <= at_most:
            message = _("The list has %(count)s entries; it may have %(least)s to %(most)s.")
            counts = {"count": len(node.items), "least": at_least, "most": at_most}
            self.report(node, name, message % counts)
        return node.items[:at_most]

    def each(
        self, name: str, read: Callable[["Fields"], T], at_least: int, at_most: int, required: bool = True
    ) -> tuple[T, ...]:
        nodes = self.items(name, at_least, at_most, required)
        return tuple(read(self.inside(node, f"{name}[{index}]")) for index, node in enumerate(nodes))

    def inside(self, node: Node, name: str) -> "Fields":
        return Fields(node, ".".join(filter(None, (self.path, name))), self.problems)

    def end(self) -> None:
        """Report the members that nothing asked for."""
        if isinstance(self.node, Mapping):
            for key, _value in self.node.items:
                if self.full:
                    return
                if key.text not in self.asked:
                    message = _("There is no field “%(field)s” here.") % {"field": key.text}
                    self.report(key, key.text, message + _near(key.text, self.asked))


def _near(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, list(known), n=1)
    return " " + _("Did you mean “%(word)s”?") % {"word": near[0]} if near else ""
