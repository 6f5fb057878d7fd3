"""The help: an index and a page for each plugin and extension point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from scheduler_lab.help import pages
from scheduler_lab.help.relations import POINTS, Standing, is_in_tree, plugins_at, standing

CONTEXT = {"section": "help"}


@dataclass(frozen=True)
class Entry:
    """A plugin in a list."""

    page: pages.Page
    standing: Standing


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every page: the points in the order of a cycle, the plugins in upstream's."""
    plugins = [Entry(page, standing(page.name)) for page in pages.find_all("plugin")]
    context = {
        **CONTEXT,
        "points": [page for page in pages.find_all("point") if page.name in POINTS],
        "others": [page for page in pages.find_all("point") if page.name not in POINTS],
        "plugins": [entry for entry in plugins if is_in_tree(entry.page.name)],
        "documents": pages.find_all("document"),
        "more": [entry for entry in plugins if not is_in_tree(entry.page.name)],
    }
    return render(request, "help/index.html", context)


@require_safe
def plugin(request: HttpRequest, name: str) -> HttpResponse:
    """A plugin's page, with the extension points it serves."""
    place = standing(name) if pages.find("plugin", name) else None
    points = [page for point in (place.points if place else ()) if (page := pages.find("point", point))]
    return _page(request, "plugin", name, {"standing": place, "points": points, "in_tree": is_in_tree(name)})


@require_safe
def point(request: HttpRequest, name: str) -> HttpResponse:
    """An extension point's page, with the plugins that serve it."""
    served = [Entry(page, standing(plugin)) for plugin in plugins_at(name) if (page := pages.find("plugin", plugin))]
    return _page(request, "point", name, {"served": served, "is_point": name in POINTS})


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """The page of a document that a lab text may hold."""
    return _page(request, "document", name, {})


def _page(request: HttpRequest, kind: pages.Kind, name: str, more: dict[str, Any]) -> HttpResponse:
    page = pages.find(kind, name)
    if page is None:
        raise Http404
    every = pages.find_all(kind)
    at = every.index(page)
    context = {
        **CONTEXT,
        "section_state": "true",
        "page": page,
        "previous": every[at - 1] if at else None,
        "next": every[at + 1] if at + 1 < len(every) else None,
        **more,
    }
    return render(request, "help/page.html", context)
