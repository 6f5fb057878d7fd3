import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import override
from hypothesis import given, settings
from hypothesis import strategies as st

from quizzes.content_format import parse, schema, write
from quizzes.content_format.fields import MOST_PROBLEMS, clean
from quizzes.content_format.node import MAX_BYTES
from quizzes.content_format.schema import Text
from tests.quizzes.samples import SAMPLE, SINGLE

SHIPPED = sorted((Path(__file__).resolve().parents[2] / "quizzes" / "content").glob("*.yaml"))


def problems_of(text: str | bytes) -> list[str]:
    found, problems = parse(text)
    assert (found is None) == bool(problems)
    return [str(problem) for problem in problems]


def test_it_reads_back_what_it_wrote() -> None:
    text = write(SAMPLE)
    found, problems = parse(text)
    assert problems == []
    assert found == SAMPLE
    assert write(found) == text


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_sets_are_valid_and_round_trip(path: Path) -> None:
    found, problems = parse(path.read_bytes())
    assert [str(problem) for problem in problems] == []
    assert found is not None
    assert parse(write(found)) == (found, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1: The file is empty."),
        ("a: [", "1:5: The text ends here, but a ["),
        ("a: 1\n---\nb: 2\n", "2:1: The file holds more than one document."),
        ("a: &x 1\nb: *x\n", "1:4: Anchors and aliases"),
        ("a: !!python/object:os.system x\n", "1:4: Tags"),
        ("a: 1\na: 2\n", "2:1: The key “a” appears twice."),
        ("a: 1\nb: c: d\n", "2:5: No key can stand here"),
        ('a: "b\n\n\n', "1:4: The quotes of this text are never closed."),
        ("a: {b: 1\n\n\n", "1:4: This map is not closed"),
        ("%TAG !a! b\n" * 100_000 + "a: b\n", "1:1: Tags"),
        ("? [1]\n: 2\n", "1:3: A key must be a word."),
        ("[" * 100 + "]" * 100, "nested too deeply"),
        ("a: \x01\n", "does not allow"),
        (b"\xff\xfe\x00", "not UTF-8"),
        ("x: " + "y" * MAX_BYTES, "larger than"),
        ("- 1\n", "1:1: Expected a mapping"),
    ],
)
def test_it_says_why_a_text_is_no_set(text: str | bytes, expected: str) -> None:
    assert expected in "\n".join(problems_of(text))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("name: which-node", "name: Which_Node", "spec.questions[0].name: Use lower-case letters"),
        ("name: which-node", "name: result", "spec.questions[0].name: “result” is reserved"),
        ("name: which-points", "name: which-node", "spec.questions: “which-node” appears twice."),
        ("type: single", "type: singel", "Did you mean “single”?"),
        ("correct: true", "correct: yes", "spec.questions[0].options[1].correct: Expected true or false."),
        ("correct: true", "correct: false", "here 0 are"),
        ("type: multiple", "type: single", "here 2 are"),
        ("en: Nodes", 'en: " "', "spec.questions[0].topic.en: The text is empty."),
        ("en: Nodes", "en: {a: b}", "spec.questions[0].topic.en: Expected a text."),
        ("en: Nodes", "english: Nodes", "spec.questions[0].topic.en: en is missing."),
        ("url: https://kubernetes.io/docs/", "url: javascript:alert(1)", "begins with https://"),
        ("pod: default/web", "pod: web", "Name the pod as namespace/name."),
        ("ask: node", "ask: outcome", "“node-a” is none of: scheduled"),
        ("ask: node", "ask: waiting", "“node-a” is neither yes"),
        ("- pending", "- node-a", "“node-a” appears twice."),
        ("name: fit", "name: fitt", "walkthrough.en: No claim is named “fit”."),
        ("version: 1", "version: 0", "spec.version: Expected a whole number"),
        ("apiVersion: lab/v1\nkind: Q", "apiVersion: lab/v2\nkind: Q", "1:13: apiVersion"),
        ("phase: Score", "phase: Scoring", "spec.questions[0].lab.look.phase"),
    ],
)
def test_it_says_what_is_wrong_and_where(before: str, after: str, expected: str) -> None:
    text = write(SAMPLE)
    assert before in text
    found = problems_of(text.replace(before, after, 1))
    assert any(expected in problem for problem in found), found


def test_a_problem_names_its_line() -> None:
    text = write(SAMPLE)
    line = text[: text.index("phase: Score")].count("\n") + 1
    assert problems_of(text.replace("phase: Score", "phase: 7", 1))[0].startswith(f"{line}:")


def test_an_unknown_field_is_refused_with_a_suggestion() -> None:
    text = write(SAMPLE).replace("    links:\n", "    linkz:\n", 1)
    assert any("There is no field “linkz” here. Did you mean “links”?" in problem for problem in problems_of(text))


words = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n `*:#-{}[]'\"|>&!%@"), min_size=1)
texts = words.map(clean).filter(lambda text: bool(text.strip()) and "{{" not in text)
both = st.builds(Text, ko=texts, en=texts)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | words,
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(topic=both, stem=both, lab_text=texts, value=values)
def test_any_text_survives_the_round_trip(topic: Text, stem: Text, lab_text: str, value: Any) -> None:
    assert SINGLE.lab
    claim = schema.Claim("fit", "cycles", value)
    lab = replace(SINGLE.lab, text=lab_text, claims=(claim,))
    content = replace(SAMPLE, questions=(replace(SINGLE, topic=topic, stem=stem, lab=lab),))
    text = write(content)
    assert parse(text) == (content, [])


@settings(max_examples=200, deadline=None)
@given(st.text() | st.binary())
def test_it_never_raises(source: str | bytes) -> None:
    found, problems = parse(source)
    assert (found is None) == bool(problems)


lines = write(SAMPLE).splitlines()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(lines) - 1), st.text(max_size=12))
def test_it_never_raises_on_a_damaged_file(index: int, damage: str) -> None:
    text = "\n".join([*lines[:index], damage, *lines[index + 1 :]])
    found, problems = parse(text)
    assert (found is None) == bool(problems)
    assert all(1 <= problem.line <= len(text.splitlines()) + 1 for problem in problems)


def test_the_documented_example_is_valid() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "question-set-format.md").read_text(encoding="utf-8")
    example = page[page.rindex("```yaml\n") + len("```yaml\n") : page.rindex("```")]
    found, problems = parse(example)
    assert found, problems


def test_every_field_is_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "question-set-format.md").read_text(encoding="utf-8")
    for word in (
        *schema.TYPES,
        *schema.ASKS,
        *schema.OUTCOMES,
        *schema.PHASES,
        *re.findall(r"^ *-? *(\w+):", write(SAMPLE), re.M),
    ):
        assert re.search(rf"\b{word}\b", page), word


def test_problems_are_bounded_and_told_in_the_language_of_the_page() -> None:
    head = "apiVersion: lab/v1\nkind: QuestionSet\nmetadata: {name: a}\nspec:\n"
    assert len(problems_of(head + "".join(f"  k{number}: 1\n" for number in range(30_000)))) == MOST_PROBLEMS
    with override("ko"):
        assert "이 목록이 닫히지 않았거나" in problems_of("a: [1\nb: 2\n")[0]
