"""Kept runs belong to the engine that made them."""

from __future__ import annotations

import pytest

from scheduler_lab import runs

TEXT = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: web}]}\n"


def test_another_edition_of_the_engine_runs_the_text_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real = runs.run_text

    def counted(text: str, *args: object, **more: object) -> object:
        calls.append(text)
        return real(text, *args, **more)

    monkeypatch.setattr(runs, "run_text", counted)
    monkeypatch.setattr(runs, "edition", lambda: "first")
    runs.perform(TEXT)
    runs.perform(TEXT)
    monkeypatch.setattr(runs, "edition", lambda: "second")
    runs.perform(TEXT)
    assert len(calls) == 2
