"""Loads the sections, and finds the one that belongs to a question."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import msgspec
import yaml
from django.conf import settings
from django.urls import reverse

from quizzes.walkthrough import fill
from scheduler_lab import examples
from scheduler_lab.examples import Example
from scheduler_lab.help.schema import Text
from scheduler_lab.systems.schema import GoFile, Section, SectionExample, SectionFile

FOLDER = Path(__file__).resolve().parent / "content"


@dataclass(frozen=True)
class ShownExample:
    """An example with what the section says about it."""

    example: Example
    said: SectionExample


@dataclass(frozen=True)
class ShownGo:
    """A Go file as the page shows it."""

    file: GoFile
    code: str

    @property
    def lines(self) -> int:
        return self.code.count("\n")


@dataclass(frozen=True)
class System:
    """A section with its address."""

    name: str
    content: Section

    @property
    def url(self) -> str:
        return reverse("systems:section", args=[self.name])

    @property
    def number(self) -> int:
        return self.content.order

    @property
    def question_url(self) -> str:
        """The address of the question, whether or not its set is published."""
        set_name, _slash, name = self.content.question.partition("/")
        return reverse("quizzes:question", args=[set_name, name])

    @cached_property
    def values(self) -> dict[str, object]:
        """What the runs give, by the names under which the texts use it."""
        return {claim.name: claim.value for example in self.content.examples for claim in example.claims}

    def text(self, text: Text | None) -> str:
        """A text of the section in the current language with the runs' values in it, "" for none."""
        return fill(str(text), self.values) if text is not None else ""

    @property
    def examples(self) -> list[ShownExample]:
        """The examples that exist, in the section's order."""
        found = ((examples.by_name(said.name), said) for said in self.content.examples)
        return [ShownExample(example, said) for example, said in found if example is not None]

    @property
    def go(self) -> list[ShownGo]:
        """The Go files that exist beside the code."""
        return [ShownGo(file, code) for file in self.content.go if (code := go_code(file.path)) is not None]


def load(path: Path) -> SectionFile:
    """The section in a file; raises msgspec.ValidationError or yaml.YAMLError when it is not one."""
    return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), SectionFile)


@cache
def all_systems() -> tuple[System, ...]:
    """Every section, in the order of the questions."""
    found = [load(path) for path in FOLDER.glob("*.yaml")]
    return tuple(sorted((System(file.metadata.name, file.spec) for file in found), key=lambda system: system.number))


def find(name: str) -> System | None:
    """The section of that name, None where there is none."""
    return next((system for system in all_systems() if system.name == name), None)


def of_question(address: str) -> System | None:
    """The section of the question SET/NAME, None where there is none."""
    return next((system for system in all_systems() if system.content.question == address), None)


@cache
def go_code(path: str) -> str | None:
    """The text of a file of docs/go, None where the documentation is not beside the code."""
    file = Path(settings.BASE_DIR) / "docs" / "go" / path
    return file.read_text(encoding="utf-8") if file.is_file() else None
