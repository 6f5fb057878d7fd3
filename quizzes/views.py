"""The learner's pages. htmx asks for the part that changes, everyone else gets the whole page."""

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from quizzes import answering
from quizzes.learner import known_learner, learner
from quizzes.models import Choice, Question, QuestionSet
from quizzes.progress import progress_of, where_they_left
from quizzes.question_page import QuestionPage
from quizzes.running import run_prediction
from scheduler_lab.examples import all_examples, one_a_topic


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


SHOWN_EXAMPLES = 6

never_shared = cache_control(private=True, no_cache=True)


@require_safe
@never_shared
def home(request: HttpRequest) -> HttpResponse:
    who = known_learner(request)
    everything = progress_of(QuestionSet.objects.filter(published=True), who)
    context = {
        "section": "home",
        "all_progress": everything,
        "resume": where_they_left(everything, who),
        "answered": sum(progress.answered for progress in everything),
        "total": sum(progress.total for progress in everything),
        "examples": one_a_topic(SHOWN_EXAMPLES),
        "example_count": len(all_examples()),
    }
    return render(request, "quizzes/home.html", context)


@require_safe
@never_shared
def sets(request: HttpRequest) -> HttpResponse:
    everything = progress_of(QuestionSet.objects.filter(published=True), known_learner(request))
    context = {"section": "questions", "section_state": "page", "all_progress": everything}
    return render(request, "quizzes/sets.html", context)


@require_safe
@never_shared
def question_set(request: HttpRequest, set_name: str) -> HttpResponse:
    found = get_object_or_404(QuestionSet, name=set_name, published=True)
    (progress,) = progress_of([found], known_learner(request))
    return render(request, "quizzes/set.html", {"section": "questions", "set": found, "progress": progress})


@require_safe
@never_shared
def question(request: HtmxHttpRequest, set_name: str, name: str) -> HttpResponse:
    page = _page(request, _find(set_name, name))
    page.came_for_lab = "lab" in request.GET
    page.kept = "kept" in request.GET
    return _show(request, page)


@require_POST
def answer(request: HtmxHttpRequest, set_name: str, name: str) -> HttpResponse:
    found = _find(set_name, name)
    chosen = request.POST.getlist("choice")
    taken = answering.take(found, learner(request), chosen)
    page = _page(request, found)
    if taken is None:
        page.chosen = chosen
        known = {choice.name for choice in found.choices.all()}
        page.error = (
            _("Choose an answer first.")
            if known.issuperset(chosen)
            else _("The options have changed since this page was opened. Choose again.")
        )
        return _show(request, page)
    page.kept = set(taken.chosen) != set(chosen)
    if request.htmx:
        return _show(request, page)
    return redirect(f"{found.get_absolute_url()}{'?kept' if page.kept else ''}#verdict")


@require_POST
def retry(request: HtmxHttpRequest, set_name: str, name: str) -> HttpResponse:
    found = _find(set_name, name)
    answering.withdraw(found, learner(request))
    return _show(request, _page(request, found)) if request.htmx else redirect(found)


@require_POST
def predict(request: HtmxHttpRequest, set_name: str, name: str) -> HttpResponse:
    found = _find(set_name, name)
    page = _page(request, found)
    if page.answer is None or page.lab is None:
        # The session ended, or another tab opened the question again: the whole page is another now.
        address = f"{found.get_absolute_url()}?lab"
        return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
    picked = request.POST.get("prediction", "")
    if picked not in page.lab.predict_choices:
        page.run_error = _("Say first what you expect.")
    else:
        page.predicted = picked
        page.run_error = run_prediction(page.lab, page.answer, picked)
    if request.htmx:
        return render(request, "quizzes/partials/see.html", {"page": page})
    return _show(request, page) if page.run_error else redirect(f"{found.get_absolute_url()}#see")


@require_safe
@never_shared
def result(request: HttpRequest, set_name: str) -> HttpResponse:
    found = get_object_or_404(QuestionSet, name=set_name, published=True)
    who = known_learner(request)
    (progress,) = progress_of([found], who)
    predictions = answering.predictions_in(found, who)
    context = {
        "section": "questions",
        "set": found,
        "progress": progress,
        "predicted": len(predictions),
        "predicted_right": sum(predictions),
    }
    return render(request, "quizzes/result.html", context)


@require_POST
def restart(request: HttpRequest, set_name: str) -> HttpResponse:
    found = get_object_or_404(QuestionSet, name=set_name, published=True)
    answering.withdraw_all(found, learner(request))
    return redirect(found)


def _find(set_name: str, name: str) -> Question:
    questions = Question.objects.select_related("question_set", "lab").prefetch_related(
        Prefetch("choices", Choice.objects.all()), "misconceptions", "links", "claims"
    )
    return get_object_or_404(questions, question_set__name=set_name, question_set__published=True, name=name)


def _page(request: HttpRequest, found: Question) -> QuestionPage:
    who = known_learner(request)
    (progress,) = progress_of([found.question_set], who)
    return QuestionPage(found, progress, answering.current_answer(found, who))


def _show(request: HtmxHttpRequest, page: QuestionPage) -> HttpResponse:
    template = "quizzes/partials/question.html" if request.htmx else "quizzes/question.html"
    context = {"section": "questions", "page": page, "page_url": page.question.get_absolute_url()}
    return render(request, template, context)
