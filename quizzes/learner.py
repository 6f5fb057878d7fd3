"""Who is answering: a random number in the session, so that nobody needs an account."""

from uuid import UUID, uuid4

from django.http import HttpRequest

SESSION_KEY = "learner"


def known_learner(request: HttpRequest) -> UUID | None:
    """Return the learner's number if there is one already; looking at pages makes none."""
    text = request.session.get(SESSION_KEY)
    return UUID(text) if text else None


def learner(request: HttpRequest) -> UUID:
    """Return the learner's number, kept in the session from now on."""
    found = known_learner(request)
    if found is None:
        found = uuid4()
        request.session[SESSION_KEY] = str(found)
    return found
