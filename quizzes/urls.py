from django.urls import path

from quizzes import views

app_name = "quizzes"

urlpatterns = [
    path("", views.home, name="home"),
    path("sets/", views.sets, name="sets"),
]
