"""Content to database rows and back. `content_of` undoes `store`."""

import hashlib

from django.db import transaction

from quizzes.answering import regrade
from quizzes.content_format import schema, write
from quizzes.models import Choice, Claim, Lab, Link, Misconception, Question, QuestionSet


def digest(content: schema.QuestionSet) -> str:
    """Return a digest of what the set says, however its file is laid out."""
    return hashlib.sha256(write(content).encode()).hexdigest()


@transaction.atomic
def store(content: schema.QuestionSet, *, shipped: bool = False) -> QuestionSet:
    """Make or bring up to date the set named in `content`; answers to questions that stay are kept.

    A new shipped set is published at once, a new one from elsewhere is not. A known set keeps its state, unless
    nothing is left in it: a set without questions is never published.
    """
    values = {
        "version": content.version,
        "kubernetes_version": content.kubernetes_version,
        **_both("title", content.title),
        **_both("description", content.description),
    }
    if shipped:
        values["source_digest"] = digest(content)
    question_set, _created = QuestionSet.objects.update_or_create(
        name=content.name, defaults=values, create_defaults={**values, "published": shipped}
    )
    if not content.questions and question_set.published:
        question_set.published = False
        question_set.save(update_fields=["published"])
    for position, question in enumerate(content.questions, start=1):
        _store_question(question_set, position, question)
    names = [question.name for question in content.questions]
    question_set.questions.exclude(name__in=names).delete()
    return question_set


def _store_question(question_set: QuestionSet, position: int, content: schema.Question) -> None:
    values = {
        "position": position,
        "type": content.type,
        **_both("topic", content.topic),
        **_both("stem", content.stem),
        **_both("explanation", content.explanation),
    }
    question, _created = question_set.questions.update_or_create(name=content.name, defaults=values)
    lab_before = lab_content(question)
    question.choices.all().delete()
    question.misconceptions.all().delete()
    question.links.all().delete()
    question.claims.all().delete()
    Lab.objects.filter(question=question).delete()
    Choice.objects.bulk_create(
        Choice(
            question=question,
            position=index,
            name=option.name,
            correct=option.correct,
            **_both("text", option.text),
            **_both("rationale", option.rationale),
        )
        for index, option in enumerate(content.options, start=1)
    )
    Misconception.objects.bulk_create(
        Misconception(question=question, position=index, **_both("claim", each.claim), **_both("truth", each.truth))
        for index, each in enumerate(content.misconceptions, start=1)
    )
    Link.objects.bulk_create(
        Link(question=question, position=index, url=link.url, **_both("title", link.title))
        for index, link in enumerate(content.links, start=1)
    )
    if content.lab:
        _store_lab(question, content.lab)
    regrade(question, lab_changed=lab_before != content.lab)


def _store_lab(question: Question, content: schema.Lab) -> None:
    empty = schema.Text("", "")
    Lab.objects.create(
        question=question,
        text=content.text,
        predict_pod=content.predict.pod,
        predict_ask=content.predict.ask,
        predict_choices=list(content.predict.choices),
        look_phase=content.look.phase,
        look_plugin=content.look.plugin,
        look_pod=content.look.pod,
        **_both("title", content.title),
        **_both("predict_question", content.predict.question),
        **_both("hint", content.hint or empty),
        **_both("walkthrough", content.walkthrough or empty),
    )
    Claim.objects.bulk_create(
        Claim(question=question, position=index, name=claim.name, at=claim.at, value=claim.value)
        for index, claim in enumerate(content.claims, start=1)
    )


def content_of(question_set: QuestionSet) -> schema.QuestionSet:
    """Return the content of a set as the file format has it."""
    questions = question_set.questions.prefetch_related("choices", "misconceptions", "links", "claims")
    return schema.QuestionSet(
        name=question_set.name,
        version=question_set.version,
        kubernetes_version=question_set.kubernetes_version,
        title=_text(question_set, "title"),
        description=_text(question_set, "description"),
        questions=tuple(_question(question) for question in questions.select_related("lab")),
    )


def _question(question: Question) -> schema.Question:
    return schema.Question(
        name=question.name,
        type=question.type,
        topic=_text(question, "topic"),
        stem=_text(question, "stem"),
        options=tuple(
            schema.Option(choice.name, _text(choice, "text"), _text(choice, "rationale"), choice.correct)
            for choice in question.choices.all()
        ),
        explanation=_text(question, "explanation"),
        misconceptions=tuple(
            schema.Misconception(_text(each, "claim"), _text(each, "truth")) for each in question.misconceptions.all()
        ),
        links=tuple(schema.Link(_text(link, "title"), link.url) for link in question.links.all()),
        lab=lab_content(question),
    )


def lab_content(question: Question) -> schema.Lab | None:
    """Return a question's lab as the file format has it, or None."""
    lab = getattr(question, "lab", None)
    if lab is None:
        return None
    return schema.Lab(
        title=_text(lab, "title"),
        text=lab.text,
        predict=schema.Predict(
            _text(lab, "predict_question"), lab.predict_pod, lab.predict_ask, tuple(lab.predict_choices)
        ),
        look=schema.Look(lab.look_phase, lab.look_plugin, lab.look_pod),
        hint=_optional(lab, "hint"),
        walkthrough=_optional(lab, "walkthrough"),
        claims=tuple(schema.Claim(claim.name, claim.at, claim.value) for claim in question.claims.all()),
    )


def _both(name: str, text: schema.Text) -> dict[str, str]:
    return {f"{name}_ko": text.ko, f"{name}_en": text.en}


def _text(row: object, name: str) -> schema.Text:
    return schema.Text(ko=getattr(row, f"{name}_ko"), en=getattr(row, f"{name}_en"))


def _optional(row: object, name: str) -> schema.Text | None:
    text = _text(row, name)
    return text if text.ko or text.en else None
