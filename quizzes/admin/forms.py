"""Forms and formsets of the admin: the same rules as the file format has."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from quizzes.content_format import Problem, parse
from quizzes.content_format.fields import clean
from quizzes.content_format.node import MAX_BYTES
from quizzes.content_format.parse import PLACEHOLDER, RESERVED, choice_problem
from quizzes.content_format.schema import QuestionSet as Content
from quizzes.models import Lab, Question, QuestionSet


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


class QuestionForm(TidyForm):
    class Meta:
        model = Question
        fields = "__all__"

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name in RESERVED:
            raise ValidationError(_("“%(name)s” is reserved for a page of the site."), params={"name": name})
        return name


class LabForm(TidyForm):
    class Meta:
        model = Lab
        fields = "__all__"

    def clean_predict_choices(self) -> list[str]:
        choices = self.cleaned_data["predict_choices"]
        if not isinstance(choices, list) or not all(isinstance(choice, str) and choice.strip() for choice in choices):
            raise ValidationError(_('Write a list of texts: ["node-a", "pending"].'))
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


class ChoiceFormSet(forms.BaseInlineFormSet):
    """2 to 10 choices; exactly one right in a single choice, at least one else; no name twice."""

    def clean(self) -> None:
        super().clean()
        if any(self.errors):
            return
        kept = [form.cleaned_data for form in self.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]
        names = [data.get("name") for data in kept]
        if len(set(names)) < len(names):
            raise ValidationError(_("Two choices have the same name."))
        right = sum(bool(data.get("correct")) for data in kept)
        if not 2 <= len(kept) <= 10:
            raise ValidationError(_("A question has 2 to 10 choices."))
        if self.instance.type == Question.Type.SINGLE and right != 1:
            message = _("Exactly one option is right in a single choice; here %(count)s are.")
            raise ValidationError(message, params={"count": right})
        if not right:
            raise ValidationError(_("At least one option must be right."))


class ClaimFormSet(forms.BaseInlineFormSet):
    """Every {{name}} in the walkthrough needs its claim."""

    def clean(self) -> None:
        super().clean()
        if any(self.errors):
            return
        names = {form.cleaned_data.get("name") for form in self.forms if not form.cleaned_data.get("DELETE")}
        for language in ("ko", "en"):
            for used in PLACEHOLDER.findall(self.data.get(f"lab-0-walkthrough_{language}", "")):
                if used not in names:
                    raise ValidationError(_("No claim is named “%(name)s”."), params={"name": used})


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

    content: Content | None = None
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
