"""The systems: an index, and a page for each."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from scheduler_lab.systems import cost, measuring
from scheduler_lab.systems.sections import all_systems, find

CONTEXT = {"section": "systems"}


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All systems in the order of their questions."""
    return render(request, "systems/index.html", {**CONTEXT, "systems": all_systems()})


@require_http_methods(["GET", "HEAD", "POST"])
def section(request: HttpRequest, name: str) -> HttpResponse:
    """One system. A POST measures here and now what the page has measured before, where it has."""
    system = find(name)
    if system is None:
        raise Http404
    every = all_systems()
    at = every.index(system)
    asked = request.method == "POST" and system.content.measured
    live = measuring.measure_now() if asked else None
    context = {
        **CONTEXT,
        "section_state": "true",
        "system": system,
        "previous": every[at - 1] if at else None,
        "next": every[at + 1] if at + 1 < len(every) else None,
        "cost": cost.KEPT if system.content.measured else None,
        "live": live,
        "asked": asked,
    }
    return render(request, "systems/section.html", context)
