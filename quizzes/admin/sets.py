from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from quizzes.admin.forms import ImportForm, QuestionSetForm, RowForm
from quizzes.admin.rows import Table, area
from quizzes.content_format import write
from quizzes.models import Question, QuestionSet
from quizzes.storing import content_of, store


class QuestionInline(Table):
    """The questions in order, each with the link to its own page, where everything is written."""

    model = Question
    form = RowForm
    view_on_site = False
    fields = ("position", "name", "type", "topic_ko", "topic_en")
    readonly_fields = ("name", "type")
    extra = 0
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(QuestionSet)
class QuestionSetAdmin(admin.ModelAdmin):
    form = QuestionSetForm
    list_display = ("shown_title", "name", "question_count", "published", "links")
    list_filter = ("published",)
    search_fields = ("name", "title_ko", "title_en")
    actions = ("publish", "unpublish")
    inlines = (QuestionInline,)
    view_on_site = False
    formfield_overrides = area(3)
    fieldsets = (
        (None, {"fields": (("title_ko", "title_en"), ("description_ko", "description_en"))}),
        (None, {"fields": (("name", "version", "kubernetes_version"), ("published", "position"))}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionSet]:
        sets: QuerySet[QuestionSet] = super().get_queryset(request)
        return sets.annotate(count=Count("questions"))

    @admin.display(description=_("title"))
    def shown_title(self, obj: QuestionSet) -> str:
        return obj.title

    @admin.display(description=_("questions"), ordering="count")
    def question_count(self, obj: QuestionSet) -> int:
        count: int = obj.count  # type: ignore[attr-defined]
        return count

    @admin.display(description=_("file"))
    def links(self, obj: QuestionSet) -> SafeString:
        export = reverse("admin:quizzes_questionset_export", args=[obj.pk])
        return format_html('<a href="{}">{}</a>', export, _("Export YAML"))

    @admin.action(description=_("Publish the chosen sets"), permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[QuestionSet]) -> None:
        empty = [question_set.title for question_set in queryset if not question_set.questions.exists()]
        count = queryset.exclude(questions=None).update(published=True)
        if count:
            message = ngettext("%(count)d set is published.", "%(count)d sets are published.", count)
            self.message_user(request, message % {"count": count})
        for title in empty:
            message = gettext("“%(title)s” has no questions yet and was not published.")
            self.message_user(request, message % {"title": title}, messages.WARNING)

    @admin.action(description=_("Unpublish the chosen sets"), permissions=["change"])
    def unpublish(self, request: HttpRequest, queryset: QuerySet[QuestionSet]) -> None:
        count = queryset.update(published=False)
        message = ngettext("%(count)d set is hidden from learners.", "%(count)d sets are hidden from learners.", count)
        self.message_user(request, message % {"count": count})

    def get_inlines(self, request: HttpRequest, obj: QuestionSet | None) -> tuple[type[QuestionInline], ...]:
        """No table of questions before there is a set to add them to."""
        return self.inlines if obj else ()

    def response_post_save_add(self, request: HttpRequest, obj: QuestionSet) -> HttpResponseRedirect:
        """A new set wants questions next: its page has the button."""
        return redirect("admin:quizzes_questionset_change", obj.pk)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("import/", view(self.import_view), name="quizzes_questionset_import"),
            path("<int:pk>/export/", view(self.export_view), name="quizzes_questionset_export"),
            *super().get_urls(),
        ]

    def export_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        question_set = get_object_or_404(QuestionSet, pk=pk)
        if not self.has_view_permission(request, question_set):
            raise PermissionDenied
        response = HttpResponse(write(content_of(question_set)), content_type="application/yaml; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{question_set.name}.yaml"'
        return response

    def import_view(self, request: HttpRequest) -> HttpResponse:
        if not (self.has_add_permission(request) and self.has_change_permission(request)):
            raise PermissionDenied
        form = ImportForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid() and form.content is not None:
            question_set = store(form.content)
            count = len(form.content.questions)
            message = ngettext("%(count)d question imported.", "%(count)d questions imported.", count)
            if not question_set.published:
                message += " " + gettext("The set is not published yet.")
            self.message_user(request, message % {"count": count}, messages.SUCCESS)
            return redirect("admin:quizzes_questionset_change", question_set.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Import a question set"),
            "opts": self.opts,
            "form": form,
            "problems": getattr(form, "problems", []) if form.is_bound else [],
        }
        return render(request, "admin/quizzes/questionset/import.html", context)
