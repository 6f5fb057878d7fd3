"""The lab as a learner sees it: from the click on Run to the painted result, in a browser, beside the home page."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from tests.browser.install import browser_path

ROUNDS = 5
PODS = 10
SIZES = (10, 100, 5000)

HOME = """() => new Promise(done => new PerformanceObserver(list => list.getEntries().forEach(
  entry => entry.name === 'first-contentful-paint' && done(entry.startTime)
)).observe({type: 'paint', buffered: true}))"""
RUN = """async text => {
  document.querySelector('.django-ace-widget').editor.setValue(text, -1);
  await new Promise(done => setTimeout(done, 300));
  const began = performance.now();
  document.querySelector('button.run').click();
  while (!document.querySelector('#result .rail') || document.querySelector('.running, #result[aria-busy]'))
    await new Promise(done => setTimeout(done, 4));
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - began;
}"""


def measure() -> tuple[float, dict[int, float]]:
    """(milliseconds to the home page's first paint, {nodes: milliseconds from click to painted result}), medians."""
    with _site() as address, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=browser_path(), args=arguments)
        page = browser.new_context(reduced_motion="reduce").new_page()
        page.set_default_timeout(120_000)
        home = median([_home(page, address) for _ in range(ROUNDS + 2)][2:])
        runs = {size: median([_run(page, address, size) for _ in range(ROUNDS + 1)][1:]) for size in SIZES}
        browser.close()
    return home, runs


def cluster(nodes: int) -> str:
    """Nodes of five sizes in three zones, and ten pods that fit all of them."""
    made = [
        f"apiVersion: v1\nkind: Node\nmetadata: {{name: node-{n}, labels: {{topology.kubernetes.io/zone: z{n % 3}}}}}\n"
        f"status: {{allocatable: {{cpu: {4 + n % 5}, memory: 16Gi, pods: 110}}}}\n"
        for n in range(nodes)
    ]
    made += [
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: pod-{n}}}\nspec: {{containers: "
        "[{name: app, image: example/app:1, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}\n"
        for n in range(PODS)
    ]
    return "---\n".join(made)


def _home(page: Page, address: str) -> float:
    page.goto(f"{address}/en/")
    return float(page.evaluate(HOME))


def _run(page: Page, address: str, nodes: int) -> float:
    page.goto(f"{address}/en/lab/")
    page.wait_for_function("document.querySelector('.django-ace-widget')?.editor")
    # A text of its own each time: a run that is known already comes from the cache.
    return float(page.evaluate(RUN, f"# {time.time_ns()}\n{cluster(nodes)}"))


@contextmanager
def _site() -> Iterator[str]:
    """The site as `make run` serves it, with a database of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "DATABASE_URL": f"sqlite:///{Path(folder) / 'db.sqlite3'}"}
        for command in (["migrate", "--verbosity", "0"], ["loadsets", "--verbosity", "0"]):
            subprocess.run([sys.executable, "manage.py", *command], env=env, check=True, stdout=subprocess.DEVNULL)
        server = [sys.executable, "-m", "config.serve", "run", "127.0.0.1", port]
        with subprocess.Popen(server, env=env, stdout=subprocess.DEVNULL) as process:
            address = f"http://127.0.0.1:{port}"
            try:
                _wait(f"{address}/en/")
                yield address
            finally:
                process.terminate()


def _wait(address: str, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(address, timeout=10).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
