import pytest
from django.conf import settings


@pytest.fixture(autouse=True, scope="session")
def quick_passwords() -> None:
    """Logging in a test user should not cost a third of a second."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
