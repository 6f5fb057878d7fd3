from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SchedulerLabConfig(AppConfig):
    name = "scheduler_lab"
    verbose_name = _("Scheduler Lab")
