"""Where a text in the editor may come from: an example, a question's lab, a shared link."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from quizzes.models import Lab
from scheduler_lab import examples


@dataclass(frozen=True)
class Scenario:
    """A text with what the page says about it; `back` is where the learner came from."""

    text: str
    title: str
    description: str
    back: str = ""
    back_label: str = ""


def of_example(name: str) -> Scenario | None:
    """The shipped example of that name."""
    example = examples.by_name(name)
    return Scenario(example.text, example.title, example.description) if example else None


def of_question(address: str) -> Scenario | None:
    """The lab of the question `SET/NAME`, if the set is published."""
    set_name, _slash, name = address.partition("/")
    found = (
        Lab.objects.select_related("question__question_set")
        .filter(question__question_set__name=set_name, question__name=name, question__question_set__published=True)
        .first()
    )
    if found is None:
        return None
    back = reverse("quizzes:question", args=[set_name, name])
    return Scenario(found.text, found.title, found.hint, back, _("Back to the question"))
