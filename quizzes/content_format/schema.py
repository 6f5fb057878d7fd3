"""What a question set holds, as plain frozen values: the file, the database and the pages agree on these."""

from dataclasses import dataclass, field
from typing import Any

from scheduler_lab.present.vocabulary import PHASES as PHASES

API_VERSION = "lab/v1"
KIND = "QuestionSet"

TYPES = ("single", "multiple")
ASKS = ("node", "outcome", "plugin", "phase", "waiting")
OUTCOMES = ("scheduled", "pending", "waiting", "gated", "preempted")
MOST = {"questions": 200, "options": 10, "misconceptions": 10, "links": 20, "claims": 100}
"""How many entries each list of a file may have."""

HTTPS = r"https://[^\s<>\"]{1,490}"
"""The addresses that a link may have."""

PENDING = "pending"
"""The choice that says no node is found, where a node is asked for."""


@dataclass(frozen=True)
class Text:
    """The same text in both languages."""

    ko: str
    en: str


@dataclass(frozen=True)
class Option:
    name: str
    text: Text
    rationale: Text
    correct: bool = False


@dataclass(frozen=True)
class Misconception:
    claim: Text
    truth: Text


@dataclass(frozen=True)
class Link:
    title: Text
    url: str


@dataclass(frozen=True)
class Predict:
    question: Text
    pod: str
    ask: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """Where in the record the lesson is to be seen; "" where the file says nothing."""

    phase: str = ""
    plugin: str = ""
    pod: str = ""


@dataclass(frozen=True)
class Claim:
    """A value that the run of the lab's text produces, found in the record by `at`."""

    name: str
    at: str
    value: Any


@dataclass(frozen=True)
class Lab:
    title: Text
    text: str
    predict: Predict
    look: Look = field(default_factory=Look)
    hint: Text | None = None
    walkthrough: Text | None = None
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Question:
    name: str
    type: str
    topic: Text
    stem: Text
    options: tuple[Option, ...]
    explanation: Text
    misconceptions: tuple[Misconception, ...] = ()
    links: tuple[Link, ...] = ()
    lab: Lab | None = None


@dataclass(frozen=True)
class QuestionSet:
    name: str
    version: int
    kubernetes_version: str
    title: Text
    description: Text
    questions: tuple[Question, ...]
