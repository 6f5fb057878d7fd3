"""The extenders that learners published, for whoever runs the site."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from scheduler_lab.models import PublishedExtender


@admin.register(PublishedExtender)
class PublishedExtenderAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Short names can be given, moved and taken away; the rules are those of the text and stay."""

    list_display = ("__str__", "extender", "name", "created", "shared_text")
    search_fields = ("extender", "name", "text__digest")
    fields = ("extender", "name", "shared_text", "rules", "created")
    readonly_fields = ("extender", "shared_text", "rules", "created")
    view_on_site = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text__text")

    @admin.display(description=_("shared text"))
    def shared_text(self, published: PublishedExtender) -> SafeString:
        address = reverse("lab:shared", args=[published.text_id])
        return format_html('<a href="{}">{}</a>', address, published.text_id)
