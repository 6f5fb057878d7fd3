"""Every text of the site has its Korean, and every page speaks one language."""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from tests.i18n.extract import CATALOGS, ROOT, files_of, texts_of


def catalog(app: str) -> Catalog:
    path = ROOT / app / "locale" / "ko" / "LC_MESSAGES" / "django.po"
    with path.open("rb") as file:
        return read_po(file, locale="ko")


@pytest.mark.parametrize("app", CATALOGS)
def test_every_text_has_its_korean(app: str) -> None:
    known = catalog(app)
    missing = []
    for path in sorted(set(files_of(app))):
        for context, text, line in texts_of(path):
            message = known.get(text, context)
            strings = message.string if message else ""
            filled = all(strings) if isinstance(strings, tuple | list) else bool(strings)
            if not message or not filled or message.fuzzy:
                missing.append(f"{path.relative_to(ROOT)}:{line}: {text}")
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("app", CATALOGS)
def test_placeholders_are_the_same_in_both(app: str) -> None:
    for message in catalog(app):
        if not message.id:
            continue
        originals = message.id if isinstance(message.id, tuple) else (message.id,)
        strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
        wanted = set().union(*(placeholders(text) for text in originals))
        for string in strings:
            assert placeholders(string) <= wanted, string
            if len(originals) == 1:
                assert placeholders(string) == wanted, string


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"%\(\w+\)[sd]|\{\w+\}", text))


def test_the_extractor_sees_templates_and_python(tmp_path: Path) -> None:
    template = tmp_path / "a.html"
    template.write_text('{% translate "One" %}{% blocktranslate count n=1 %}Two{% plural %}Twos{% endblocktranslate %}')
    assert [text for _context, text, _line in texts_of(template)] == ["One", "Two"]
    module = tmp_path / "a.py"
    module.write_text('_("One"); pgettext("c", "Two")')
    assert [(context, text) for context, text, _line in texts_of(module)] == [(None, "One"), ("c", "Two")]
