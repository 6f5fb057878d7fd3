from django.urls import path

from quizzes import views

app_name = "quizzes"

urlpatterns = [
    path("", views.home, name="home"),
    path("sets/", views.sets, name="sets"),
    path("sets/<slug:set_name>/", views.question_set, name="set"),
    path("sets/<slug:set_name>/result/", views.result, name="result"),
    path("sets/<slug:set_name>/restart/", views.restart, name="restart"),
    path("sets/<slug:set_name>/<slug:name>/", views.question, name="question"),
    path("sets/<slug:set_name>/<slug:name>/answer/", views.answer, name="answer"),
    path("sets/<slug:set_name>/<slug:name>/retry/", views.retry, name="retry"),
    path("sets/<slug:set_name>/<slug:name>/predict/", views.predict, name="predict"),
]
