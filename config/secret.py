"""The secret key: from the environment when deployed, from a private file on a developer's machine."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]", "testserver"})


def is_local(hosts: list[str]) -> bool:
    """True when the site answers only to names of this machine."""
    return set(hosts) <= LOCAL_HOSTS


def local_secret_key(path: Path, hosts: list[str]) -> str:
    """Return the key kept in `path`, making it (mode 0600) the first time.

    Raises ImproperlyConfigured when the site answers to other names than this machine's: a deployed site gets
    SECRET_KEY from its environment.
    """
    if not is_local(hosts):
        raise ImproperlyConfigured("Set SECRET_KEY in the environment: ALLOWED_HOSTS names a host that is not local.")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Two processes may start at once: whoever creates the file writes it, the other reads it.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(descriptor, "w") as file:
            file.write(get_random_secret_key())
    key = path.read_text().strip()
    if not key:
        raise ImproperlyConfigured(f"{path} is empty: delete it and start again.")
    return key
