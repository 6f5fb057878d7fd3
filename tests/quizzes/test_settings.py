import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.secret import is_local, local_secret_key


def test_a_local_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret-key"
    key = local_secret_key(path, ["localhost"])
    assert len(key) >= 50
    assert local_secret_key(path, ["localhost"]) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_deployed_site_needs_a_key_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY"):
        local_secret_key(tmp_path / "secret-key", ["lab.example.com"])


def test_an_empty_key_file_is_no_key(tmp_path: Path) -> None:
    (tmp_path / "secret-key").touch()
    with pytest.raises(ImproperlyConfigured, match="empty"):
        local_secret_key(tmp_path / "secret-key", ["localhost"])


def test_local_means_this_machine_alone() -> None:
    assert is_local(["127.0.0.1", "localhost"])
    assert not is_local(["localhost", "lab.example.com"])
    assert not is_local(["*"])
