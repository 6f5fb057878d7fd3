"""The page of the starter, and its downloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from scheduler_lab.help import pages
from scheduler_lab.starter.archive import archive, files
from scheduler_lab.starter.forms import NewPluginForm
from scheduler_lab.starter.lab_text import lab_text
from scheduler_lab.starter.wanted import EVENTS, POINTS, Wanted

_PROPOSED = {"name": "MyPlugin", "points": ["filter", "score"], "takes_args": True}


@dataclass(frozen=True)
class Choice:
    """An extension point in the form."""

    value: str
    name: str
    said: str
    chosen: bool


@require_safe
def new_plugin(request: HttpRequest) -> HttpResponse:
    """The form; with a query also what it asks for."""
    asked = "name" in request.GET
    form = NewPluginForm(request.GET) if asked else NewPluginForm(initial=_PROPOSED)
    plugin = form.plugin() if asked and form.is_valid() else None
    context: dict[str, Any] = {
        "section": "systems",
        "section_state": "true",
        "form": form,
        "choices": _choices(request.GET.getlist("points") if asked else ["filter", "score"]),
        "takes_args": bool(form["takes_args"].value()),
        "remembers": bool(form["remembers"].value()),
        "plugin": plugin,
        "query": request.GET.urlencode(),
    }
    if plugin is not None:
        context |= {"lab": lab_text(plugin), "files": _shown(plugin), "added": _added(plugin, request)}
    return render(request, "systems/new_plugin.html", context)


@require_safe
def download(request: HttpRequest) -> HttpResponse:
    """The Go module as a zip, or with kind=lab the text for the lab."""
    form = NewPluginForm(request.GET)
    if not form.is_valid():
        return HttpResponseBadRequest(_("There is no such plugin to make."))
    plugin = form.plugin()
    if request.GET.get("kind") == "lab":
        name, kind, body = f"{plugin.package}.yaml", "application/yaml; charset=utf-8", lab_text(plugin).encode()
    else:
        name, kind, body = f"{plugin.package}-scheduler.zip", "application/zip", archive(plugin)
    return HttpResponse(body, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _shown(plugin: Wanted) -> list[tuple[str, str, str]]:
    """(path, code, language) of the Go module's files that are worth reading here."""
    shown = [f"{plugin.package}/plugin.go", "main.go", "config.yaml"]
    made = files(plugin)
    return [(path, made[path], "go" if path.endswith(".go") else "yaml") for path in shown]


def _added(plugin: Wanted, request: HttpRequest) -> list[str]:
    """The points that come with the chosen ones."""
    chosen = request.GET.getlist("points")
    return [point for point in plugin.points if point not in chosen]


def _choices(chosen: list[str]) -> list[Choice]:
    return [Choice(point, *_said(point), point in chosen) for point in (*POINTS, EVENTS)]


def _said(point: str) -> tuple[str, str]:
    """(upstream's name, what happens there)."""
    if point == EVENTS:
        return "EventsToRegister", _("Which events wake the pods that the plugin rejected")
    if point == "unreserve":
        return "Unreserve", _("Undoes Reserve when a later step fails")
    name = point[0].upper() + point[1:]
    page = pages.find("point", name)
    return name, str(page.content.title) if page else ""
