"""Question sets in the database, and what learners answered."""

import uuid
from typing import overload

from django.core.validators import MinValueValidator, RegexValidator, URLValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from quizzes.content_format.schema import ASKS, PHASES, TYPES

slug = RegexValidator(r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", _("Use lower-case letters, digits and hyphens, at most 63."))


class InLanguage:
    """The text of the active language: `title` reads `title_ko` or `title_en`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "InLanguage": ...
    @overload
    def __get__(self, instance: models.Model, owner: type) -> str: ...
    def __get__(self, instance: models.Model | None, owner: type) -> "str | InLanguage":
        if instance is None:
            return self
        language = "ko" if get_language() == "ko" else "en"
        text: str = getattr(instance, f"{self.name}_{language}")
        return text


class QuestionSet(models.Model):
    name = models.CharField(_("name"), max_length=63, unique=True, validators=[slug])
    version = models.PositiveIntegerField(_("version"), default=1, validators=[MinValueValidator(1)])
    kubernetes_version = models.CharField(_("Kubernetes version"), max_length=20, default="1.35")
    title_ko = models.CharField(_("title (Korean)"), max_length=200)
    title_en = models.CharField(_("title (English)"), max_length=200)
    description_ko = models.TextField(_("description (Korean)"))
    description_en = models.TextField(_("description (English)"))
    published = models.BooleanField(_("published"), default=False)
    position = models.PositiveIntegerField(
        _("position"), default=100, help_text=_("Sets are listed in the order of this number.")
    )
    # The digest of the shipped file as it was last loaded; "" for a set made here.
    source_digest = models.CharField(max_length=64, blank=True, editable=False)

    title, description = InLanguage(), InLanguage()

    class Meta:
        ordering = ["position", "name"]
        verbose_name = _("question set")
        verbose_name_plural = _("question sets")

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("quizzes:set", args=[self.name])


class Question(models.Model):
    class Type(models.TextChoices):
        SINGLE = TYPES[0], _("one right answer")
        MULTIPLE = TYPES[1], _("several right answers")

    question_set = models.ForeignKey(
        QuestionSet, models.CASCADE, related_name="questions", verbose_name=_("question set")
    )
    name = models.CharField(_("name"), max_length=63, validators=[slug])
    position = models.PositiveIntegerField(_("position"), default=100)
    type = models.CharField(_("type"), max_length=10, choices=Type.choices, default=Type.SINGLE)
    topic_ko = models.CharField(_("topic (Korean)"), max_length=100)
    topic_en = models.CharField(_("topic (English)"), max_length=100)
    stem_ko = models.TextField(_("question (Korean)"))
    stem_en = models.TextField(_("question (English)"))
    explanation_ko = models.TextField(_("explanation (Korean)"))
    explanation_en = models.TextField(_("explanation (English)"))

    topic, stem, explanation = InLanguage(), InLanguage(), InLanguage()

    class Meta:
        ordering = ["position", "pk"]
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        constraints = [
            models.UniqueConstraint(
                "question_set",
                "name",
                name="question_name_in_set",
                violation_error_message=_("The set has a question of this name already."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_set.name}/{self.name}"

    def get_absolute_url(self) -> str:
        return reverse("quizzes:question", args=[self.question_set.name, self.name])


class Choice(models.Model):
    """One of the options of a question."""

    question = models.ForeignKey(Question, models.CASCADE, related_name="choices")
    name = models.CharField(_("name"), max_length=63, validators=[slug])
    position = models.PositiveIntegerField(_("position"), default=100)
    text_ko = models.TextField(_("text (Korean)"))
    text_en = models.TextField(_("text (English)"))
    correct = models.BooleanField(_("right"), default=False)
    rationale_ko = models.TextField(_("why (Korean)"))
    rationale_en = models.TextField(_("why (English)"))

    text, rationale = InLanguage(), InLanguage()

    class Meta:
        ordering = ["position", "pk"]
        verbose_name = _("choice")
        verbose_name_plural = _("choices")
        constraints = [models.UniqueConstraint("question", "name", name="choice_name_in_question")]

    def __str__(self) -> str:
        return self.name


class Misconception(models.Model):
    """What learners are likely to have read elsewhere, and what is true."""

    question = models.ForeignKey(Question, models.CASCADE, related_name="misconceptions")
    position = models.PositiveIntegerField(_("position"), default=100)
    claim_ko = models.TextField(_("what is often said (Korean)"))
    claim_en = models.TextField(_("what is often said (English)"))
    truth_ko = models.TextField(_("what is true (Korean)"))
    truth_en = models.TextField(_("what is true (English)"))

    claim, truth = InLanguage(), InLanguage()

    class Meta:
        ordering = ["position", "pk"]
        verbose_name = _("misconception")
        verbose_name_plural = _("misconceptions")

    def __str__(self) -> str:
        return self.claim[:60]


class Link(models.Model):
    question = models.ForeignKey(Question, models.CASCADE, related_name="links")
    position = models.PositiveIntegerField(_("position"), default=100)
    title_ko = models.CharField(_("title (Korean)"), max_length=200)
    title_en = models.CharField(_("title (English)"), max_length=200)
    url = models.CharField(_("address"), max_length=500, validators=[URLValidator(schemes=["https"])])

    title = InLanguage()

    class Meta:
        ordering = ["position", "pk"]
        verbose_name = _("link")
        verbose_name_plural = _("links")

    def __str__(self) -> str:
        return self.title


class Lab(models.Model):
    """The scenario that shows a question's answer happen."""

    class Ask(models.TextChoices):
        NODE = ASKS[0], _("the node")
        OUTCOME = ASKS[1], _("the outcome")
        PLUGIN = ASKS[2], _("the plugin that rejects")
        PHASE = ASKS[3], _("the phase where it ends")
        WAITING = ASKS[4], _("waiting or not, or how many wait")

    question = models.OneToOneField(Question, models.CASCADE, related_name="lab")
    title_ko = models.CharField(_("title (Korean)"), max_length=200)
    title_en = models.CharField(_("title (English)"), max_length=200)
    text = models.TextField(_("YAML"))
    predict_question_ko = models.CharField(_("prediction asked for (Korean)"), max_length=300)
    predict_question_en = models.CharField(_("prediction asked for (English)"), max_length=300)
    predict_pod = models.CharField(
        _("pod asked about"), max_length=320, validators=[RegexValidator(r"^[^/\s]+/[^/\s]+$")], help_text="default/web"
    )
    predict_ask = models.CharField(_("what is asked"), max_length=10, choices=Ask.choices, default=Ask.NODE)
    predict_choices = models.JSONField(
        _("choices"), help_text=_("A JSON list of node names, plugins or phases; “pending” for no node.")
    )
    look_phase = models.CharField(
        _("phase to look at"), max_length=20, blank=True, choices=[(phase, phase) for phase in PHASES]
    )
    look_plugin = models.CharField(_("plugin to look at"), max_length=100, blank=True)
    look_pod = models.CharField(_("pod to look at"), max_length=320, blank=True)
    hint_ko = models.TextField(_("hint (Korean)"), blank=True)
    hint_en = models.TextField(_("hint (English)"), blank=True)
    walkthrough_ko = models.TextField(_("walkthrough (Korean)"), blank=True)
    walkthrough_en = models.TextField(_("walkthrough (English)"), blank=True)

    title, predict_question = InLanguage(), InLanguage()
    hint, walkthrough = InLanguage(), InLanguage()

    class Meta:
        verbose_name = _("lab")
        verbose_name_plural = _("labs")

    def __str__(self) -> str:
        return self.title


class Claim(models.Model):
    """A value that the run of the question's lab produces; the walkthrough's numbers come from these."""

    question = models.ForeignKey(Question, models.CASCADE, related_name="claims")
    position = models.PositiveIntegerField(_("position"), default=100)
    name = models.CharField(_("name"), max_length=63, validators=[slug])
    at = models.CharField(_("place in the record"), max_length=500)
    # null stands for JSON's null, which a record may hold.
    value = models.JSONField(_("value"), null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        constraints = [models.UniqueConstraint("question", "name", name="claim_name_in_question")]

    def __str__(self) -> str:
        return self.name


class Attempt(models.Model):
    """One learner's way through one set. The learner is a random number kept in the session."""

    learner = models.UUIDField(default=uuid.uuid4, db_index=True)
    question_set = models.ForeignKey(QuestionSet, models.CASCADE, related_name="attempts")
    started = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("learner", "question_set", name="one_attempt_per_learner_and_set")]

    def __str__(self) -> str:
        return f"{self.learner} {self.question_set.name}"


class Answer(models.Model):
    """One answer to one question. A retry withdraws the answer before and keeps it."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, models.CASCADE, related_name="answers")
    chosen = models.JSONField()
    correct = models.BooleanField()
    withdrawn = models.BooleanField(default=False)
    answered = models.DateTimeField(auto_now_add=True)
    prediction = models.CharField(max_length=320, blank=True)
    predicted_right = models.BooleanField(null=True)
    # What the run said: {"answers": [...]}; null before predicting.
    run = models.JSONField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "question"], condition=models.Q(withdrawn=False), name="one_answer_counts"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {', '.join(self.chosen)}"
