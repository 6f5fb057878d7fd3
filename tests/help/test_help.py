"""Help: every plugin and extension point has its page in both languages, and every page is true of the engine."""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from quizzes.content_format.parse import PLACEHOLDER
from quizzes.record_path import look_up
from scheduler_lab.engine import run_text
from scheduler_lab.engine.configuration.registry import EXPANSION_ORDER, KNOWN_PLUGINS
from scheduler_lab.engine.plugins.registry import plugin_class
from scheduler_lab.help import pages
from scheduler_lab.help.pages import Page
from scheduler_lab.help.relations import POINTS, plugins_at, standing
from scheduler_lab.help.schema import Text
from tests.i18n.extract import texts_of as texts_of_template

NAMES = [(kind, name) for kind in ("plugin", "point", "document") for name in pages.names(kind)]
HANGUL = re.compile(r"[가-힣]")

each_name = pytest.mark.parametrize(("kind", "name"), NAMES, ids=lambda value: value)


def page_of(kind: Any, name: str) -> Page:
    page = pages.find(kind, name)
    assert page is not None, f"write scheduler_lab/help/content/{kind}s/{name}.yaml"
    return page


@cache
def record(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_text(text).to_json())
    return found


def texts_of(value: Any) -> Iterator[Text]:
    """Every bilingual text inside a part of a page."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from texts_of(item)
    elif hasattr(value, "__struct_fields__"):
        for field in value.__struct_fields__:
            yield from texts_of(getattr(value, field))


def test_every_registered_plugin_and_extension_point_needs_a_page() -> None:
    assert set(KNOWN_PLUGINS) <= set(pages.names("plugin"))
    assert {point[0].upper() + point[1:] for point in EXPANSION_ORDER} <= set(pages.names("point"))


@each_name
def test_the_page_exists_and_is_named_like_its_file(kind: Any, name: str) -> None:
    page_of(kind, name)
    assert pages.load(pages.FOLDER / f"{kind}s" / f"{name}.yaml").metadata.name == name


def test_no_page_is_left_over() -> None:
    files = {(folder.name[:-1], path.stem) for folder in pages.FOLDER.iterdir() for path in folder.glob("*.yaml")}
    assert files == set(NAMES)


@each_name
def test_both_languages_are_written(kind: Any, name: str) -> None:
    content = page_of(kind, name).content
    found = list(texts_of(content))
    assert found
    for text in found:
        assert text.ko.strip() and text.en.strip()
        assert not HANGUL.search(text.en), text.en
    for text in (content.title, content.summary, content.does, content.example.title, content.example.reading):
        assert HANGUL.search(text.ko), text.ko
    # Sentences are sentences: a text of several words in English has Korean ones.
    for text in found:
        if len(re.sub(r"`[^`]*`|\{\{[^}]*\}\}", "", text.en).split()) > 6:
            assert HANGUL.search(text.ko), text.ko


@each_name
def test_every_number_has_its_claim(kind: Any, name: str) -> None:
    content = page_of(kind, name).content
    claimed = [claim.name for claim in content.example.claims]
    assert len(set(claimed)) == len(claimed)
    for language in ("ko", "en"):
        used = {place for text in texts_of(content) for place in PLACEHOLDER.findall(getattr(text, language))}
        assert used == set(claimed), f"{language}: the texts and the claims differ"


@each_name
def test_the_example_does_what_is_claimed(kind: Any, name: str) -> None:
    example = page_of(kind, name).content.example
    run = record(example.text)
    assert not run.keys() & {"error", "scenarioError", "x-problems", "maxCyclesHit"}, run
    assert {claim.name: look_up(run, claim.at) for claim in example.claims} == {
        claim.name: claim.value for claim in example.claims
    }
    assert example.claims


@each_name
def test_the_lab_opens_where_there_is_something_to_see(kind: Any, name: str) -> None:
    look = page_of(kind, name).content.example.look
    cycles = record(page_of(kind, name).content.example.text)["cycles"]
    assert 0 < look.cycle <= len(cycles)
    cycle = cycles[look.cycle - 1]
    if look.node and look.phase == "Score":
        assert look.plugin in cycle["score"][look.node]
    elif look.node:
        assert look.plugin in [entry["plugin"] for entry in cycle["filter"][look.node]]
    if kind == "plugin" and look.phase:
        assert look.phase in (*standing(name).points, "Score" if name == "Extender" else "")


@pytest.mark.parametrize("name", KNOWN_PLUGINS)
def test_the_example_of_a_plugin_lets_it_act(name: str) -> None:
    assert f'"{name}"' in json.dumps(record(page_of("plugin", name).content.example.text)) or name == "PrioritySort"


def reasons_in_code(name: str) -> Iterator[str]:
    """Each text that the plugin's code passes to unschedulable() or unresolvable(), `\\0` for what is filled in."""
    module = Path(__import__(plugin_class(name).__module__, fromlist=["_"]).__file__ or "")
    package = module.parent.name != "plugins"
    for path in sorted(module.parent.glob("*.py")) if package else [module]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("unschedulable", "unresolvable"):
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield argument.value
                    elif isinstance(argument, ast.JoinedStr):
                        yield "".join(
                            str(part.value) if isinstance(part, ast.Constant) else "\0" for part in argument.values
                        )


@pytest.mark.parametrize("name", KNOWN_PLUGINS)
def test_every_reason_in_the_code_is_explained(name: str) -> None:
    listed = page_of("plugin", name).content.reasons
    missing = {
        text for text in reasons_in_code(name) if not any(pages.reason_number(listed, as_) for as_ in said(text))
    }
    assert not {text for text in missing if text.strip("\0 ")}


def said(text: str) -> list[str]:
    """How a text with `\\0` in it may read: a name, a quoted one, or one with its namespace."""
    return [text.replace("\0", name) for name in ("a", '"a"', "a/b", "resource claim a/b, request r")]


@pytest.mark.parametrize("name", KNOWN_PLUGINS)
def test_every_rejection_recorded_of_the_real_scheduler_is_explained(name: str) -> None:
    listed = page_of("plugin", name).content.reasons
    scripted = name == "LabPermit"
    missing = {text for text in recorded_reasons().get(name, ()) if not pages.reason_number(listed, text)}
    assert scripted or not missing


@cache
def recorded_reasons() -> dict[str, set[str]]:
    """By plugin, the reasons of its rejections in the recorded runs of kube-scheduler v1.35.4."""
    found: dict[str, set[str]] = {}

    def add(entry: dict[str, Any]) -> None:
        if entry.get("code") in ("Unschedulable", "UnschedulableAndUnresolvable"):
            found.setdefault(entry["plugin"], set()).update(entry.get("reasons", ()))

    data = Path(__file__).resolve().parents[1] / "data"
    for path in [*(data / "cases").glob("*.json"), *(data / "conformance").rglob("*.json")]:
        run = json.loads(path.read_text(encoding="utf-8"))
        for entry in run.get("preEnqueue", ()):
            add(entry)
        for cycle in run.get("cycles", ()):
            for part in ("preFilter", "postFilter", "reserve", "permit", "preBind"):
                for entry in cycle.get(part, ()):
                    add(entry)
            for entries in cycle.get("filter", {}).values():
                for entry in entries:
                    add(entry)
    assert found
    return found


@pytest.mark.parametrize("point", POINTS)
def test_points_and_plugins_agree(point: str) -> None:
    for plugin in plugins_at(point):
        assert point in standing(plugin).points


def test_addresses_for_other_pages() -> None:
    with translation.override("ko"):
        assert pages.address_of("NodePorts") == "/ko/help/plugins/NodePorts/"
        assert pages.address_of("PreBind") == "/ko/help/points/PreBind/"
        assert pages.address_of("my-own-plugin") == ""
        assert pages.address_of_reason("NodeResourcesFit", "Insufficient example.com/gpu").endswith("#message-5")
        assert pages.address_of_reason("NodeResourcesFit", "something new") == "/ko/help/plugins/NodeResourcesFit/"
        assert pages.address_of_reason("my-own-plugin", "no") == ""


@cache
def english_texts() -> set[str]:
    """The texts of the templates that a Korean page may not show."""
    templates = (Path(__file__).resolve().parents[2] / "templates/help").glob("*.html")
    return {text for path in templates for _context, text, _line in texts_of_template(path)}


@pytest.mark.django_db
class TestPages:
    @each_name
    @pytest.mark.parametrize("language", ["en", "ko"])
    def test_it_shows_the_page(self, client: Client, kind: Any, name: str, language: str) -> None:
        page = page_of(kind, name)
        response = client.get(f"/{language}/help/{kind}s/{name}/")
        assert response.status_code == 200
        body = response.content.decode()
        main = body[body.index("<main") : body.index("</main>")]
        shown = html.unescape(re.sub(r"<[^>]+>", "", main))
        assert "{{" not in shown and "{%" not in main and "style=" not in main
        for reason in page.content.reasons:
            assert reason.text in shown
        for argument in page.content.args:
            assert argument.name in shown
        if language == "en":
            assert not HANGUL.search(shown)
        else:
            prose = re.sub(r"<(pre|code)\b.*?</\1>", "", main.replace("<wbr>", ""), flags=re.DOTALL)
            lines = {line.strip() for line in re.split(r"<[^>]+>", prose)}
            # Plugin is a document's kind, too.
            assert not (lines & english_texts()) - set(pages.names("document"))

    @pytest.mark.parametrize("language", ["en", "ko"])
    def test_the_index_links_every_page(self, client: Client, language: str) -> None:
        body = client.get(f"/{language}/help/").content.decode()
        for kind, name in NAMES:
            assert f"/{language}/help/{kind}s/{name}/" in body

    @pytest.mark.parametrize("path", ["plugins/Nobody/", "points/NodePorts/", "plugins/Filter/", "plugins/..%2fx/"])
    def test_other_names_are_not_found(self, client: Client, path: str) -> None:
        assert client.get(f"/en/help/{path}").status_code == 404

    def test_a_plugin_and_its_points_link_each_other(self, client: Client) -> None:
        plugin = client.get("/en/help/plugins/NodePorts/").content.decode()
        assert "/en/help/points/Filter/" in plugin and "/en/help/points/PreFilter/" in plugin
        assert "/en/help/plugins/NodePorts/" in client.get("/en/help/points/Filter/").content.decode()

    def test_the_example_runs_in_the_lab(self, client: Client) -> None:
        body = client.get("/en/help/plugins/NodePorts/").content.decode()
        fields = {
            name: html.unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', body)
        }
        response = client.post("/en/lab/run/", fields)
        assert response.status_code == 200
        assert "free ports for the requested pod ports" in response.content.decode()
