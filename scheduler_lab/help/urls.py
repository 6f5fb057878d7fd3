from django.urls import path

from scheduler_lab.help import views

app_name = "help"

urlpatterns = [
    path("", views.index, name="index"),
    path("plugins/<str:name>/", views.plugin, name="plugin"),
    path("documents/<str:name>/", views.document, name="document"),
    path("points/<str:name>/", views.point, name="point"),
]
