"""The error pages: a sentence that says what to do, in the language of the page asked for."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def _page(request: HttpRequest, status: int, title: str, sentence: str) -> HttpResponse:
    return render(request, "error.html", {"status": status, "title": title, "sentence": sentence}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return _page(
            request,
            413,
            _("This is too much text"),
            _("A form may send at most 16 MB. Go back, make the text shorter and send it again."),
        )
    return _page(
        request,
        400,
        _("This request cannot be read"),
        _("Something in the address or the form is not as it should be. Go back and try again."),
    )


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(
        request,
        403,
        _("This page is not open to you"),
        _("Sign in with an account that may see it, or go back to the home page."),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _page(
        request,
        403,
        _("This form has expired"),
        _("The page was open for a long time, or cookies are blocked. Go back, reload it and send the form again."),
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(
        request,
        404,
        _("There is no such page"),
        _("The address may be mistyped, or what it named was taken away."),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    return _page(
        request,
        500,
        _("Something went wrong here"),
        _("The fault is ours and was written to the log. Go back and try again."),
    )
