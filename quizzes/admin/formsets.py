"""Rules that hold between the rows of a question or a set: what the file format asks of its lists."""

from collections.abc import Iterator

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from quizzes.admin.rows import Rows
from quizzes.content_format.parse import PLACEHOLDER, same_text_problem, same_texts
from quizzes.content_format.schema import MOST
from quizzes.models import Question


def _kept(formset: forms.BaseInlineFormSet) -> Iterator[forms.ModelForm]:
    """The rows that stay: those that are filled in and not to be deleted."""
    for form in formset.forms:
        if form.cleaned_data and not form.cleaned_data.get("DELETE"):
            yield form


class LimitedRows(Rows):
    """Rows of which there may be at most `most`, as in a file."""

    most = 0

    def clean(self) -> None:
        super().clean()
        if any(self.errors):
            return
        count = len(list(_kept(self)))
        if count > self.most:
            message = _("There may be at most %(most)s of these; here %(count)s are.")
            raise ValidationError(message, params={"most": self.most, "count": count})
        self.check()

    def check(self) -> None:
        """Refuse what the rows may not be together."""


class MisconceptionFormSet(LimitedRows):
    most = MOST["misconceptions"]


class LinkFormSet(LimitedRows):
    most = MOST["links"]


class ChoiceFormSet(forms.BaseInlineFormSet):
    """2 to 10 choices; exactly one right in a single choice, at least one else; no name and no text twice."""

    def clean(self) -> None:
        super().clean()
        kept = list(_kept(self))
        self._refuse_same_texts(kept)
        if any(self.errors):
            return
        names = [form.cleaned_data["name"] for form in kept]
        if len(set(names)) < len(names):
            raise ValidationError(_("Two choices have the same name."))
        right = sum(bool(form.cleaned_data["correct"]) for form in kept)
        if not 2 <= len(kept) <= MOST["options"]:
            raise ValidationError(_("A question has 2 to 10 choices."))
        if self.instance.type == Question.Type.SINGLE and right != 1:
            message = _("Exactly one option is right in a single choice; here %(count)s are.")
            raise ValidationError(message, params={"count": right})
        if not right:
            raise ValidationError(_("At least one option must be right."))

    def _refuse_same_texts(self, kept: list[forms.ModelForm]) -> None:
        for field in ("text_ko", "text_en"):
            texts = [form.cleaned_data.get(field, "") for form in kept]
            for first, second in same_texts(texts):
                kept[second].add_error(field, same_text_problem(kept[first].cleaned_data.get("name", "")))


class ClaimFormSet(LimitedRows):
    """Every {{name}} in the walkthrough needs its claim, and claims need the lab that they are about."""

    most = MOST["claims"]

    def check(self) -> None:
        names = {form.cleaned_data["name"] for form in _kept(self)}
        # The lab's own form comes in the same request; its text is required where there is a lab.
        has_lab = bool(self.data.get("lab-0-text", "").strip()) and not self.data.get("lab-0-DELETE")
        if names and not has_lab:
            raise ValidationError(_("Claims are about the lab's run: give the question a lab, or delete the claims."))
        if not has_lab:
            return
        for language in ("ko", "en"):
            for used in PLACEHOLDER.findall(self.data.get(f"lab-0-walkthrough_{language}", "")):
                if used not in names:
                    raise ValidationError(_("No claim is named “%(name)s”."), params={"name": used})
