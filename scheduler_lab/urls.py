from django.urls import path, register_converter

from scheduler_lab import views
from scheduler_lab.converters import DigestConverter

app_name = "lab"

register_converter(DigestConverter, "digest")

urlpatterns = [
    path("", views.lab, name="lab"),
    path("run/", views.run, name="run"),
    path("run/<digest:digest>/", views.walk, name="walk"),
    path("run/<digest:digest>/<slug:kind>", views.download, name="download"),
    path("share/", views.share_text, name="share"),
    path("s/<digest:digest>/", views.shared, name="shared"),
    path("examples/", views.examples, name="examples"),
]
