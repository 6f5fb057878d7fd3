"""The lab as a learner feels it: the server's time for a run of ten nodes and ten pods, and for the home page."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from statistics import median

from django.core.management import call_command
from django.test import Client
from django.test.utils import setup_databases, setup_test_environment, teardown_databases, teardown_test_environment
from django.urls import reverse

from tests.bench.engine import DATA

ROUNDS = 25


@dataclass(frozen=True)
class PageTimes:
    """Medians in seconds: the home page, a run that nobody has made yet, and the same run looked at again."""

    home: float
    run: float
    again: float


def measure(rounds: int = ROUNDS) -> PageTimes:
    """Serve both pages whole, in turn, each run with a text of its own so that none comes from the cache."""
    setup_test_environment()
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        call_command("loadsets", verbosity=0, stdout=StringIO())
        return _measure(Client(), rounds)
    finally:
        teardown_databases(databases, verbosity=0)
        teardown_test_environment()


def _measure(client: Client, rounds: int) -> PageTimes:
    text = gzip.decompress((DATA / "10x10.yaml.gz").read_bytes()).decode()
    moment = time.time_ns()
    home, lab = reverse("quizzes:home"), reverse("lab:run")
    times: dict[str, list[float]] = {"home": [], "run": [], "again": []}
    for number in range(-2, rounds):
        body = {"text": f"# {moment} {number}\n{text}"}
        taken = {
            "home": _seconds(lambda: client.get(home)),
            "run": _seconds(lambda body=body: client.post(lab, body)),  # type: ignore[misc]
            "again": _seconds(lambda body=body: client.post(lab, body)),  # type: ignore[misc]
        }
        for name, seconds in taken.items():
            # The first two rounds warm up templates, translations and the worker.
            if number >= 0:
                times[name].append(seconds)
    return PageTimes(**{name: median(each) for name, each in times.items()})


def _seconds(request: Callable[[], object]) -> float:
    start = time.perf_counter()
    response = request()
    taken = time.perf_counter() - start
    assert getattr(response, "status_code", 0) == 200
    return taken
