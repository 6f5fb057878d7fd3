"""What the lab's views share."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import push_url
from django_htmx.middleware import HtmxDetails

from scheduler_lab import jobs
from scheduler_lab.jobs import Job
from scheduler_lab.outcome import LARGEST_FILE
from scheduler_lab.pages import lab_context, result_context
from scheduler_lab.present.links import Links, Selection
from scheduler_lab.runs import Run

LARGEST_EDITED = 15_000_000
"""Characters of the longest text that the editor is given."""


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


def answer(
    request: HtmxHttpRequest, done: Run | Job, selection: Selection, *, text: str, put_text: bool = False
) -> HttpResponse:
    """The page or partial for a run that was asked for: its result, or its progress while it goes on.

    `put_text`: the text is not what the editor holds, so the editor is given it.
    """
    if isinstance(done, Job):
        return progress(request, done, selection, put_text=put_text)
    if selection.against == done.digest:
        selection = selection.without_comparison()
    address = Links(done.digest, selection).to()
    if request.htmx:
        context = result_context(done, selection) | {
            "put_text": done.text if put_text and len(done.text) <= LARGEST_EDITED else None
        }
        return push_url(render(request, "lab/answer.html", context), address)
    context = lab_context(text=text, run=done, selection=selection)
    return render(request, "lab/lab.html", context | {"page_url": address})


def progress(request: HtmxHttpRequest, job: Job, selection: Selection, *, put_text: bool = False) -> HttpResponse:
    """How far a job has come; the partial asks again by itself."""
    query: dict[str, Any] = {"cycle": selection.cycle, "against": selection.against, "put": int(put_text)}
    ask = f"{reverse('lab:job', args=[job.ident])}?{urlencode({key: value for key, value in query.items() if value})}"
    return render(request, "lab/running.html", {"job": job, "ask": ask})


def perform(request: HtmxHttpRequest, text: str) -> Run | Job:
    """Run a text; only a page with scripts can wait for a job, any other waits for the run itself."""
    return jobs.begin(text) if request.htmx else jobs.finish(text)


def forgotten(request: HtmxHttpRequest) -> HttpResponse:
    """Nobody knows the text of that address any more."""
    notice = _("This run is not kept any more. Put its text into the editor and run it again; a shared link stays.")
    if request.htmx:
        return render(request, "lab/notice.html", {"notice": notice})
    return render(request, "lab/lab.html", lab_context(text="", notice=notice), status=404)


def refused_file(request: HtmxHttpRequest, megabytes: int, text: str) -> HttpResponse:
    """A file is larger than the lab reads."""
    notice = _(
        "This file has %(size)s MB; the lab reads up to %(limit)s MB. Leave out what does not decide "
        "(managedFields, images, other namespaces), or take fewer nodes."
    ) % {"size": megabytes, "limit": LARGEST_FILE // 1_000_000}
    if request.htmx:
        return render(request, "lab/notice.html", {"notice": notice})
    return render(request, "lab/lab.html", lab_context(text=text, notice=notice))
