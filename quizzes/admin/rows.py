"""How rows and long texts look in the admin."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.utils.translation import gettext_lazy as _


def area(rows: int) -> dict[type[models.Field], dict[str, Any]]:
    """Return the form field override that gives long texts that many rows."""
    return {models.TextField: {"widget": forms.Textarea(attrs={"rows": rows, "cols": 60})}}


class Rows(forms.BaseInlineFormSet):
    """Names the tick that deletes a row, which the admin's table leaves without a label."""

    def add_fields(self, form: forms.ModelForm, index: int | None) -> None:
        super().add_fields(form, index)
        if "DELETE" in form.fields:
            form.fields["DELETE"].widget.attrs["aria-label"] = _("Delete")


class Table(admin.TabularInline):
    template = "admin/quizzes/table.html"
    formset = Rows
