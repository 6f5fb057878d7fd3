"""Runs that take a while: their progress, and their end by hand."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from scheduler_lab import jobs
from scheduler_lab.present.links import Selection, parse_selection
from scheduler_lab.views.base import HtmxHttpRequest, answer, forgotten, progress


@require_safe
def job(request: HtmxHttpRequest, ident: str) -> HttpResponse:
    """How far a job has come; its result when it is over."""
    found = jobs.find(ident)
    if found is None:
        return forgotten(request)
    if not request.htmx:
        return HttpResponseRedirect(reverse("lab:walk", args=[found.digest]))
    selection = parse_selection(request.GET)
    put_text = request.GET.get("put") == "1"
    if not found.over:
        return progress(request, found, selection, put_text=put_text)
    return _finished(request, found, selection, put_text)


@require_POST
def cancel(request: HtmxHttpRequest, ident: str) -> HttpResponse:
    """End a job and say so."""
    jobs.cancel(ident)
    found = jobs.find(ident)
    if found is None:
        return forgotten(request)
    ended = found if found.over else jobs.cancelled(found)
    return _finished(request, ended, Selection(), put_text=False)


def _finished(request: HtmxHttpRequest, found: jobs.Job, selection: Selection, put_text: bool) -> HttpResponse:
    done = jobs.result(found)
    if done is None:
        return forgotten(request)
    return answer(request, done, selection, text=done.text, put_text=put_text)
