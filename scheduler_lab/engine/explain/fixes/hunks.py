"""The lines in which two texts differ."""

from __future__ import annotations

from difflib import SequenceMatcher

from scheduler_lab.engine.explain.fixes.model import Hunk

CONTEXT = 2


def hunks(before: str, after: str) -> list[Hunk]:
    """The differing lines of two texts, in order."""
    old, new = before.split("\n"), after.split("\n")
    top = 0
    while top < min(len(old), len(new)) and old[top] == new[top]:
        top += 1
    bottom = 0
    while bottom < min(len(old), len(new)) - top and old[-1 - bottom] == new[-1 - bottom]:
        bottom += 1
    matcher = SequenceMatcher(None, old[top : len(old) - bottom], new[top : len(new) - bottom])
    return [
        Hunk(
            line=top + i1 + 1,
            new_line=top + j1 + 1,
            before=old[top + i1 : top + i2],
            after=new[top + j1 : top + j2],
            above=old[max(0, top + i1 - CONTEXT) : top + i1],
            below=old[top + i2 : top + i2 + CONTEXT],
        )
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def size(diff: list[Hunk]) -> int:
    """How many lines change."""
    return sum(max(len(hunk.before), len(hunk.after)) for hunk in diff)
