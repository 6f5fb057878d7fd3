"""Scenarios that ship with the lab, one YAML file each in this folder.

The first document of a file names the example:

    apiVersion: lab/v1
    kind: Example
    metadata: {name: spread-over-zones}
    spec:
      topic: {ko: 토폴로지, en: Topology}
      title: {ko: …, en: …}
      description: {ko: …, en: …}
      order: 10

The documents after it are the scenario as the editor shows it.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from django.utils.translation import get_language

logger = logging.getLogger(__name__)
FOLDER = Path(__file__).resolve().parent
_BREAK = re.compile(r"^---[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """One shipped scenario; bilingual texts are {language: text}."""

    name: str
    topics: dict[str, str]
    titles: dict[str, str]
    descriptions: dict[str, str]
    order: int
    text: str

    @property
    def topic(self) -> str:
        return _spoken(self.topics)

    @property
    def title(self) -> str:
        return _spoken(self.titles)

    @property
    def description(self) -> str:
        return _spoken(self.descriptions)


def _spoken(texts: dict[str, str]) -> str:
    language = (get_language() or "en").split("-")[0]
    return texts.get(language) or texts["en"]


def parse(source: str) -> Example:
    """The example in a file's text. Raises ValueError when its first document is not a lab/v1 Example."""
    parts = [part for part in _BREAK.split(source, maxsplit=2) if part.strip() and not _only_comments(part)]
    head = yaml.safe_load(parts[0])
    if not isinstance(head, dict) or (head.get("apiVersion"), head.get("kind")) != ("lab/v1", "Example"):
        raise ValueError("the first document must be apiVersion: lab/v1, kind: Example")
    spec = head["spec"]
    for member in ("topic", "title", "description"):
        if set(spec[member]) != {"ko", "en"}:
            raise ValueError(f"spec.{member} needs ko and en")
    rest = source[source.index(parts[0]) + len(parts[0]) :]
    return Example(
        head["metadata"]["name"],
        spec["topic"],
        spec["title"],
        spec["description"],
        int(spec.get("order", 0)),
        _BREAK.sub("", rest, count=1).lstrip("\n"),
    )


def _only_comments(part: str) -> bool:
    return all(not line.strip() or line.lstrip().startswith("#") for line in part.splitlines())


@cache
def all_examples() -> tuple[Example, ...]:
    """Every shipped example, in menu order. A file that cannot be read is left out, and the log says so."""
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        try:
            found.append(parse(path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, yaml.YAMLError) as problem:
            logger.error("The example %s cannot be read: %s", path.name, problem)
    return tuple(sorted(found, key=lambda example: (example.order, example.name)))


def by_name(name: str) -> Example | None:
    """The example of that name, None when there is none."""
    return next((example for example in all_examples() if example.name == name), None)


def one_a_topic(most: int) -> list[Example]:
    """The first example of each topic, at most that many, in menu order."""
    firsts = {example.topics["en"]: example for example in reversed(all_examples())}
    return sorted(firsts.values(), key=lambda example: (example.order, example.name))[:most]


def by_topic() -> dict[str, list[Example]]:
    """The examples under their topics' names in the page's language, in menu order."""
    topics: dict[str, list[Example]] = {}
    for example in all_examples():
        topics.setdefault(example.topic, []).append(example)
    return topics


def search(query: str, topic: str) -> dict[str, object]:
    """The examples whose title, description or text holds every word of the query, and the topics to choose from."""
    words = query.lower().split()
    found: dict[str, list[Example]] = {}
    for example in all_examples():
        said = " ".join([*example.titles.values(), *example.descriptions.values(), example.text]).lower()
        if all(word in said for word in words) and topic in ("", example.topics["en"]):
            found.setdefault(example.topic, []).append(example)
    topics = {example.topics["en"]: example.topic for example in all_examples()}
    return {"topics": found, "choices": list(topics.items()), "count": sum(len(items) for items in found.values())}
