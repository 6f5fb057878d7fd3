"""The editor's form: a text, or a file that replaces it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django_ace import AceWidget

from scheduler_lab.outcome import LARGEST_FILE


class TextField(forms.CharField):
    """A text as the learner typed it: nothing stripped, nothing refused, line ends as \\n."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strip=False, required=False, **kwargs)
        self.validators = []

    def to_python(self, value: Any) -> str:
        return str(value or "").replace("\r\n", "\n").replace("\r", "\n")


class LabForm(forms.Form):
    """POST data of a run."""

    text = TextField(
        label=_("Cluster and pods, as YAML or JSON"),
        widget=AceWidget(
            mode="yaml",
            width=None,
            height=None,
            toolbar=False,
            showprintmargin=False,
            useworker=False,
            usesofttabs=True,
            tabsize=2,
            useStrictCSP=True,
            attrs={"rows": 24, "spellcheck": "false", "autocapitalize": "off", "lang": "en"},
        ),
    )
    file = forms.FileField(label=_("Open file"), required=False, allow_empty_file=True)

    @property
    def too_large(self) -> int:
        """The size of a file that is too large to be read, in megabytes; 0 for one that is not."""
        upload = self.files.get("file")
        size = (upload.size or 0) if upload is not None else 0
        return -(-size // 1_000_000) if size > LARGEST_FILE else 0

    def chosen_text(self) -> str:
        """The file's text where one was sent, else the editor's. Bytes that are not UTF-8 become U+FFFD."""
        self.is_valid()
        upload = self.files.get("file")
        if upload is not None and not self.too_large and (upload.size or not self.cleaned_data.get("text")):
            return str(upload.read().decode("utf-8", "replace")).replace("\r\n", "\n")
        return str(self.cleaned_data.get("text", ""))
