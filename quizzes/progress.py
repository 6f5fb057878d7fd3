"""How far a learner has come."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from quizzes.models import Answer, Question, QuestionSet

RIGHT, WRONG, OPEN = "right", "wrong", ""


@dataclass(frozen=True)
class Step:
    """One question of a set and how it stands with the learner."""

    question: Question
    state: str
    number: int


@dataclass(frozen=True)
class Progress:
    question_set: QuestionSet
    steps: tuple[Step, ...]

    @property
    def states(self) -> list[str]:
        return [step.state for step in self.steps]

    @property
    def total(self) -> int:
        return len(self.steps)

    @property
    def right(self) -> int:
        return self.states.count(RIGHT)

    @property
    def wrong(self) -> int:
        return self.states.count(WRONG)

    @property
    def answered(self) -> int:
        return self.right + self.wrong

    @property
    def open(self) -> int:
        return self.total - self.answered

    @property
    def done(self) -> bool:
        return self.total > 0 and self.answered == self.total

    @property
    def next(self) -> Step | None:
        """The first question that is not answered."""
        return next((step for step in self.steps if step.state == OPEN), None)


def progress_of(sets: Iterable[QuestionSet], learner: UUID | None) -> list[Progress]:
    """Return the progress in each of `sets`, in their order, with two queries."""
    sets = list(sets)
    states: dict[int, bool] = {}
    if learner:
        answers = Answer.objects.filter(
            attempt__learner=learner, withdrawn=False, attempt__question_set__in=sets
        ).values_list("question_id", "correct")
        states = dict(answers)
    questions: dict[int, list[Question]] = {}
    for question in Question.objects.filter(question_set__in=sets).defer(
        "explanation_ko", "explanation_en", "stem_ko", "stem_en"
    ):
        questions.setdefault(question.question_set_id, []).append(question)
    return [Progress(each, _steps(questions.get(each.pk, []), states)) for each in sets]


def _steps(questions: Sequence[Question], states: dict[int, bool]) -> tuple[Step, ...]:
    words = {True: RIGHT, False: WRONG, None: OPEN}
    return tuple(
        Step(question, words[states.get(question.pk)], number) for number, question in enumerate(questions, start=1)
    )


def where_they_left(all_progress: Sequence[Progress], learner: UUID | None) -> Progress | None:
    """Return the unfinished set that the learner answered in last."""
    if learner is None:
        return None
    last = Answer.objects.filter(attempt__learner=learner).order_by("-pk").values_list("attempt__question_set_id")
    for (set_id,) in last[:200]:
        for progress in all_progress:
            if progress.question_set.pk == set_id and progress.next:
                return progress
    return None
