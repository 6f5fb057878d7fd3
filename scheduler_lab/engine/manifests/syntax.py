"""What the YAML and JSON parsers complain of, in sentences that say what to do, and at the place where to do it."""

from typing import Any, Final

from scheduler_lab.engine.manifests import messages

Said = tuple[str, dict[str, str]]
"""A template of `messages` and what is filled in."""

_YAML: Final = (
    ("mapping values are not allowed", messages.YAML_COLON),
    ("mapping keys are not allowed", messages.YAML_QUESTION),
    ("sequence entries are not allowed", messages.YAML_DASH),
    ("cannot start any token", messages.YAML_START),
    ("expected ',' or ']'", messages.YAML_LIST),
    ("expected ',' or '}'", messages.YAML_MAP),
    ("expected '-' indicator", messages.YAML_ITEM),
    ("did not find expected key", messages.YAML_KEY),
    ("expected <block end>", messages.YAML_KEY),
    ("could not find expected ':'", messages.YAML_NO_COLON),
    ("found unexpected ':'", messages.YAML_FLOW_COLON),
    ("found unexpected end of stream", messages.OPEN_QUOTES),
    ("found unexpected document", messages.YAML_DOCUMENT_IN_QUOTES),
    ("unknown escape character", messages.BAD_ESCAPE),
    ("expected hexdecimal number", messages.BAD_HEX),
    ("escape sequence of", messages.BAD_HEX),
    ("Unicode character escape", messages.BAD_HEX),
    ("alphabetic or numeric character", messages.YAML_ANCHOR),
    ("expected node content", messages.YAML_NO_VALUE),
    ("expected the node content", messages.YAML_NO_VALUE),
    ("comment or line break", messages.YAML_BLOCK_HEADER),
    ("expected a comment or a line break", messages.YAML_BLOCK_HEADER),
    ("indentation indicator", messages.YAML_BLOCK_HEADER),
    ("<document start>", messages.YAML_DOCUMENT),
    ("tab character", messages.TAB),
    ("maximum nesting depth", messages.YAML_DEEP),
    ("directive", messages.YAML_DIRECTIVE),
    ("tag", messages.YAML_TAG),
)
_CONTEXTS: Final = (
    ("directive", messages.YAML_DIRECTIVE),
    ("%YAML", messages.YAML_DIRECTIVE),
    ("%TAG", messages.YAML_DIRECTIVE),
    ("tag", messages.YAML_TAG),
    ("anchor", messages.YAML_ANCHOR),
    ("alias", messages.YAML_ANCHOR),
)
_JSON: Final = (
    ("Expecting ',' delimiter", messages.JSON_COMMA),
    ("Expecting ':' delimiter", messages.JSON_COLON),
    ("Expecting property name", messages.JSON_KEY),
    ("Illegal trailing comma", messages.JSON_TRAILING_COMMA),
    ("Expecting value", messages.JSON_VALUE),
    ("Unterminated string", messages.OPEN_QUOTES),
    ("Invalid control character", messages.JSON_CONTROL),
    ("Invalid \\uXXXX escape", messages.BAD_HEX),
    ("Invalid \\escape", messages.BAD_ESCAPE),
    ("is not JSON", messages.JSON_NUMBER),
)


def yaml_sentence(problem: str | None, context: str | None, character: str = "") -> Said:
    """The sentence for libyaml's (or PyYAML's own) complaint; `character` is what stands at the place it names."""
    problem, context = problem or "", context or ""
    if "flow node" in context and not character:
        return messages.YAML_OPEN, {}
    for words, template in _YAML:
        if words in problem:
            if template is messages.YAML_START:
                return template, {"character": character or "?"}
            return template, {}
    for words, template in _CONTEXTS:
        if words in context:
            return template, {}
    return messages.BROKEN_YAML, {"detail": " ".join(part for part in (problem, context) if part)}


def json_sentence(problem: str) -> Said:
    """The sentence for a complaint of Python's JSON decoder."""
    for words, template in _JSON:
        if words in problem:
            return template, {}
    return messages.BROKEN_JSON, {"detail": problem}


def yaml_place(error: Any, text: str) -> tuple[int, int]:
    """Line and column, from 1, where to look for what a yaml.MarkedYAMLError complains of; never behind the text's end.

    What is missed only at the end of the text is told where the list, map or text in quotes begins.
    """
    last = text.rstrip().count("\n")
    marks = [mark for mark in (error.problem_mark, error.context_mark) if mark is not None]
    quoted = "quoted scalar" in (error.context or "") and "end of stream" in (error.problem or "")
    for mark in reversed(marks) if quoted else marks:
        if mark.line <= last:
            return mark.line + 1, mark.column + 1
    return clamped(marks[0].line + 1 if marks else 1, 1, text)


def clamped(line: int, column: int, text: str) -> tuple[int, int]:
    """The place, or the end of the last line that holds something when the text ends before the place."""
    lines = text.rstrip().split("\n")
    return (line, column) if line <= len(lines) else (len(lines), len(lines[-1]) + 1)
