"""The form of a new plugin."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from scheduler_lab.starter.wanted import EVENTS, POINTS, Wanted, is_go_name, is_taken, wanted


class NewPluginForm(forms.Form):
    """A name, extension points, and what the plugin needs besides."""

    name = forms.CharField(max_length=40, error_messages={"required": _("Give the plugin a name.")})
    points = forms.MultipleChoiceField(
        choices=[(point, point) for point in (*POINTS, EVENTS)],
        error_messages={"required": _("Choose at least one extension point.")},
    )
    takes_args = forms.BooleanField(required=False)
    remembers = forms.BooleanField(required=False)

    def clean_name(self) -> str:
        """A name that a Go type, its package and a configuration can have."""
        name: str = self.cleaned_data["name"].strip()
        if is_taken(name):
            raise forms.ValidationError(_("The scheduler has a plugin of this name already."))
        if not is_go_name(name):
            raise forms.ValidationError(
                _("Write a capital letter and 1 to 39 more letters and digits, and no word that Go or the plugin uses.")
            )
        return name

    def clean_points(self) -> list[str]:
        """Something the scheduler calls; events alone would never be asked for."""
        points: list[str] = self.cleaned_data["points"]
        if points == [EVENTS]:
            raise forms.ValidationError(_("Choose at least one extension point."))
        return points

    def plugin(self) -> Wanted:
        """What a valid form asks for."""
        given = self.cleaned_data
        return wanted(given["name"], given["points"], takes_args=given["takes_args"], remembers=given["remembers"])
