"""Recorded runs to read, and a cache of its own for each test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.utils import translation

DATA = Path(__file__).resolve().parent.parent / "data"


@pytest.fixture
def recorded() -> Callable[[str], dict[str, Any]]:
    """The record of kube-scheduler v1.35.4 for a scenario of tests/data, e.g. `cases/76-toleration…`."""

    def load(name: str) -> dict[str, Any]:
        record: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        return record

    return load


@pytest.fixture(autouse=True)
def _english() -> None:
    translation.activate("en")


@pytest.fixture(autouse=True)
def _empty_cache(settings: Any) -> Iterator[None]:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "lab-tests"}}
    caches["default"].clear()
    yield
    caches["default"].clear()
