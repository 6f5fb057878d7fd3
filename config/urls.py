from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    # Called by programs: no language in the address.
    path("extender/", include("scheduler_lab.extender.urls")),
    *i18n_patterns(
        path("admin/", admin.site.urls),
        path("lab/", include("scheduler_lab.urls")),
        path("help/", include("scheduler_lab.help.urls")),
        path("systems/", include("scheduler_lab.systems.urls")),
        path("", include("quizzes.urls")),
    ),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.permission_denied"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
