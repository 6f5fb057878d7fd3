"""Accounts: Django's own pages, with the widgets that keyboards and screen readers can use."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User

admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(UserAdmin):
    # The two-box chooser and the split date fields come without labels of their own.
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")
