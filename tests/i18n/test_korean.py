"""Korean reads as Korean: no particle in two spellings, none that a value can make wrong, one word for each thing."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tests.i18n.extract import CATALOGS, ROOT

SOURCES = ("templates", "static/js", "quizzes", "scheduler_lab", "config")
SUFFIXES = {".yaml", ".html", ".js", ".py"}

BOTH_SPELLINGS = re.compile(
    r"이\(가\)|가\(이\)|을\(를\)|를\(을\)|은\(는\)|는\(은\)|와\(과\)|과\(와\)|\(으\)로|\(이\)라"
)
# A value may end in a vowel or not, so one of these is wrong for some. Words that do not change (의, 에, 도) are right.
AFTER_A_VALUE = re.compile(r"%\(\w+\)[sd][”\"’']?(?:이|가|을|를|은|는|와|과|로|으로|라는|이라는)(?=[\s.,:;)]|$)")
# What is said differently elsewhere: one word for each thing.
OTHER_WORDS = {
    "확장 포인트": "확장 지점",
    "확장점": "확장 지점",
    "프로필": "프로파일",
    "안티어피니티": "안티-어피니티",
    "반어피니티": "안티-어피니티",
    "스토리지 클래스": "스토리지클래스",
    "디바이스": "장치",
    "스태틱 파드": "정적 파드",
    "애너테이션": "어노테이션",
    "십시오": "-세요",
    "대기열": "큐",
}


@cache
def korean_texts() -> list[tuple[str, str]]:
    """(where it stands, Korean text) of every translation, and of every line with Hangul in other files."""
    return [*translations(), *lines()]


def translations() -> Iterator[tuple[str, str]]:
    for app in CATALOGS:
        with (ROOT / app / "locale/ko/LC_MESSAGES/django.po").open("rb") as file:
            for message in read_po(file, locale="ko"):
                strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
                yield from ((f"{app}: {message.id}", str(text)) for text in strings)


def lines() -> Iterator[tuple[str, str]]:
    paths: set[Path] = {path for place in SOURCES for path in (ROOT / place).rglob("*") if path.suffix in SUFFIXES}
    for path in sorted(paths):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search("[가-힣]", line):
                yield f"{path.relative_to(ROOT)}:{number}", line


def test_no_particle_is_written_in_both_spellings() -> None:
    found = [f"{place}: {text}" for place, text in korean_texts() if BOTH_SPELLINGS.search(text)]
    assert not found, "\n".join(found)


def test_no_particle_depends_on_the_end_of_a_value() -> None:
    found = [f"{place}: {text}" for place, text in korean_texts() if AFTER_A_VALUE.search(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("word", OTHER_WORDS)
def test_one_word_for_each_thing(word: str) -> None:
    found = [f"{place}: {text}" for place, text in korean_texts() if word in text]
    assert not found, f"write {OTHER_WORDS[word]}:\n" + "\n".join(found)
