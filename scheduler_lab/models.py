from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


class SharedText(models.Model):
    """A text that somebody shared, under the hash of its content."""

    digest = models.CharField(_("digest"), max_length=22, primary_key=True)
    text = models.TextField(_("text"))
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("shared text")
        verbose_name_plural = _("shared texts")

    def __str__(self) -> str:
        return self.digest


class PublishedExtender(models.Model):
    """A lab/v1 Extender document of a shared text that the site answers a real scheduler by.

    Its address has the text's hash in it; `name` is the short address, for at most one text at a time.
    """

    text = models.ForeignKey(SharedText, models.CASCADE, verbose_name=_("shared text"), related_name="extenders")
    extender = models.CharField(_("extender"), max_length=63)
    name = models.CharField(
        _("short name"),
        max_length=63,
        unique=True,
        null=True,
        blank=True,
        validators=[
            RegexValidator(
                r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", _("Use small letters, digits and hyphens, as in a host's name.")
            )
        ],
    )
    rules = models.JSONField(_("rules"))
    owner = models.CharField(_("published by"), max_length=40, blank=True)
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("published extender")
        verbose_name_plural = _("published extenders")
        constraints = [models.UniqueConstraint("text", "extender", name="one_document_of_a_name_in_a_text")]

    def __str__(self) -> str:
        return self.name or f"{self.extender}.{self.text_id}"
