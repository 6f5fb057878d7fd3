"""What would fix a pending pod: found in a worker when somebody looks, applied by a button."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from scheduler_lab import runs
from scheduler_lab.pages import lab_context
from scheduler_lab.present import fixes as present
from scheduler_lab.present.links import Selection
from scheduler_lab.views.base import HtmxHttpRequest, answer, forgotten, perform


@require_safe
def fixes(request: HtmxHttpRequest, digest: str) -> HttpResponse:
    """The fixes of the pod that the query names: a partial for the result, or a page of its own."""
    done = runs.find(digest)
    if done is None:
        return forgotten(request)
    pod = request.GET.get("pod", "")[:600]
    if done.outcome.record is None or pod not in done.outcome.record.get("pods", {}):
        raise Http404
    found = present.build(runs.fixes_for(done, pod), pod)
    context = {"run": done, "fixes": found}
    if request.htmx:
        return render(request, "lab/_fixes.html", context)
    return render(request, "lab/fixes.html", context | lab_context(text=done.text))


def apply(request: HtmxHttpRequest) -> HttpResponse:
    """Run the text with the fix `digest:pod:name of the fix` in it."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("lab:lab"))
    digest, _colon, rest = request.POST.get("fix", "").partition(":")
    pod, _colon, ident = rest.rpartition(":")
    done = runs.find(digest) if digest else None
    if done is None:
        return forgotten(request)
    text = present.edited_text(runs.fixes_for(done, pod), ident)
    if text is None:
        return forgotten(request)
    return answer(request, perform(request, text), Selection(against=digest), text=text, put_text=True)
