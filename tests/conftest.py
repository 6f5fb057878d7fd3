"""What holds for every test."""

from __future__ import annotations

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _no_language_left_over() -> None:
    """A request leaves its language active in the thread; the next test begins with the default one."""
    translation.deactivate()
