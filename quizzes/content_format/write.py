"""A QuestionSet to the text that `parse` reads back as the same QuestionSet."""

from typing import Any

import yaml

from quizzes.content_format import schema


class _Dumper(yaml.SafeDumper):
    """Several lines as a block, lists indented as kubectl writes them."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # A block would turn these other line breaks into \n; quotes keep them.
    several_lines = "\n" in text and not any(mark in text for mark in "\r\x85\u2028\u2029\ufeff")
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if several_lines else None)


_Dumper.add_representer(str, _text)


def write(question_set: schema.QuestionSet) -> str:
    """Return the YAML of a question set. The same set always gives the same text."""
    document = {
        "apiVersion": schema.API_VERSION,
        "kind": schema.KIND,
        "metadata": {"name": question_set.name},
        "spec": {
            "version": question_set.version,
            "kubernetesVersion": question_set.kubernetes_version,
            "title": _both(question_set.title),
            "description": _both(question_set.description),
            "questions": [_question(question) for question in question_set.questions],
        },
    }
    return _dump(document)


def write_value(value: Any) -> str:
    """Return the YAML of JSON values, written as a set's file writes them."""
    return _dump(value)


def _dump(document: Any) -> str:
    return yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)


def _both(text: schema.Text) -> dict[str, str]:
    return {"ko": _block(text.ko), "en": _block(text.en)}


def _block(text: str) -> str:
    """A text of several lines ends with a line break, which reads better than `|-`; `parse` takes it off again."""
    return f"{text}\n" if "\n" in text else text


def _question(question: schema.Question) -> dict[str, Any]:
    written: dict[str, Any] = {
        "name": question.name,
        "type": question.type,
        "topic": _both(question.topic),
        "stem": _both(question.stem),
        "options": [_option(option) for option in question.options],
        "explanation": _both(question.explanation),
    }
    if question.misconceptions:
        written["misconceptions"] = [
            {"claim": _both(each.claim), "truth": _both(each.truth)} for each in question.misconceptions
        ]
    if question.links:
        written["links"] = [{"title": _both(link.title), "url": link.url} for link in question.links]
    if question.lab:
        written["lab"] = _lab(question.lab)
    return written


def _option(option: schema.Option) -> dict[str, Any]:
    written: dict[str, Any] = {"name": option.name, "text": _both(option.text)}
    if option.correct:
        written["correct"] = True
    written["rationale"] = _both(option.rationale)
    return written


def _lab(lab: schema.Lab) -> dict[str, Any]:
    predict, look = lab.predict, lab.look
    written: dict[str, Any] = {
        "title": _both(lab.title),
        "text": _block(lab.text),
        "predict": {
            "question": _both(predict.question),
            "pod": predict.pod,
            "ask": predict.ask,
            "choices": list(predict.choices),
        },
    }
    places = {"phase": look.phase, "plugin": look.plugin, "pod": look.pod}
    if any(places.values()):
        written["look"] = {name: place for name, place in places.items() if place}
    if lab.hint:
        written["hint"] = _both(lab.hint)
    if lab.walkthrough:
        written["walkthrough"] = _both(lab.walkthrough)
    if lab.claims:
        written["claims"] = [{"name": claim.name, "at": claim.at, "value": claim.value} for claim in lab.claims]
    return written
