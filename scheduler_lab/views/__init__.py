"""The lab's pages: each view reads its request, calls one function, renders one template."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import push_url
from django_htmx.middleware import HtmxDetails

from scheduler_lab import examples as shipped
from scheduler_lab import runner, runs, share
from scheduler_lab.forms import LabForm
from scheduler_lab.pages import lab_context, result_context
from scheduler_lab.present.links import parse_selection
from scheduler_lab.reports.markdown import markdown
from scheduler_lab.scenarios import Scenario, of_example, of_question


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


@require_GET
def lab(request: HtmxHttpRequest) -> HttpResponse:
    """The editor: empty, or with an example's or a question's text in it."""
    runner.warm()
    scenario: Scenario | None = None
    if name := request.GET.get("example"):
        scenario = of_example(name)
    elif address := request.GET.get("question"):
        scenario = of_question(address)
    context = lab_context(text=scenario.text if scenario else "", scenario=scenario)
    return render(request, "lab/loaded.html" if request.htmx else "lab/lab.html", context)


def run(request: HtmxHttpRequest) -> HttpResponse:
    """Run the posted text. Whatever the text is, the answer is 200 with the text kept in the editor."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("lab:lab"))
    done = runs.perform(LabForm(request.POST, request.FILES).chosen_text())
    selection = parse_selection(request.POST)
    if request.htmx:
        response = render(request, "lab/answer.html", result_context(done, selection))
        return push_url(response, reverse("lab:walk", args=[done.digest]))
    context = lab_context(text=done.text, run=done, selection=selection)
    context["page_url"] = reverse("lab:walk", args=[done.digest])
    return render(request, "lab/lab.html", context)


@require_GET
def walk(request: HtmxHttpRequest, digest: str) -> HttpResponse:
    """A run that was made, at the cycle, extension point and cell that the query names."""
    done = runs.find(digest)
    if done is None:
        return _forgotten(request)
    selection = parse_selection(request.GET)
    if request.htmx:
        embed = request.GET.get("embed") == "1"
        context = result_context(done, selection, embed=embed)
        response = render(request, "lab/embed.html" if embed else "lab/answer.html", context)
        return response if embed else push_url(response, request.get_full_path())
    return render(request, "lab/lab.html", lab_context(text=done.text, run=done, selection=selection))


def _forgotten(request: HtmxHttpRequest) -> HttpResponse:
    notice = _("This run is not kept any more. Put its text into the editor and run it again; a shared link stays.")
    if request.htmx:
        return render(request, "lab/notice.html", {"notice": notice})
    return render(request, "lab/lab.html", lab_context(text="", notice=notice), status=404)


@require_POST
def share_text(request: HtmxHttpRequest) -> HttpResponse:
    """Keep the text of a run under its hash and show its link."""
    text = runs.text_of(request.POST.get("digest", "")[:64])
    if text is None:
        return _forgotten(request)
    address = reverse("lab:shared", args=[share.save(text)])
    if request.htmx:
        return render(request, "lab/shared.html", {"address": request.build_absolute_uri(address)})
    return HttpResponseRedirect(address)


@require_GET
def shared(request: HtmxHttpRequest, digest: str) -> HttpResponse:
    """A shared text with its run; walking through it stays on this address's run."""
    if share.load(digest) is None:
        raise Http404
    return walk(request, digest)


@require_GET
def download(request: HttpRequest, digest: str, kind: str) -> HttpResponse:
    """The input (yaml), the record (json) or a readable trace (markdown) as a file."""
    done = runs.find(digest)
    if done is None:
        raise Http404
    files: dict[str, tuple[str, Any]] = {
        "yaml": ("application/yaml", lambda: done.text),
        "json": ("application/json", lambda: runs.record_json(done)),
        "markdown": ("text/markdown; charset=utf-8", lambda: markdown(done.outcome, done.text)),
    }
    if kind not in files or (kind != "yaml" and done.outcome.record is None):
        raise Http404
    content_type, body = files[kind]
    suffix = {"markdown": "md"}.get(kind, kind)
    return HttpResponse(
        body(),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="scheduler-lab-{digest[:8]}.{suffix}"'},
    )


@require_GET
def examples(request: HttpRequest) -> HttpResponse:
    """Every shipped scenario, by topic."""
    return render(request, "lab/examples.html", {"section": "lab", "topics": shipped.by_topic()})
