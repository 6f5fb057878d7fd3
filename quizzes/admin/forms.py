"""Forms of the admin: the same rules as the file format has, so that what is saved can be exported and read back."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from quizzes.content_format import Problem, parse, schema, write_value
from quizzes.content_format.fields import clean
from quizzes.content_format.node import MAX_BYTES, Unreadable, compose, plain_value
from quizzes.content_format.parse import RESERVED, choice_problem
from quizzes.models import Claim, Lab, Link, Question, QuestionSet


class TidyForm(forms.ModelForm):
    """Keeps texts as the file format keeps them: no carriage returns, no blank lines around."""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name, value in data.items():
            if isinstance(value, str):
                data[name] = clean(value.replace("\r\n", "\n").replace("\r", "\n"))
        return data

    def need_both(self, *names: str) -> None:
        """Report a text that may be left out but is given in one language alone."""
        for name in names:
            texts = {language: self.cleaned_data.get(f"{name}_{language}") for language in ("ko", "en")}
            if any(texts.values()) and not all(texts.values()):
                missing = next(language for language, text in texts.items() if not text)
                self.add_error(f"{name}_{missing}", _("Give this text in both languages, or in neither."))


class RowForm(TidyForm):
    """A form whose labels are a table's head: each field tells its own to screen readers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.setdefault("aria-label", field.label)


class QuestionSetForm(TidyForm):
    class Meta:
        model = QuestionSet
        fields = "__all__"

    def clean_published(self) -> bool:
        published: bool = self.cleaned_data["published"]
        if published and not self._questions_left():
            raise ValidationError(
                _(
                    "Learners would find nothing here: a set needs a question before it is published. "
                    "Save it unpublished, add a question, then publish it."
                )
            )
        return published

    def _questions_left(self) -> int:
        """How many questions the set has once those ticked for deletion are gone."""
        if self.instance.pk is None:
            return 0
        ticked = sum(bool(re.fullmatch(r"questions-[0-9]+-DELETE", name)) for name in self.data)
        known: int = self.instance.questions.count()
        return known - ticked


class QuestionForm(TidyForm):
    class Meta:
        model = Question
        fields = "__all__"

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name in RESERVED:
            raise ValidationError(_("“%(name)s” is reserved for a page of the site."), params={"name": name})
        return name

    def clean_question_set(self) -> QuestionSet:
        chosen: QuestionSet = self.cleaned_data["question_set"]
        most = schema.MOST["questions"]
        if chosen.questions.exclude(pk=self.instance.pk).count() >= most:
            raise ValidationError(
                _("This set has %(most)s questions already, which is the most."), params={"most": most}
            )
        return chosen


class LinkForm(RowForm):
    class Meta:
        model = Link
        fields = "__all__"

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if not re.fullmatch(schema.HTTPS, url):
            raise ValidationError(_("Expected an address that begins with https://."))
        return url


class ClaimForm(RowForm):
    class Meta:
        model = Claim
        fields = "__all__"

    def clean_value(self) -> Any:
        value = self.cleaned_data["value"]
        # The form field marks a text as its own kind of string.
        value = str(value) if isinstance(value, str) else value
        place = {"spec": {"questions": [{"lab": {"claims": [{"value": value}]}}]}}
        try:
            kept = plain_value(compose(write_value(place)))
        except Unreadable:
            kept = None
        if kept != place:
            message = _(
                "A file cannot hold this value: no NaN or Infinity, no more than 30 digits or 16 levels of lists."
            )
            raise ValidationError(message)
        return value


class LabForm(TidyForm):
    class Meta:
        model = Lab
        fields = "__all__"

    def clean_predict_choices(self) -> list[str]:
        choices = self.cleaned_data["predict_choices"]
        if not isinstance(choices, list) or not all(isinstance(choice, str) and choice.strip() for choice in choices):
            raise ValidationError(_('Write a list of texts: ["node-a", "pending"].'))
        choices = [choice.strip() for choice in choices]
        if not 2 <= len(choices) <= 12 or len(set(choices)) != len(choices):
            raise ValidationError(_("Offer 2 to 12 different choices."))
        return choices

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        self.need_both("hint", "walkthrough")
        for choice in data.get("predict_choices") or ():
            if problem := choice_problem(data.get("predict_ask", ""), choice):
                self.add_error("predict_choices", problem)
        return data


class ImportForm(forms.Form):
    file = forms.FileField(label=_("File"), required=False, widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}))
    text = forms.CharField(
        label=_("or its text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false"}),
    )
    replace = forms.BooleanField(
        label=_("Replace the set if one of this name is here already"),
        required=False,
        help_text=_("Answers to questions that stay are kept."),
    )

    content: schema.QuestionSet | None = None
    problems: list[Problem]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        self.problems = []
        file = data.get("file")
        if file is not None and file.size > MAX_BYTES:
            raise ValidationError(_("The file is larger than %(size)s MB."), params={"size": MAX_BYTES // 1_000_000})
        source: str | bytes = file.read() if file is not None else data.get("text", "")
        if not source.strip():
            raise ValidationError(_("Choose a file, or paste its text."))
        self.content, self.problems = parse(source)
        if self.problems:
            raise ValidationError(_("The file has problems; nothing was imported."))
        if self.content and not data.get("replace") and QuestionSet.objects.filter(name=self.content.name).exists():
            self.add_error("replace", _("There is a set of this name already. Tick this to replace it."))
        return data
