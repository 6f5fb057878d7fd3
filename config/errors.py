"""The error pages: a sentence that says what to do, in the language of the page asked for."""

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
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
            _(
                "A form may send up to %(limit)s MB of text, so nothing was run or saved. Your browser's Back button "
                "brings back what you wrote: make it shorter, or save it as a file and open that in the lab."
            )
            % {"limit": settings.DATA_UPLOAD_MAX_MEMORY_SIZE >> 20},
        )
    if isinstance(exception, TooManyFieldsSent | TooManyFilesSent):
        return _page(
            request,
            400,
            _("This form has too many fields"),
            _(
                "A form may send up to %(fields)s fields and %(files)s files, so nothing was run or saved. Your "
                "browser's Back button brings back what you wrote: send it in parts."
            )
            % {"fields": settings.DATA_UPLOAD_MAX_NUMBER_FIELDS, "files": settings.DATA_UPLOAD_MAX_NUMBER_FILES},
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
