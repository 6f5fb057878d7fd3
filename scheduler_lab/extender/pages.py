"""The lab's button that publishes the extenders of a text."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from scheduler_lab import runs, share
from scheduler_lab.extender import publishing
from scheduler_lab.extender.documents import LARGEST_TEXT
from scheduler_lab.views.base import HtmxHttpRequest, forgotten


@require_POST
def publish(request: HtmxHttpRequest) -> HttpResponse:
    """Publish the extenders of a run's text and show their addresses."""
    digest = request.POST.get("digest", "")[: share.DIGEST_LENGTH]
    text = runs.text_of(digest)
    if text is None:
        return forgotten(request)
    published = publishing.publish(text, publishing.owner_of(request))
    notice = ""
    if not published:
        notice = (
            _("This text is too long to publish its extenders.")
            if len(text) > LARGEST_TEXT
            else _("This text has no lab/v1 Extender document with a name that an address can have.")
        )
    context = {"section": "lab", "published": published, "notice": notice, "digest": digest}
    return render(request, "lab/_published.html" if request.htmx else "lab/published.html", context)
