"""Where an instructor writes question sets: /admin/, in both languages."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from quizzes.admin.people import PersonAdmin
from quizzes.admin.questions import QuestionAdmin
from quizzes.admin.sets import QuestionSetAdmin

admin.site.site_header = "Scheduler Lab"
admin.site.site_title = "Scheduler Lab"
admin.site.index_title = _("Question sets and people")

__all__ = ["PersonAdmin", "QuestionAdmin", "QuestionSetAdmin"]
