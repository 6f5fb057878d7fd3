"""Serves the site on this machine: `make run`. Each reason not to start is one sentence."""

import errno
import os
import socket
import sys

from waitress import serve

THREADS = 8


def refusal(host: str, port: str) -> str:
    """Return why nothing can be served at `host`:`port`, or ""."""
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        return f"PORT is “{port}”; it must be a number from 1 to 65535, as in: PORT=8001 make run"
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
    except OSError:
        return f"HOST is “{host}”, which is no address of this machine; leave it out, or try: HOST=0.0.0.0 make run"
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            return _why(error.errno, host, int(port))
    return ""


def _why(code: int | None, host: str, port: int) -> str:
    if code == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else 8001
        return f"Port {port} is in use by another program. Stop it, or take another port: PORT={other} make run"
    if code == errno.EACCES:
        return f"Port {port} may be opened by an administrator only. Take another port: PORT=8001 make run"
    if code == errno.EADDRNOTAVAIL:
        return f"HOST is “{host}”, which is no address of this machine; leave it out, or try: HOST=0.0.0.0 make run"
    return f"Port {port} of {host} cannot be opened: {os.strerror(code or 0)}."


def main() -> None:
    """`python -m config.serve check|run HOST PORT`: exits with 1 and a sentence when that cannot be served."""
    task, host, port = sys.argv[1:]
    host = host.strip("[]")
    if why := refusal(host, port):
        sys.exit(why)
    if task == "run":
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        from config.wsgi import application

        print(f"Scheduler Lab: http://{f'[{host}]' if ':' in host else host}:{port}/  (Ctrl+C stops it)", flush=True)
        try:
            serve(application, host=host, port=int(port), threads=THREADS, _quiet=True)
        except OSError as error:
            sys.exit(_why(error.errno, host, int(port)))


if __name__ == "__main__":
    main()
