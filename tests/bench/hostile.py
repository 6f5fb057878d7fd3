"""Texts of five megabytes that mean harm: how long each takes to be refused."""

from __future__ import annotations

import time
from collections.abc import Iterator

from scheduler_lab.engine.manifests import load
from scheduler_lab.simulation import LARGE_TEXTS

BYTES = 5_000_000


def _filled(part: str, head: str = "") -> str:
    return head + part * ((BYTES - len(head)) // len(part))


def texts() -> Iterator[tuple[str, str]]:
    """(name, text) of each."""
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nkind: Node\nspec: {}\n---\n"
    yield "documents with a key twice", _filled(node)
    yield "documents of an unknown kind", _filled("kind: A\n---\n")
    yield "document marks alone", _filled("---\n")
    yield "opening braces", _filled("{")
    yield "JSON objects in a row", _filled('{"kind":"Pod"}')
    yield "a JSON key again and again", _filled('"a":1,', "{")
    yield "a list of dashes", _filled("- ")
    yield "one long line", _filled("a")
    yield "keys of one map", "".join(f"k{n}: v\n" for n in range(450_000))
    yield "tag directives", _filled("%TAG ! tag:example.com,2000:\n")
    yield "anchors", "".join(f"- &a{n} x\n" for n in range(350_000))
    yield (
        "items with an unknown field",
        _filled("- {apiVersion: v1, kind: Pod, spc: {}}\n", "apiVersion: v1\nkind: List\nitems:\n"),
    )


def measure() -> list[tuple[str, float]]:
    """[(name, seconds of CPU until its problems are known)], the slowest first."""
    taken = []
    for name, text in texts():
        began = time.process_time()
        assert load(text, limits=LARGE_TEXTS).has_errors, name
        taken.append((name, time.process_time() - began))
    return sorted(taken, key=lambda one: -one[1])
