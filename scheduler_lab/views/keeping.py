"""Keeping a run: shared links and downloads."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from scheduler_lab import runs, share
from scheduler_lab.engine.metrics import Measurement
from scheduler_lab.extender.documents import may_hold_extenders
from scheduler_lab.present import metrics
from scheduler_lab.reports.markdown import markdown
from scheduler_lab.runs import Run
from scheduler_lab.views import walk
from scheduler_lab.views.base import HtmxHttpRequest, forgotten


@require_POST
def share_text(request: HtmxHttpRequest) -> HttpResponse:
    """Keep the text of a run under its hash and show its link."""
    text = runs.text_of(request.POST.get("digest", "")[: share.DIGEST_LENGTH])
    if text is None:
        return forgotten(request)
    digest = share.save(text)
    address = reverse("lab:shared", args=[digest])
    if request.htmx:
        context = {
            "address": request.build_absolute_uri(address),
            "digest": digest,
            "extenders": may_hold_extenders(text),
        }
        return render(request, "lab/shared.html", context)
    return HttpResponseRedirect(address)


@require_safe
def shared(request: HtmxHttpRequest, digest: str) -> HttpResponse:
    """A shared text with its run; walking through it stays on this address's run."""
    if share.load(digest) is None:
        raise Http404
    return walk(request, digest)


@require_safe
def download(request: HttpRequest, digest: str, kind: str) -> HttpResponse:
    """The input (yaml), the record (json), a readable trace (markdown), the metrics or the events as a file."""
    done = runs.find(digest)
    if done is None:
        raise Http404
    files: dict[str, tuple[str, Any]] = {
        "yaml": ("application/yaml", lambda: done.text),
        "json": ("application/json", lambda: runs.record_json(done)),
        "markdown": ("text/markdown; charset=utf-8", lambda: markdown(done.outcome, done.text)),
        "metrics": ("text/plain; version=0.0.4; charset=utf-8", lambda: metrics.download_text(_measured(done))),
        "events": ("text/plain; charset=utf-8", lambda: metrics.events_text(_measured(done), list(_pods(done)))),
    }
    if kind not in files or (kind != "yaml" and done.outcome.record is None):
        raise Http404
    content_type, body = files[kind]
    suffix = {"markdown": "md", "metrics": "metrics.txt", "events": "events.txt"}.get(kind, kind)
    return HttpResponse(
        body(),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="scheduler-lab-{digest[:8]}.{suffix}"'},
    )


def _measured(done: Run) -> Measurement:
    record = done.outcome.record or {}
    found = None if record.get("error") or record.get("scenarioError") else runs.measured_for(done).measured
    if found is None:
        raise Http404
    return found


def _pods(done: Run) -> dict[str, Any]:
    pods: dict[str, Any] = (done.outcome.record or {}).get("pods", {})
    return pods
