"""`make run` says in one sentence why it cannot start."""

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from config.serve import refusal


@pytest.fixture
def busy_port() -> Iterator[str]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield str(taken.getsockname()[1])


def test_a_free_port_is_fine() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    assert refusal("127.0.0.1", port) == ""


@pytest.mark.parametrize("port", ["", "abc", "0", "70000", "-1", "80 81", "８０"])
def test_what_is_no_port_is_said(port: str) -> None:
    assert refusal("127.0.0.1", port).startswith(f"PORT is “{port}”; it must be a number")


def test_an_address_of_another_machine_is_said() -> None:
    assert "no address of this machine" in refusal("192.0.2.1", "8000")


@pytest.mark.parametrize("task", ["check", "run"])
def test_a_port_in_use_ends_in_one_sentence(busy_port: str, task: str) -> None:
    command = [sys.executable, "-m", "config.serve", task, "127.0.0.1", busy_port]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"Port {busy_port} is in use by another program.")
    assert f"PORT={int(busy_port) + 1} make run" in ended.stderr
    assert ended.stderr.count("\n") == 1
