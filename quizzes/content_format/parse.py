"""Text to a QuestionSet, or to the problems that keep it from being one."""

import re
from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from quizzes.content_format import schema
from quizzes.content_format.fields import Fields
from quizzes.content_format.node import Node, Scalar, Sequence, Unreadable, compose, plain_value
from quizzes.content_format.problem import Problem

RESERVED = frozenset({"result", "restart"})
"""Question names that the addresses of the pages need for themselves."""

PLACEHOLDER = re.compile(r"\{\{\s*([^{}\s]+)\s*\}\}")


def parse(source: str | bytes) -> tuple[schema.QuestionSet | None, list[Problem]]:
    """Return the question set in `source` and no problems, or None and what is wrong with it, in line order.

    Never raises on what a person wrote.
    """
    problems: list[Problem] = []
    try:
        root = compose(source)
    except Unreadable as unreadable:
        return None, [unreadable.problem]
    found = _document(Fields(root, "", problems))
    return (None, sorted(problems)) if problems else (found, [])


def _document(fields: Fields) -> schema.QuestionSet:
    fields.word("apiVersion", [schema.API_VERSION])
    fields.word("kind", [schema.KIND])
    metadata = fields.get("metadata", required=True)
    spec = fields.get("spec", required=True)
    name = ""
    if metadata is not None:
        inner = fields.inside(metadata, "metadata")
        name = inner.slug("name")
        inner.end()
    fields.end()
    return _spec(fields.inside(spec or fields.node, "spec" if spec else ""), name, present=spec is not None)


def _spec(fields: Fields, name: str, present: bool) -> schema.QuestionSet:
    if not present:
        return schema.QuestionSet(name, 0, "", schema.Text("", ""), schema.Text("", ""), ())
    found = schema.QuestionSet(
        name=name,
        version=fields.number("version", at_least=1),
        kubernetes_version=fields.text("kubernetesVersion"),
        title=fields.bilingual("title"),
        description=fields.bilingual("description"),
        questions=fields.each("questions", _question, 0, schema.MOST["questions"]),
    )
    _unique(fields, "questions", [question.name for question in found.questions])
    fields.end()
    return found


def _question(fields: Fields) -> schema.Question:
    lab = fields.get("lab", required=False)
    question = schema.Question(
        name=fields.slug("name"),
        type=fields.word("type", schema.TYPES),
        topic=fields.bilingual("topic"),
        stem=fields.bilingual("stem"),
        options=fields.each("options", _option, 2, schema.MOST["options"]),
        explanation=fields.bilingual("explanation"),
        misconceptions=fields.each("misconceptions", _misconception, 1, schema.MOST["misconceptions"], required=False),
        links=fields.each("links", _link, 1, schema.MOST["links"], required=False),
        lab=None if lab is None else _lab(fields.inside(lab, "lab")),
    )
    if question.name in RESERVED:
        message = _("“%(name)s” is reserved for a page of the site.") % {"name": question.name}
        fields.report(fields.members["name"], "name", message)
    _unique(fields, "options", [option.name for option in question.options])
    right = sum(option.correct for option in question.options)
    options = fields.members.get("options")
    if isinstance(options, Sequence) and question.options:
        if question.type == "single" and right != 1:
            message = _("Exactly one option is right in a single choice; here %(count)s are.") % {"count": right}
            fields.report(options, "options", message)
        if question.type == "multiple" and right == 0:
            fields.report(options, "options", _("At least one option must be right."))
        for language in ("ko", "en"):
            texts = [getattr(option.text, language) for option in question.options]
            for first, second in same_texts(texts):
                where = f"options[{second}].text.{language}"
                fields.report(options.items[second], where, same_text_problem(question.options[first].name))
    fields.end()
    return question


def same_texts(texts: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield (first, later) indices of texts that read the same, whatever their case and spaces; "" is no text."""
    seen: dict[str, int] = {}
    for index, text in enumerate(texts):
        read = " ".join(text.split()).casefold()
        if read and seen.setdefault(read, index) != index:
            yield seen[read], index


def same_text_problem(name: str) -> str:
    """Return the sentence about an option whose text is that of option `name`."""
    return _("Option “%(name)s” has the same text; learners could not tell the two apart.") % {"name": name}


def _option(fields: Fields) -> schema.Option:
    option = schema.Option(
        name=fields.slug("name"),
        text=fields.bilingual("text"),
        rationale=fields.bilingual("rationale"),
        correct=fields.flag("correct"),
    )
    fields.end()
    return option


def _misconception(fields: Fields) -> schema.Misconception:
    misconception = schema.Misconception(claim=fields.bilingual("claim"), truth=fields.bilingual("truth"))
    fields.end()
    return misconception


def _link(fields: Fields) -> schema.Link:
    link = schema.Link(title=fields.bilingual("title"), url=fields.text("url"))
    if link.url and not re.fullmatch(schema.HTTPS, link.url):
        fields.report(fields.members["url"], "url", _("Expected an address that begins with https://."))
    fields.end()
    return link


def _lab(fields: Fields) -> schema.Lab:
    predict = fields.get("predict", required=True)
    look = fields.get("look", required=False)
    lab = schema.Lab(
        title=fields.bilingual("title"),
        text=fields.text("text"),
        predict=_predict(fields.inside(predict or fields.node, "predict"), present=predict is not None),
        look=schema.Look() if look is None else _look(fields.inside(look, "look")),
        hint=fields.optional_bilingual("hint"),
        walkthrough=fields.optional_bilingual("walkthrough"),
        claims=fields.each("claims", _claim, 0, schema.MOST["claims"], required=False),
    )
    names = [claim.name for claim in lab.claims]
    _unique(fields, "claims", names)
    if lab.walkthrough is not None:
        for language in ("ko", "en"):
            for used in dict.fromkeys(PLACEHOLDER.findall(getattr(lab.walkthrough, language))):
                if used not in names:
                    where = f"walkthrough.{language}"
                    message = _("No claim is named “%(name)s”.") % {"name": used}
                    fields.report(fields.members["walkthrough"], where, message)
    fields.end()
    return lab


def _predict(fields: Fields, present: bool) -> schema.Predict:
    if not present:
        return schema.Predict(schema.Text("", ""), "", "", ())
    predict = schema.Predict(
        question=fields.bilingual("question"),
        pod=fields.text("pod"),
        ask=fields.word("ask", schema.ASKS),
        choices=_words(fields, "choices", 2, 12),
    )
    if predict.pod and not re.fullmatch(r"[^/\s]+/[^/\s]+", predict.pod):
        fields.report(fields.members["pod"], "pod", _("Name the pod as namespace/name."))
    choices = fields.members.get("choices")
    if choices is not None:
        for choice in predict.choices:
            if problem := choice_problem(predict.ask, choice):
                fields.report(choices, "choices", problem)
        _unique(fields, "choices", list(predict.choices))
    fields.end()
    return predict


def choice_problem(ask: str, choice: str) -> str:
    """Return what keeps `choice` from being an answer to a question of kind `ask`, or ""."""
    if ask == "outcome" and choice not in schema.OUTCOMES:
        return _("“%(word)s” is none of: %(words)s.") % {"word": choice, "words": ", ".join(schema.OUTCOMES)}
    if ask == "phase" and choice not in schema.PHASES:
        return _("“%(word)s” is none of: %(words)s.") % {"word": choice, "words": ", ".join(schema.PHASES)}
    if ask == "waiting" and choice not in ("yes", "no") and not re.fullmatch(r"[0-9]{1,4}", choice):
        return _("“%(word)s” is neither yes, no nor a number of waiting pods.") % {"word": choice}
    return ""


def _look(fields: Fields) -> schema.Look:
    look = schema.Look(
        phase=fields.word("phase", schema.PHASES, required=False),
        plugin=fields.text("plugin", required=False),
        pod=fields.text("pod", required=False),
    )
    fields.end()
    return look


def _claim(fields: Fields) -> schema.Claim:
    node = fields.get("value", required=True)
    claim = schema.Claim(name=fields.slug("name"), at=fields.text("at"), value=plain_value(node) if node else None)
    fields.end()
    return claim


def _words(fields: Fields, name: str, at_least: int, at_most: int) -> tuple[str, ...]:
    words = []
    for index, node in enumerate(fields.items(name, at_least, at_most)):
        if isinstance(node, Scalar) and node.text.strip():
            words.append(node.text.strip())
        else:
            fields.report(node, f"{name}[{index}]", _("Expected a word."))
    return tuple(words)


def _unique(fields: Fields, name: str, values: Iterable[str]) -> None:
    node: Node | None = fields.members.get(name)
    seen: set[str] = set()
    for value in values:
        if value and value in seen and node is not None:
            fields.report(node, name, _("“%(word)s” appears twice.") % {"word": value})
        seen.add(value)
