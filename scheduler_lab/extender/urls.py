from django.urls import path

from scheduler_lab.extender import views

app_name = "extender"

urlpatterns = [
    path("<str:name>/<str:verb>", views.call, name="call"),
    path("", views.nothing),
    path("<path:rest>", views.nothing),
]
