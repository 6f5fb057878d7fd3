from django.urls import path, register_converter

from scheduler_lab import views
from scheduler_lab.converters import DigestConverter
from scheduler_lab.extender.pages import publish
from scheduler_lab.views import comparing, fixing, keeping, measuring, waiting

app_name = "lab"

register_converter(DigestConverter, "digest")

urlpatterns = [
    path("", views.lab, name="lab"),
    path("run/", views.run, name="run"),
    path("act/", views.act, name="act"),
    path("run/<digest:digest>/", views.walk, name="walk"),
    path("run/<digest:digest>/fixes/", fixing.fixes, name="fixes"),
    path("run/<digest:digest>/metrics/", measuring.metrics, name="metrics"),
    path("run/<digest:digest>/lines/", views.lines, name="lines"),
    path("run/<digest:digest>/<slug:kind>", keeping.download, name="download"),
    path("apply/", fixing.apply, name="apply"),
    path("compare/", comparing.ask, name="compare-ask"),
    path("compare/<digest:before>/<digest:after>/", comparing.compare, name="compare"),
    path("job/<digest:ident>/", waiting.job, name="job"),
    path("job/<digest:ident>/cancel/", waiting.cancel, name="cancel"),
    path("share/", keeping.share_text, name="share"),
    path("publish/", publish, name="publish"),
    path("s/<digest:digest>/", keeping.shared, name="shared"),
    path("examples/", views.examples, name="examples"),
]
