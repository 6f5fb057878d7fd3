"""Texts used as Go format strings, as Go 1.25 prints them."""

from __future__ import annotations

import pytest

from scheduler_lab.engine.go.format import formatted


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("plain", "plain"),
        ("%d of %s", "%!d(MISSING) of %!s(MISSING)"),
        ("100%% sure", "100% sure"),
        ("90% of it", "90%!o(MISSING)f it"),
        ("90%", "90%!(NOVERB)"),
        ("%5.2f", "%!f(MISSING)"),
        ("%+-# 0d", "%!d(MISSING)"),
        ("%한", "%!한(MISSING)"),
        ("%*d", "%!(BADWIDTH)%!d(MISSING)"),
        ("%.*d", "%!(BADPREC)%!d(MISSING)"),
        ("%.", "%!.(MISSING)"),
        ("%[1]d", "%!d(BADINDEX)"),
        ("%[", "%!(NOVERB)"),
        ("%[x5", "%!x(BADINDEX)5"),
        ("%55[-&", "%!-(BADINDEX)&"),
        ("%9999999d", "%!d(MISSING)"),
        ("%99999999d", "%!(NOVERB)"),
        ("%!", "%!!(MISSING)"),
    ],
)
def test_formatted(text: str, printed: str) -> None:
    assert formatted(text) == printed
