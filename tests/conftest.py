"""What holds for every test."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.utils import translation


@pytest.fixture(autouse=True, scope="session")
def quick_passwords() -> None:
    """Logging in a test user should not cost a third of a second."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def no_language_left_over() -> None:
    """A request leaves its language active in the thread; the next test begins with the default one."""
    translation.deactivate()
