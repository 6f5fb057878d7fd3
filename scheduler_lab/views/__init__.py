"""The lab's pages: each view reads its request, calls one function, renders one template."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from quizzes.answering import closed_lab
from scheduler_lab import acting, runner, runs
from scheduler_lab import examples as shipped
from scheduler_lab.forms import LabForm
from scheduler_lab.pages import decided_by_line, evidence_is_slow, lab_context, result_context
from scheduler_lab.present.links import Selection, parse_selection
from scheduler_lab.scenarios import Scenario, of_example, of_question
from scheduler_lab.views.base import HtmxHttpRequest, answer, forgotten, perform, refused_file


@require_safe
def lab(request: HtmxHttpRequest) -> HttpResponse:
    """The editor: empty, or with an example's or a question's text in it; a question's only once it is answered."""
    runner.warm()
    scenario: Scenario | None = None
    if name := request.GET.get("example"):
        scenario = of_example(name)
    elif address := request.GET.get("question"):
        if closed := closed_lab(request, address):
            return HttpResponseRedirect(closed)
        scenario = of_question(address)
    context = lab_context(text=scenario.text if scenario else "", scenario=scenario)
    return render(request, "lab/loaded.html" if request.htmx else "lab/lab.html", context)


def run(request: HtmxHttpRequest) -> HttpResponse:
    """Run the posted text. Whatever the text is, the answer is 200 with the text kept in the editor."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("lab:lab"))
    form = LabForm(request.POST, request.FILES)
    text = form.chosen_text()
    if form.too_large:
        return refused_file(request, form.too_large, text)
    return answer(request, perform(request, text), parse_selection(request.POST), text=text)


def act(request: HtmxHttpRequest) -> HttpResponse:
    """Add what a button asks for to the posted text as a Timeline step, and run it again."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("lab:lab"))
    against = parse_selection(request.POST).against
    # A file that is too long for the editor is sent again as it was; what was run of it is longer by the steps so far.
    kept = runs.text_of(against) if request.FILES and against else None
    text = kept if kept is not None else LabForm(request.POST, request.FILES).chosen_text()
    step = acting.step_of(acting.wish_of(request.POST), text)
    if step is not None:
        text = acting.append_step(text, step)
    selection = Selection(against=against, step=step is not None)
    return answer(request, perform(request, text), selection, text=text, put_text=True)


@require_safe
def walk(request: HtmxHttpRequest, digest: str) -> HttpResponse:
    """A run that was made, at the cycle, extension point and cell that the query names."""
    done = runs.find(digest)
    if done is None:
        return forgotten(request)
    selection = parse_selection(request.GET)
    if request.htmx:
        embed = request.GET.get("embed") == "1"
        later = request.GET.get("wait") != "1" and evidence_is_slow(done, selection)
        context = result_context(done, selection, embed=embed, later=later) | {"walking": True}
        response = render(request, "lab/embed.html" if embed else "lab/answer.html", context)
        if embed or request.GET.get("wait") == "1":
            return response
        return push_url(response, request.get_full_path())
    return render(request, "lab/lab.html", lab_context(text=done.text, run=done, selection=selection))


@require_safe
def lines(request: HtmxHttpRequest, digest: str) -> HttpResponse:
    """Which verdicts of the run each line of its text decided; with `line`, those of that line alone."""
    done = runs.find(digest)
    if done is None:
        return forgotten(request)
    selection = parse_selection(request.GET)
    context = {"section": "lab", "run": done, "decided": decided_by_line(done, selection)}
    return render(request, "lab/_lines.html" if request.htmx else "lab/lines.html", context)


@require_safe
def examples(request: HtmxHttpRequest) -> HttpResponse:
    """The shipped scenarios by topic: all of them, or those that a search finds."""
    query = request.GET.get("q", "")[:100]
    topic = request.GET.get("topic", "")[:100]
    context = {"section": "lab", "query": query, "topic": topic, **shipped.search(query, topic)}
    return render(request, "lab/_examples.html" if request.htmx else "lab/examples.html", context)
