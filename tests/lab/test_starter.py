"""The starter of a new plugin: whatever is chosen runs in the lab without a problem, and is Go of the right shape."""

from __future__ import annotations

import io
import json
import re
import zipfile
from textwrap import indent
from typing import Any

import pytest
import yaml
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lab.engine import load, run
from scheduler_lab.engine.objects.lab_plugin import Plugin
from scheduler_lab.starter.archive import archive, files
from scheduler_lab.starter.go_code import SNIPPETS, plugin_go
from scheduler_lab.starter.lab_text import lab_text
from scheduler_lab.starter.wanted import EVENTS, POINTS, Wanted, is_go_name, is_taken, wanted

# The methods of each extension point in Kubernetes 1.35; those of several belong together.
METHODS = {
    "queueSort": {"Less"},
    "preEnqueue": {"PreEnqueue"},
    "preFilter": {"PreFilter", "PreFilterExtensions"},
    "filter": {"Filter"},
    "postFilter": {"PostFilter"},
    "preScore": {"PreScore"},
    "score": {"Score", "ScoreExtensions"},
    "normalizeScore": {"NormalizeScore"},
    "reserve": {"Reserve", "Unreserve"},
    "unreserve": {"Unreserve"},
    "permit": {"Permit"},
    "preBind": {"PreBindPreFlight", "PreBind"},
    "postBind": {"PostBind"},
}
SIGNATURES = {
    "Less": "(a, b fwk.QueuedPodInfo) bool",
    "PreEnqueue": "*v1.Pod) *fwk.Status",
    "PreFilter": "[]fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status)",
    "Filter": "fwk.NodeInfo) *fwk.Status",
    "PostFilter": "fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status)",
    "PreScore": "[]fwk.NodeInfo) *fwk.Status",
    "Score": "fwk.NodeInfo) (int64, *fwk.Status)",
    "NormalizeScore": "fwk.NodeScoreList) *fwk.Status",
    "Reserve": "string) *fwk.Status",
    "Unreserve": "string) {",
    "Permit": "string) (*fwk.Status, time.Duration)",
    "PreBindPreFlight": "string) *fwk.Status",
    "PreBind": "string) *fwk.Status",
    "PostBind": "string) {",
    "EventsToRegister": "(context.Context) ([]fwk.ClusterEventWithHint, error)",
}

plugins = st.builds(
    lambda points, events, takes_args, remembers: wanted(
        "MyPlugin", [*points, *[EVENTS] * events], takes_args=takes_args, remembers=remembers
    ),
    st.sets(st.sampled_from(POINTS), min_size=1),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


def record(plugin: Wanted) -> dict[str, Any]:
    manifest = load(lab_text(plugin))
    assert not manifest.problems, [str(problem) for problem in manifest.problems]
    found: dict[str, Any] = json.loads(run(manifest).to_json())
    assert not {"error", "scenarioError", "x-problems", "maxCyclesHit"} & found.keys(), found
    return found


@settings(max_examples=120, deadline=None, derandomize=True)
@given(plugins)
def test_every_choice_runs_and_places_both_pods(plugin: Wanted) -> None:
    found = record(plugin)
    assert all(pod.get("nodeName") for pod in found["pods"].values())
    assert len(found["pods"]) == 2


@pytest.mark.parametrize("point", POINTS)
def test_each_point_is_called(point: str) -> None:
    plugin = wanted("MyPlugin", [point])
    (document,) = [item for item in load(lab_text(plugin)).objects if isinstance(item, Plugin)]
    assert getattr(document.spec, re.sub("([A-Z])", r"_\1", point).lower()) is not None
    found = json.dumps(record(plugin))
    # These leave no entry where nothing is rejected; unreserve runs when something fails.
    silent = {"queueSort", "preEnqueue", "postFilter", "unreserve", "postBind"}
    assert ('"plugin": "MyPlugin"' in found or '"MyPlugin": {' in found) or point in silent
    if point == "postBind":
        assert "MyPlugin saw it on" in found


@settings(max_examples=120, deadline=None, derandomize=True)
@given(plugins)
def test_the_go_has_exactly_the_chosen_methods(plugin: Wanted) -> None:
    code = plugin_go(plugin)
    methods = set(re.findall(r"^func \(pl \*MyPlugin\) (\w+)\(", code, re.MULTILINE))
    expected = {"Name"}.union(*(METHODS[point] for point in plugin.points))
    if plugin.registers_events:
        expected |= {"EventsToRegister"}
    assert methods == expected
    for name in methods & SIGNATURES.keys():
        (line,) = re.findall(rf"^func \(pl \*MyPlugin\) {name}(\(.*)$", code, re.MULTILINE)
        assert SIGNATURES[name].rstrip("{ ") in line, line
    assert "PLUGIN" not in code and "MOST" not in code and "LABEL" not in code
    assert code.startswith("// Package myplugin ") and 'const Name = "MyPlugin"' in code


@settings(max_examples=120, deadline=None, derandomize=True)
@given(plugins)
def test_the_go_imports_what_it_uses_and_is_balanced(plugin: Wanted) -> None:
    code = plugin_go(plugin)
    block, _end, rest = code.partition("import (\n")[2].partition("\n)\n")
    imported = dict(re.findall(r'^\t(?:(\w+) )?"([^"]+)"$', block, re.MULTILINE))
    names = {alias or path.rsplit("/", 1)[-1] for alias, path in imported.items()}
    names |= {
        path.rsplit("/", 1)[-1] for alias, path in re.findall(r'^\t(\w+ )?"([^"]+)"$', block, re.MULTILINE) if not alias
    }
    used = {name for name in names if re.search(rf"\b{name}\.", rest)}
    assert names - {""} <= used | {""}, names - used
    for opening, closing in ("()", "{}", "[]"):
        assert code.count(opening) == code.count(closing)
    assert "\n\n\n" not in code and not re.search(r"[ \t]+$", code, re.MULTILINE)


def test_what_a_point_needs_comes_with_it() -> None:
    assert wanted("X", ["normalizeScore"]).points == ("score", "normalizeScore")
    assert wanted("X", ["unreserve"]).points == ("reserve", "unreserve")
    assert wanted("X", ["filter"], remembers=True).points == ("preFilter", "filter")
    assert wanted("X", ["score"], remembers=True).points == ("preScore", "score")
    assert wanted("X", ["nonsense", "filter"]).points == ("filter",)


def test_every_snippet_is_used() -> None:
    every = [wanted("X", POINTS, remembers=remembers) for remembers in (True, False)]
    every += [wanted("X", [point, EVENTS], remembers=remembers) for point in POINTS for remembers in (True, False)]
    written = "".join(plugin_go(plugin) for plugin in every)
    for path in SNIPPETS.glob("*.go.txt"):
        first = path.read_text(encoding="utf-8").splitlines()[1].replace("PLUGIN", "X")
        assert first in written, path.name


@pytest.mark.parametrize("name", ["MyPlugin", "Ab", "Gpu2Score", "A" * 40])
def test_good_names(name: str) -> None:
    assert is_go_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *["", "A", "A" * 41, "myPlugin", "My-Plugin", "My Plugin", "9Lives", "X\n", "플러그인", "Myé"],
        *["Name", "New", "Args", "Func", "Type", "Main", "Init", "Vendor"],
    ],
)
def test_bad_names(name: str) -> None:
    assert not is_go_name(name)


def test_taken_names() -> None:
    assert is_taken("NodeResourcesFit") and is_taken("LabPermit") and is_taken("Coscheduling") and is_taken("Extender")
    assert not is_taken("MyPlugin")


def test_the_archive_holds_the_module_and_is_always_the_same() -> None:
    plugin = wanted("MyPlugin", ["filter", "score"], takes_args=True)
    made = archive(plugin)
    assert made == archive(plugin)
    with zipfile.ZipFile(io.BytesIO(made)) as opened:
        names = {name.removeprefix("myplugin-scheduler/") for name in opened.namelist()}
    assert names == set(files(plugin)) == {"go.mod", "main.go", "config.yaml", "lab.yaml", "myplugin/plugin.go"}
    config = yaml.safe_load(files(plugin)["config.yaml"])
    (profile,) = config["profiles"]
    assert profile["plugins"]["multiPoint"]["enabled"] == [{"name": "MyPlugin", "weight": 2}]
    assert profile["pluginConfig"] == [{"name": "MyPlugin", "args": {"most": 5}}]
    assert 'plugin "example.com/scheduler/myplugin"' in files(plugin)["main.go"]


@pytest.mark.django_db
class TestPage:
    ADDRESS = "/en/systems/new-plugin/"

    @pytest.mark.parametrize("language", ["en", "ko"])
    def test_it_asks(self, client: Client, language: str) -> None:
        body = client.get(f"/{language}/systems/new-plugin/").content.decode()
        for point in (*POINTS, EVENTS):
            assert f'name="points" value="{point}"' in body
        assert 'id="made"' not in body and 'aria-invalid="true"' not in body

    def test_it_makes_the_plugin_without_scripts(self, client: Client) -> None:
        query = {"name": "MyPlugin", "points": ["filter", "normalizeScore"], "takes_args": "on"}
        response = client.get(self.ADDRESS, query)
        body = response.content.decode()
        assert 'id="made"' in body and "MyPlugin in Go" in body
        assert "<code>score</code>" in body
        text = lab_text(wanted("MyPlugin", ["filter", "normalizeScore"], takes_args=True))
        ran = client.post("/en/lab/run/", {"text": text})
        assert ran.status_code == 200 and "MyPlugin" in ran.content.decode()

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ({"name": "", "points": ["filter"]}, "Give the plugin a name."),
            ({"name": "NodeName", "points": ["filter"]}, "The scheduler has a plugin of this name already."),
            ({"name": "my plugin", "points": ["filter"]}, "Write a capital letter"),
            ({"name": "MyPlugin"}, "Choose at least one extension point."),
            ({"name": "MyPlugin", "points": [EVENTS]}, "Choose at least one extension point."),
            ({"name": '"><script>', "points": ["filter"]}, "Write a capital letter"),
        ],
    )
    def test_it_says_what_is_wrong(self, client: Client, query: dict[str, Any], said: str) -> None:
        response = client.get(self.ADDRESS, query)
        body = response.content.decode()
        assert response.status_code == 200 and said in body
        assert 'id="made"' not in body and "<script>" not in body.split("<main")[1]

    def test_downloads(self, client: Client) -> None:
        query = {"name": "MyPlugin", "points": ["filter"]}
        module = client.get(f"{self.ADDRESS}download/", query)
        assert module["Content-Disposition"] == 'attachment; filename="myplugin-scheduler.zip"'
        assert module.content == archive(wanted("MyPlugin", ["filter"]))
        text = client.get(f"{self.ADDRESS}download/", {**query, "kind": "lab"})
        assert text["Content-Disposition"] == 'attachment; filename="myplugin.yaml"'
        assert text.content.decode() == lab_text(wanted("MyPlugin", ["filter"]))
        assert client.get(f"{self.ADDRESS}download/", {"name": "x"}).status_code == 400


def test_a_pod_that_pre_enqueue_held_is_let_in_when_its_label_goes() -> None:
    plugin = wanted("Holder", ["preEnqueue", EVENTS])
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: held%s}\nspec: {containers: [{name: c, image: x}]}\n"
    steps = "apiVersion: lab/v1\nkind: Timeline\nsteps:\n- apply: |\n" + indent(pod % "", "    ")
    text = "---\n".join([lab_text(plugin), pod % ', labels: {hold: "true"}', steps])
    record = json.loads(run(load(text)).to_json())
    assert [entry["pod"] for entry in record["preEnqueue"]] == ["default/held"]
    assert record["pods"]["default/held"]["nodeName"]
