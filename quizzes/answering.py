"""Taking, judging and withdrawing answers."""

from collections.abc import Collection
from uuid import UUID

from django.db import IntegrityError, transaction
from django.http import HttpRequest

from quizzes.learner import known_learner
from quizzes.models import Answer, Attempt, Question, QuestionSet


def current_answer(question: Question, learner: UUID | None) -> Answer | None:
    """Return the answer that counts for this learner, or None before answering."""
    if learner is None:
        return None
    return Answer.objects.filter(attempt__learner=learner, question=question, withdrawn=False).first()


def closed_lab(request: HttpRequest, address: str) -> str:
    """Return where to answer the question `SET/NAME` first, or "" when its lab is open (or there is no such question).

    A lab's title, comments and hint tell the answer as plainly as its run does.
    """
    set_name, _slash, name = address.partition("/")
    question = Question.objects.filter(question_set__name=set_name, question_set__published=True, name=name).first()
    if question is None or current_answer(question, known_learner(request)):
        return ""
    return f"{question.get_absolute_url()}?lab"


def is_right(question: Question, chosen: Collection[str]) -> bool:
    """True when exactly the right choices were chosen."""
    return set(chosen) == {choice.name for choice in question.choices.all() if choice.correct}


def take(question: Question, learner: UUID, chosen: Collection[str]) -> Answer | None:
    """Keep the learner's answer and return it; None when `chosen` is no possible answer.

    An answer that counts already stays: a form sent twice, or from a second tab, changes nothing.
    """
    names = [choice.name for choice in question.choices.all() if choice.name in chosen]
    single = question.type == Question.Type.SINGLE
    if not names or len(names) != len(set(chosen)) or (single and len(names) != 1):
        return None
    attempt, _created = Attempt.objects.get_or_create(learner=learner, question_set=question.question_set)
    try:
        with transaction.atomic():
            return Answer.objects.create(
                attempt=attempt, question=question, chosen=names, correct=is_right(question, names)
            )
    except IntegrityError:
        return current_answer(question, learner)


def regrade(question: Question, *, lab_changed: bool) -> None:
    """Bring answers to a question that was edited in line with what it says now.

    An answer whose choices are gone is withdrawn: the question is open again. Predictions about another lab are
    forgotten.
    """
    names = set(question.choices.values_list("name", flat=True))
    right = set(question.choices.filter(correct=True).values_list("name", flat=True))
    most = 1 if question.type == Question.Type.SINGLE else len(names)
    for answer in question.answers.filter(withdrawn=False):
        answer.withdrawn = not set(answer.chosen) <= names or len(answer.chosen) > most
        answer.correct = set(answer.chosen) == right
        if lab_changed:
            answer.prediction, answer.predicted_right, answer.run = "", None, None
        answer.save(update_fields=["withdrawn", "correct", "prediction", "predicted_right", "run"])


def withdraw(question: Question, learner: UUID) -> None:
    """Open the question for another try; the answer before is kept for the statistics."""
    Answer.objects.filter(attempt__learner=learner, question=question, withdrawn=False).update(withdrawn=True)


def withdraw_all(question_set: QuestionSet, learner: UUID) -> None:
    """Open every question of the set again."""
    Answer.objects.filter(attempt__learner=learner, attempt__question_set=question_set, withdrawn=False).update(
        withdrawn=True
    )


def predictions_in(question_set: QuestionSet, learner: UUID | None) -> list[bool]:
    """Return whether each prediction came true that the learner made in the set."""
    if learner is None:
        return []
    answers = Answer.objects.filter(attempt__learner=learner, attempt__question_set=question_set, withdrawn=False)
    return [bool(right) for right in answers.values_list("predicted_right", flat=True) if right is not None]
