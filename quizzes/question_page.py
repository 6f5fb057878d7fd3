"""What the question page shows, put together away from HTTP so that it can be tested there."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from quizzes.content_format.schema import PENDING
from quizzes.models import Answer, Choice, Lab, Question
from quizzes.progress import Progress, Step
from quizzes.walkthrough import fill


@dataclass(frozen=True)
class ShownChoice:
    """One option as it stands on the page. Before answering, `right` is False and `rationale` is "" for all."""

    choice: Choice
    letter: str
    chosen: bool
    right: bool = False
    rationale: str = ""

    @property
    def verdict(self) -> str:
        if self.right:
            return "pass"
        return "reject" if self.chosen else ""


@dataclass
class QuestionPage:
    question: Question
    progress: Progress
    answer: Answer | None
    chosen: Collection[str] = ()
    error: str = ""
    run_error: str = ""
    predicted: str = ""
    preview: bool = False
    came_for_lab: bool = False
    kept: bool = False
    """Whether another answer was sent than the one that counts already."""
    _number: int = field(init=False)

    def __post_init__(self) -> None:
        steps = self.progress.steps
        self._number = next((step.number for step in steps if step.question.pk == self.question.pk), 1)

    @property
    def number(self) -> int:
        return self._number

    @property
    def answered(self) -> bool:
        return self.answer is not None

    @property
    def multiple(self) -> bool:
        return self.question.type == Question.Type.MULTIPLE

    @cached_property
    def heading(self) -> str:
        return split_stem(self.question.stem)[0] or self.question.topic

    @cached_property
    def stem(self) -> str:
        return split_stem(self.question.stem)[1]

    @cached_property
    def choices(self) -> list[ShownChoice]:
        chosen = self.answer.chosen if self.answer else self.chosen
        rows = enumerate(self.question.choices.all())
        if self.answer is None:
            return [ShownChoice(choice, _letter(index), choice.name in chosen) for index, choice in rows]
        return [
            ShownChoice(choice, _letter(index), choice.name in chosen, choice.correct, choice.rationale)
            for index, choice in rows
        ]

    @property
    def right_letters(self) -> str:
        return ", ".join(shown.letter for shown in self.choices if shown.right)

    @property
    def previous(self) -> Step | None:
        return self.progress.steps[self.number - 2] if self.number > 1 else None

    @property
    def next(self) -> Step | None:
        return self.progress.steps[self.number] if self.number < self.progress.total else None

    @cached_property
    def lab(self) -> Lab | None:
        return getattr(self.question, "lab", None)

    @property
    def predictions(self) -> list[tuple[str, str]]:
        """The choices of the prediction and how they read."""
        if self.lab is None:
            return []
        return [(choice, prediction_label(self.lab.predict_ask, choice)) for choice in self.lab.predict_choices]

    @property
    def prediction(self) -> str:
        return self.predicted or (self.answer.prediction if self.answer else "")

    @property
    def run(self) -> dict[str, Any] | None:
        run: dict[str, Any] | None = self.answer.run if self.answer else None
        return run

    @property
    def outcome(self) -> str:
        """What the run said, in the words of the choices where they have it."""
        if self.lab is None or not self.run:
            return ""
        answers = self.run["answers"]
        offered = [answer for answer in answers if answer in self.lab.predict_choices] or answers
        return ", ".join(prediction_label(self.lab.predict_ask, answer) for answer in offered) or _("none of these")

    @property
    def walkthrough(self) -> str:
        if self.lab is None:
            return ""
        return fill(self.lab.walkthrough, {claim.name: claim.value for claim in self.question.claims.all()})


def _letter(index: int) -> str:
    return chr(ord("A") + index)


def split_stem(stem: str) -> tuple[str, str]:
    """Return a stem's question as a heading and what stands below it; no heading when it is no short question."""
    first, _blank, rest = stem.partition("\n\n")
    first = " ".join(first.split())
    if len(first) <= 220 and first.rstrip("*_").endswith("?") and not first.startswith(("#", "-", "`" * 3, ">", "|")):
        return first, rest.strip()
    return "", stem


def prediction_label(ask: str, choice: str) -> str:
    """Return how a choice of a prediction reads; names of nodes, plugins and phases stay as they are."""
    words: dict[str, dict[str, str]] = {
        "node": {PENDING: _("none, it stays Pending")},
        "outcome": {
            "scheduled": _("it gets a node"),
            "pending": _("it stays Pending"),
            "waiting": _("it waits on Permit"),
            "gated": _("it stays behind its scheduling gate"),
            "preempted": _("it is preempted"),
        },
        "waiting": {"yes": _("yes, it waits"), "no": _("no, it does not wait")},
    }
    return words.get(ask, {}).get(choice, choice)
