import re

import pytest
from django.utils.translation import override

from quizzes.content_format import parse
from quizzes.management.commands.loadsets import CONTENT, load
from quizzes.markdown import is_manifest, render, render_inline
from quizzes.models import Question, QuestionSet
from quizzes.question_page import split_stem


def test_code_is_highlighted_a_line_each() -> None:
    html = render("```yaml {2}\na: 1\nb: 2\n```")
    assert html.count('class="ln"') == 1
    assert '<span class="ln hll" data-n="2">' in html
    assert '<span class="nt">a</span>' in html


def test_an_unknown_language_is_plain() -> None:
    assert "<b>" not in render("```klingon\n<b>\n```")
    assert 'class="code plain"' in render("```\nx\n```")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html,x)",
        "```yaml\n</code></pre><script>alert(1)</script>\n```",
        "<pre data-block='0'>x</pre>",
    ],
)
def test_nothing_dangerous_gets_through(text: str) -> None:
    for html in (render(text, lambda language, code: ""), render_inline(text)):
        assert not re.search(r"<script|<img|<[^>]* on\w+=|href=\"(javascript|data)|style=", html), html


def test_no_inline_style_for_the_strict_policy() -> None:
    assert "style" not in render("| a | b |\n|:-:|--:|\n| 1 | 2 |\n")


def test_something_can_stand_behind_each_block() -> None:
    html = render("```yaml\na: 1\n```\n\n```go\nx\n```", lambda language, code: f"<i>{language}:{code.strip()}</i>")
    assert re.findall("<i>.*?</i>", html) == ["<i>yaml:a: 1</i>", "<i>go:x</i>"]


def test_whole_manifests_are_told_from_parts() -> None:
    assert is_manifest("yaml", "apiVersion: v1\nkind: Pod\n")
    assert not is_manifest("yaml", "spec:\n  kind: Pod\n")
    assert not is_manifest("go", "apiVersion: v1\nkind: Pod\n")


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("Which one?", ("Which one?", "")),
        ("Which\none?\n\nMore.", ("Which one?", "More.")),
        ("A long story.\n\nWhich one?", ("", "A long story.\n\nWhich one?")),
        ("- a\n- b?", ("", "- a\n- b?")),
    ],
)
def test_a_short_question_becomes_the_heading(stem: str, expected: tuple[str, str]) -> None:
    assert split_stem(stem) == expected


@pytest.mark.django_db
def test_no_shipped_text_shows_its_markup() -> None:
    """In CommonMark, ** before a Korean particle may stay as it is: `**A(B)**는`."""
    for path in CONTENT.glob("*.yaml"):
        content, problems = parse(path.read_bytes())
        assert content, problems
        load(content, force=False)
    for question_set in QuestionSet.objects.all():
        for question in Question.objects.filter(question_set=question_set):
            for text in (question.stem_ko, question.stem_en, question.explanation_ko, question.explanation_en):
                shown = re.sub(r"<(pre|code).*?</\1>", "", render(text), flags=re.DOTALL)
                assert "**" not in shown and "`" not in shown, (question, shown)


def test_a_block_is_named_in_the_language_of_the_page() -> None:
    text = "```console\nkubectl get pods\n```"
    for language, name in (("en", "Shell"), ("ko", "셸"), ("en", "Shell")):
        with override(language):
            assert f'aria-label="{name}"' in render(text)
