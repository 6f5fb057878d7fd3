"""What every page has: language, policy, errors."""

import re

import pytest
from django.test import Client, override_settings
from django.urls import path
from pytest_django.asserts import assertContains, assertRedirects

from config.urls import handler400, handler403, handler404, handler500, urlpatterns

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

pytestmark = pytest.mark.django_db


def test_the_first_page_is_in_the_browser_s_language(client: Client) -> None:
    assertRedirects(client.get("/", headers={"accept-language": "ko-KR,ko;q=0.9"}), "/ko/")
    assertRedirects(Client().get("/", headers={"accept-language": "fr"}), "/en/")


def test_the_language_last_seen_is_kept(client: Client) -> None:
    client.get("/ko/")
    assertRedirects(client.get("/", headers={"accept-language": "en"}), "/ko/")


def test_the_language_switch_keeps_the_page_and_its_query(client: Client) -> None:
    assertContains(client.get("/en/sets/?x=1&y=2"), 'href="/ko/sets/?x=1&amp;y=2"')


@pytest.mark.parametrize("page", ["/en/", "/ko/sets/", "/en/nothing/", "/en/admin/login/"])
def test_the_policy_is_strict_and_pages_keep_to_it(client: Client, page: str) -> None:
    response = client.get(page)
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    text = response.content.decode()
    assert not re.search(r"<script(?![^>]* src=)[^>]*>|<style| style=| on\w+=", text)
    assert not re.search(r'(src|href)="(https?:)?//', text)


@pytest.mark.parametrize(("language", "words"), [("en", "There is no such page"), ("ko", "페이지를 찾을 수 없습니다")])
def test_a_page_that_is_not_there(client: Client, language: str, words: str) -> None:
    response = client.get(f"/{language}/nothing/")
    assertContains(response, words, status_code=404)
    assertContains(response, f'<html lang="{language}">', status_code=404)


def broken(request: object) -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize(("language", "words"), [("en", "Something went wrong here"), ("ko", "문제가 생겼습니다")])
def test_a_fault_of_ours(language: str, words: str) -> None:
    urls = type("Urls", (), {"urlpatterns": [path(f"{language}/broken/", broken), *urlpatterns], **handlers()})
    with override_settings(ROOT_URLCONF=urls):
        response = Client(raise_request_exception=False).get(f"/{language}/broken/")
    assertContains(response, words, status_code=500)


def handlers() -> dict[str, str]:
    return {
        "handler400": handler400,
        "handler403": handler403,
        "handler404": handler404,
        "handler500": handler500,
    }


def test_a_form_without_its_token() -> None:
    response = Client(enforce_csrf_checks=True).post("/ko/sets/x/y/answer/")
    assertContains(response, "양식의 유효 시간이 지났습니다", status_code=403)


@pytest.mark.usefixtures("sample")
def test_too_much_text(client: Client) -> None:
    body, kind = "choice=" + "x" * 100, "application/x-www-form-urlencoded"
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=10):
        response = client.post("/en/sets/sample/which-node/answer/", body, content_type=kind)
    assertContains(response, "This is too much text", status_code=413)


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize(
    "page",
    [
        "",
        "sets/",
        "sets/sample/",
        "sets/sample/which-node/",
        "sets/sample/result/",
        "lab/",
        "lab/examples/",
        "help/",
        "help/plugins/NodeName/",
        "admin/login/",
    ],
)
def test_head_answers_as_get_does_without_the_body(client: Client, page: str) -> None:
    response = client.head(f"/en/{page}")
    assert (response.status_code, response.content) == (200, b"")


def test_static_files_are_served_with_debug_off(client: Client) -> None:
    assert client.get("/static/css/tokens.css").status_code == 200
    assert client.get("/static/img/favicon.svg").status_code == 200
