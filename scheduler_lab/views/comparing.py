"""Two runs side by side."""

from __future__ import annotations

import re

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from scheduler_lab import runs
from scheduler_lab.present.comparison import compare as compare_runs
from scheduler_lab.present.side_by_side import side
from scheduler_lab.share import DIGEST_LENGTH
from scheduler_lab.views.base import HtmxHttpRequest, forgotten

_DIGEST = re.compile(rf"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{{{DIGEST_LENGTH}}}(?![A-Za-z0-9_-])")


@require_safe
def ask(request: HtmxHttpRequest) -> HttpResponse:
    """From a run and a link or hash that somebody typed to their comparison."""
    digest = request.GET.get("digest", "")
    found = _DIGEST.findall(request.GET.get("other", ""))
    if not re.fullmatch(_DIGEST, digest):
        return HttpResponseRedirect(reverse("lab:lab"))
    if not found or runs.find(found[-1]) is None:
        notice = _("There is no run behind that. Paste the link that Share gives, or the address of a run.")
        return render(request, "lab/compare_ask.html", {"section": "lab", "digest": digest, "notice": notice})
    return HttpResponseRedirect(reverse("lab:compare", args=[found[-1], digest]))


@require_safe
def compare(request: HtmxHttpRequest, before: str, after: str) -> HttpResponse:
    """The pods that end elsewhere, the lines that differ, and both clusters at the end."""
    first, second = runs.find(before), runs.find(after)
    if first is None or second is None:
        return forgotten(request)
    context = {
        "section": "lab",
        "comparison": compare_runs(first, second, lines=True),
        "sides": [side(first), side(second)],
    }
    return render(request, "lab/compare.html", context)
