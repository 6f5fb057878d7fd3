"""Metrics and events of a run, as those who watch a cluster would see them; gathered when somebody looks."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from scheduler_lab import runs
from scheduler_lab.pages import lab_context
from scheduler_lab.present import metrics as present
from scheduler_lab.views.base import HtmxHttpRequest, forgotten


@require_safe
def metrics(request: HtmxHttpRequest, digest: str) -> HttpResponse:
    """The metrics that the query finds, and kubectl's view of the events: a partial, or a page of its own."""
    done = runs.find(digest)
    if done is None:
        return forgotten(request)
    record = done.outcome.record
    if record is None or record.get("error") or record.get("scenarioError"):
        raise Http404
    outcome = runs.measured_for(done)
    measured = None
    if outcome.measured is not None:
        measured = present.build(
            outcome.measured,
            list(record.get("pods", {})),
            query=request.GET.get("q", "").strip()[:100],
            namespace=request.GET.get("ns", "")[:253],
            pod=request.GET.get("pod", "")[:600],
            process=request.GET.get("process", "")[:253],
        )
    context = {"run": done, "measured": measured}
    if request.htmx:
        return render(request, "lab/_measured.html", context)
    return render(request, "lab/measured.html", context | lab_context(text=done.text))
