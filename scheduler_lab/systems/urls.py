from django.urls import path

from scheduler_lab.starter.views import download, new_plugin
from scheduler_lab.systems import views

app_name = "systems"

urlpatterns = [
    path("", views.index, name="index"),
    path("new-plugin/", new_plugin, name="new-plugin"),
    path("new-plugin/download/", download, name="new-plugin-download"),
    path("<slug:name>/", views.section, name="section"),
]
