"""Go's unstable sort, permutation by permutation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_lab.engine.go.sort import sort_slice

KEYS: dict[str, Callable[[int], list[int]]] = {
    "ties": lambda n: [i * i * 7 % 3 for i in range(n)],
    "scrambled": lambda n: [i * i * 7919 % 1000 for i in range(n)],
    "organ pipe": lambda n: [min(i, n - i) for i in range(n)],
    "descending": lambda n: [n - i for i in range(n)],
}


def permutation(keys: list[int], less: Callable[[int, int], bool]) -> list[int]:
    return sort_slice(range(len(keys)), lambda i, j: less(keys[i], keys[j]))


def strictly(a: int, b: int) -> bool:
    return a < b


def ties_both_ways(a: int, b: int) -> bool:
    """As with two pods that have no start time: each comes before the other."""
    return a <= b


def test_short_permutation() -> None:
    """16 elements of three values, as Go 1.25 sorts them."""
    keys = KEYS["ties"](16)
    assert permutation(keys, strictly) == [6, 15, 12, 3, 0, 9, 4, 7, 8, 5, 10, 11, 2, 13, 14, 1]
    assert permutation(keys, ties_both_ways) == [6, 3, 9, 12, 15, 0, 14, 13, 1, 11, 10, 2, 4, 7, 5, 8]


# Digests of what a Go 1.25 program with the same keys printed. "ties" of 51 and more with ties both ways, and
# "scrambled" of 900, go through broken patterns and heapsort.
@pytest.mark.parametrize(
    ("kind", "length", "plain", "both"),
    [
        ("ties", 12, "bcb4cd0f71af", "f0825545c001"),
        ("ties", 13, "6486e6ed682f", "0e20a80f0c1e"),
        ("ties", 24, "cbb21c7c92ee", "9954da0165d2"),
        ("ties", 51, "aa3d838e6fc4", "f5c477bfc639"),
        ("ties", 200, "d3163af2483e", "2873ebfa910f"),
        ("ties", 900, "c640b2ae1a93", "4c8ef195246e"),
        ("scrambled", 13, "6ae8e122e72b", "6ae8e122e72b"),
        ("scrambled", 51, "6ca6d6c63714", "177aa10e72c7"),
        ("scrambled", 200, "0c8814f83f80", "337995dcac62"),
        ("scrambled", 900, "24146e93d3a1", "272565baaf63"),
        ("organ pipe", 13, "f0e9b9d55e24", "c15d846e741b"),
        ("organ pipe", 200, "fcc4edc76dd4", "02f7131ed7bb"),
        ("descending", 51, "c9011a35c9b8", "c9011a35c9b8"),
        ("descending", 900, "eab7f293de20", "eab7f293de20"),
    ],
)
def test_same_as_go(kind: str, length: int, plain: str, both: str) -> None:
    keys = KEYS[kind](length)
    for less, expected in ((strictly, plain), (ties_both_ways, both)):
        found = permutation(keys, less)
        assert hashlib.sha256(json.dumps(found).encode()).hexdigest()[:12] == expected


@given(st.lists(st.integers(0, 40), max_size=300))
def test_sorted_complete_and_repeatable(keys: list[int]) -> None:
    found = permutation(keys, strictly)
    assert [keys[i] for i in found] == sorted(keys)
    assert sorted(found) == list(range(len(keys)))
    assert found == permutation(keys, strictly)


@given(st.lists(st.integers(0, 5), max_size=120))
def test_inconsistent_comparison_loses_nothing(keys: list[int]) -> None:
    found = permutation(keys, lambda a, b: (a * 7 + b * 13) % 3 == 0)
    assert sorted(found) == list(range(len(keys)))
