"""The endpoint: POST /extender/<name>/filter, prioritize, preemption or bind, JSON in and out, in no language."""

from __future__ import annotations

from typing import Any

import msgspec
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt

from scheduler_lab.engine.custom.extender_rules import ROLES, Role
from scheduler_lab.engine.custom.extender_server import NotTheWireFormat, respond
from scheduler_lab.extender import bounds, publishing

EMPTY = (204, 205, 304)
"""Statuses that have no body."""


@csrf_exempt
def call(request: HttpRequest, name: str, verb: str) -> HttpResponse:
    """Answer a scheduler's call by the published rules. Every answer but an empty one is JSON.

    Errors of the call itself: 400 for a body that is not the wire format, 404, 405, 413, 429 and 503.
    """
    role: Role | None = next((each for each in ROLES if each == verb), None)
    if role is None:
        return _error(404, f"an extender has the verbs {', '.join(ROLES)}; there is no {verb[:63]!r}")
    if request.method != "POST":
        return _error(405, "a scheduler calls an extender with POST", Allow="POST")
    if not bounds.rate.allows(request.META.get("REMOTE_ADDR", "")):
        return _error(429, "too many calls in one second", **{"Retry-After": "1"})
    script = publishing.find(name)
    if script is None:
        return _error(404, f"no extender is published as {name[:100]!r}")
    try:
        body = request.body
    except RequestDataTooBig:
        return _error(413, "the body is too large; with nodeCacheCapable a scheduler sends names instead of nodes")
    except UnreadablePostError:
        return _error(400, "the body ended too early")
    with bounds.turn() as taken:
        if not taken:
            return _error(503, "too many calls at a time", **{"Retry-After": "1"})
        try:
            reply = respond(script, role, body)
        except NotTheWireFormat as problem:
            return _error(400, f"this is not what kube-scheduler sends to {role}: {problem}")
        return _json(reply.status, reply.body)


@csrf_exempt
def nothing(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Any other address below /extender/: a caller that expects JSON gets JSON."""
    return _error(404, "the addresses are /extender/<name>/<verb>")


def _error(status: int, text: str, **headers: str) -> HttpResponse:
    return _json(status, {"error": text}, **headers)


def _json(status: int, body: Any, **headers: str) -> HttpResponse:
    data = b"" if status in EMPTY else msgspec.json.encode(body) + b"\n"
    headers |= {"Cache-Control": "no-store"}
    return HttpResponse(data, status=status, content_type="application/json", headers=headers)
