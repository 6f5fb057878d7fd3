from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def home(request: HttpRequest) -> HttpResponse:
    return render(request, "quizzes/home.html", {"section": "home"})


def sets(request: HttpRequest) -> HttpResponse:
    return render(request, "quizzes/home.html", {"section": "questions"})
