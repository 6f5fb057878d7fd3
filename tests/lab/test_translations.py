"""Every text of the lab, and every text that the engine marks, has its Korean."""

from __future__ import annotations

import io
import re
from pathlib import Path

from babel.messages.extract import extract
from babel.messages.pofile import read_po

from scheduler_lab.engine.manifests import messages
from tests.i18n.extract import files_of, texts_of

ROOT = Path(__file__).resolve().parents[2]
PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|%%")


def catalog() -> dict[tuple[str, ...], str]:
    """Korean by (text,) or (singular, plural)."""
    with (ROOT / "scheduler_lab/locale/ko/LC_MESSAGES/django.po").open("rb") as file:
        return {
            message.id if isinstance(message.id, tuple) else (str(message.id),): message.string[0]
            if isinstance(message.string, tuple)
            else str(message.string)
            for message in read_po(file, locale="ko")
        }


def korean() -> dict[str, str]:
    return {forms[0]: target for forms, target in catalog().items()}


def engine_texts() -> set[str]:
    found = {value for name, value in vars(messages).items() if name.isupper()}
    for path in (ROOT / "scheduler_lab/engine").rglob("*.py"):
        for _line, message, _comments, _context in extract("python", io.BytesIO(path.read_bytes()), {"N_": None}):
            found.add(message if isinstance(message, str) else message[0])
    return found


def test_the_pages_speak_korean() -> None:
    texts = korean()
    missing = {
        text for path in files_of("scheduler_lab") for _context, text, _line in texts_of(path) if not texts.get(text)
    }
    assert not missing


def test_what_the_engine_says_is_korean_too() -> None:
    texts = korean()
    assert not {text for text in engine_texts() if not texts.get(text)}


def test_translations_keep_their_parameters() -> None:
    for forms, target in catalog().items():
        if forms[0]:
            assert set(PLACEHOLDER.findall(target)) <= set(PLACEHOLDER.findall(" ".join(forms))), forms
            assert target.count("%%") == forms[0].count("%%"), forms
