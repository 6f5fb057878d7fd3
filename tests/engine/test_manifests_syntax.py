"""What the parsers complain of becomes a sentence that says what to do, within the text."""

import json

import pytest
import yaml

from scheduler_lab.engine.manifests import load, messages
from scheduler_lab.engine.manifests.syntax import json_sentence, yaml_place, yaml_sentence

HEAD = "apiVersion: v1\nkind: Pod\n"


@pytest.mark.parametrize(
    ("text", "template", "place"),
    [
        (HEAD + "metadata: name: web\n", messages.YAML_COLON, (3, 15)),
        (HEAD + "a: b\n c: d\n", messages.YAML_COLON, (4, 3)),
        (HEAD + "a: @b\n", messages.YAML_START, (3, 4)),
        (HEAD + "a: `b\n", messages.YAML_START, (3, 4)),
        (HEAD + "a:\n\t- b\n", messages.TAB, (4, 1)),
        (HEAD + "a: [b, c\n", messages.YAML_LIST, (3, 4)),
        (HEAD + "a: [\n", messages.YAML_OPEN, (3, 5)),
        (HEAD + "a: [b\nc: d\n", messages.YAML_LIST, (4, 2)),
        (HEAD + "a: {b: c\nd: e\n", messages.YAML_MAP, (4, 2)),
        (HEAD + "a:\n- b\nc\n", messages.YAML_NO_COLON, (5, 1)),
        (HEAD + "a:\n  - b\n  c: d\n", messages.YAML_ITEM, (5, 3)),
        (HEAD + "a:\n  b: c\n d: e\n", messages.YAML_KEY, (5, 2)),
        (HEAD + 'a: "b\n', messages.OPEN_QUOTES, (3, 4)),
        (HEAD + 'a: "\\q"\n', messages.BAD_ESCAPE, (3, 5)),
        (HEAD + 'a: "\\xzz"\n', messages.BAD_HEX, (3, 7)),
        (HEAD + "a: - b\n", messages.YAML_DASH, (3, 4)),
        (HEAD + "a: ? b\n", messages.YAML_QUESTION, (3, 4)),
        (HEAD + "a: *\n", messages.YAML_ANCHOR, (3, 5)),
        (HEAD + "a: | b\n  c\n", messages.YAML_BLOCK_HEADER, (3, 6)),
        (HEAD + "a: !<b c\n", messages.YAML_TAG, (3, 7)),
        ("%FOO bar\n" + HEAD, messages.YAML_DIRECTIVE, (1, 5)),
        (HEAD + "a: 'b\n--- \nc: d'\n", messages.OPEN_QUOTES, (3, 4)),
        ('{"a": 1 "b": 2}', messages.JSON_COMMA, (1, 9)),
        ('{"a" 1}', messages.JSON_COLON, (1, 6)),
        ("{a: 1}", messages.JSON_KEY, (1, 2)),
        ('{"a": }', messages.JSON_VALUE, (1, 7)),
        ('{"a": "b}', messages.OPEN_QUOTES, (1, 7)),
        ('{"a": "b\tc"}', messages.JSON_CONTROL, (1, 9)),
        ('{"a": "\\q"}', messages.BAD_ESCAPE, (1, 8)),
        ('{"a": "\\u12"}', messages.BAD_HEX, (1, 9)),
        ('{"a": NaN}', messages.JSON_NUMBER, (1, 1)),
        ('{"a": [1,\n\n\n', messages.JSON_VALUE, (1, 10)),
    ],
)
def test_a_sentence_for_what_the_parser_says(text: str, template: str, place: tuple[int, int]) -> None:
    problem = load(text).problems[0]
    assert (problem.template, (problem.line, problem.column)) == (template, place)


def test_what_is_not_in_the_table_keeps_the_parsers_words() -> None:
    assert yaml_sentence("found something odd", "while at it") == (
        messages.BROKEN_YAML,
        {"detail": "found something odd while at it"},
    )
    assert json_sentence("Something odd") == (messages.BROKEN_JSON, {"detail": "Something odd"})


@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
@pytest.mark.parametrize(
    "text",
    ["a: b: c", "a: @", "a: [b\nc: d", "a: {b\nc: d", "a:\n - b\n c: d", 'a: "b', "a: *", 'a: "\\q"', "a: [", "a: !<b"],
)
def test_neither_parser_is_quoted_for_the_usual_mistakes(loader: type, text: str) -> None:
    with pytest.raises(yaml.MarkedYAMLError) as caught:
        list(yaml.parse(text, Loader=loader))
    error = caught.value
    line, column = yaml_place(error, text)
    assert yaml_sentence(error.problem, error.context, text.split("\n")[line - 1][column - 1 : column])[0] not in (
        messages.BROKEN_YAML,
    )


@pytest.mark.parametrize(
    "text", ["{", '{"a"', '{"a":', '{"a":1', '{"a":1,', "{]", '{"a":tru}', '{"a":1}}', '{"a":"\n"}']
)
def test_every_complaint_of_the_json_decoder_has_a_sentence(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    if caught.value.msg != "Extra data":
        assert json_sentence(caught.value.msg)[0] != messages.BROKEN_JSON


@pytest.mark.parametrize(
    "text", ["a: [1\n\n\n\n", 'a: "b\n\n\n', "a: {\n", "a: b\n  - c\n\n", '{"a": 1\n\n\n', "a:\n - b\n -\tc: {\n"]
)
def test_no_problem_is_told_behind_the_end_of_the_text(text: str) -> None:
    last = text.rstrip().count("\n") + 1
    assert all(problem.line <= last for problem in load(text).problems)
