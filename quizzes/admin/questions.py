from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quizzes.admin.forms import ClaimForm, LabForm, LinkForm, QuestionForm, TidyForm
from quizzes.admin.formsets import ChoiceFormSet, ClaimFormSet, LinkFormSet, MisconceptionFormSet
from quizzes.admin.rows import Table, area
from quizzes.answering import is_right, regrade
from quizzes.models import Answer, Choice, Claim, Lab, Link, Misconception, Question, QuestionSet
from quizzes.progress import progress_of
from quizzes.question_page import QuestionPage
from quizzes.storing import lab_content
from scheduler_lab.engine.manifests import load
from scheduler_lab.present.texts import fill


class ChoiceInline(admin.StackedInline):
    model = Choice
    form = TidyForm
    formset = ChoiceFormSet
    extra = 0
    min_num = 2
    fieldsets = (
        (None, {"fields": (("position", "name", "correct"), ("text_ko", "text_en"), ("rationale_ko", "rationale_en"))}),
    )
    formfield_overrides = area(3)


class MisconceptionInline(admin.StackedInline):
    model = Misconception
    form = TidyForm
    formset = MisconceptionFormSet
    extra = 0
    fieldsets = ((None, {"fields": ("position", ("claim_ko", "claim_en"), ("truth_ko", "truth_en"))}),)
    formfield_overrides = area(3)


class LinkInline(Table):
    model = Link
    form = LinkForm
    formset = LinkFormSet
    extra = 0


class LabInline(admin.StackedInline):
    model = Lab
    form = LabForm
    fieldsets = (
        (None, {"fields": (("title_ko", "title_en"), "text")}),
        (
            _("Prediction"),
            {
                "fields": (
                    ("predict_question_ko", "predict_question_en"),
                    ("predict_pod", "predict_ask"),
                    "predict_choices",
                    ("hint_ko", "hint_en"),
                )
            },
        ),
        (
            _("After the run"),
            {"fields": (("look_phase", "look_plugin", "look_pod"), ("walkthrough_ko", "walkthrough_en"))},
        ),
    )
    formfield_overrides = area(10) | {models.JSONField: {"widget": forms.Textarea(attrs={"rows": 2, "cols": 60})}}


class ClaimInline(Table):
    model = Claim
    form = ClaimForm
    formset = ClaimFormSet
    extra = 0
    formfield_overrides = {models.JSONField: {"widget": forms.Textarea(attrs={"rows": 1, "cols": 30})}}


@admin.register(Question)
class QuestionAdmin(admin.ModelAdmin):
    form = QuestionForm
    list_display = ("topic", "question_set", "position", "type")
    list_filter = ("question_set",)
    list_select_related = ("question_set",)
    search_fields = ("name", "topic_ko", "topic_en", "stem_ko", "stem_en")
    ordering = ("question_set", "position")
    inlines = (ChoiceInline, MisconceptionInline, LinkInline, LabInline, ClaimInline)
    view_on_site = False
    formfield_overrides = area(8)
    save_on_top = True
    fieldsets = (
        (None, {"fields": (("question_set", "position"), ("name", "type"), ("topic_ko", "topic_en"))}),
        (_("Texts, in Markdown"), {"fields": (("stem_ko", "stem_en"), ("explanation_ko", "explanation_en"))}),
    )

    @admin.display(description=_("topic"))
    def topic(self, obj: Question) -> str:
        return obj.topic

    def get_urls(self) -> list[URLPattern]:
        preview = self.admin_site.admin_view(self.preview_view)
        return [path("<int:pk>/preview/", preview, name="quizzes_question_preview"), *super().get_urls()]

    def preview_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The question as learners see it; answering here keeps nothing."""
        question = get_object_or_404(Question.objects.select_related("question_set", "lab"), pk=pk)
        if not self.has_view_permission(request, question):
            raise PermissionDenied
        (progress,) = progress_of([question.question_set], None)
        page = QuestionPage(question, progress, None, preview=True)
        if "answered" in request.GET:
            chosen = request.GET.getlist("choice")
            page.answer = Answer(question=question, chosen=chosen, correct=is_right(question, chosen))
        return render(request, "quizzes/preview.html", {"section": "questions", "page": page})

    def save_model(self, request: HttpRequest, obj: Question, form: forms.ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        self._hide_emptied(request)

    def save_related(self, request: HttpRequest, form: forms.ModelForm, formsets: Any, change: bool) -> None:
        before = lab_content(Question.objects.get(pk=form.instance.pk)) if change else None
        super().save_related(request, form, formsets, change)
        question = Question.objects.get(pk=form.instance.pk)
        lab = lab_content(question)
        regrade(question, lab_changed=before != lab)
        if lab:
            self._warn_of_problems(request, lab.text)

    def _warn_of_problems(self, request: HttpRequest, text: str) -> None:
        """Say what keeps the lab from running. It is saved all the same: a draft may be unfinished."""
        errors = [problem for problem in load(text).problems if problem.severity == "error"]
        for problem in errors[:5]:
            message = gettext("The lab cannot run yet. Line %(line)s of its YAML: %(problem)s")
            values = {"line": problem.line, "problem": fill(problem.template, dict(problem.params))}
            self.message_user(request, message % values, messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: Question) -> None:
        super().delete_model(request, obj)
        self._hide_emptied(request)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Question]) -> None:
        super().delete_queryset(request, queryset)
        self._hide_emptied(request)

    def _hide_emptied(self, request: HttpRequest) -> None:
        """Unpublish a set whose last question went, and say so."""
        emptied = QuestionSet.objects.filter(published=True, questions=None)
        for title in [question_set.title for question_set in emptied]:
            message = gettext("“%(title)s” has no questions any more and is hidden from learners.")
            self.message_user(request, message % {"title": title}, messages.WARNING)
        emptied.update(published=False)

    def response_post_save_add(self, request: HttpRequest, obj: Question) -> HttpResponseRedirect:
        return self._back_to_set(obj)

    def response_post_save_change(self, request: HttpRequest, obj: Question) -> HttpResponseRedirect:
        return self._back_to_set(obj)

    def _back_to_set(self, question: Question) -> HttpResponseRedirect:
        return redirect("admin:quizzes_questionset_change", question.question_set_id)
