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
