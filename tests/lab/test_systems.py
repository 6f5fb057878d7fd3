"""The systems: every section is true of the engine, in both languages, and leads to its question and back."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from quizzes.content_format.parse import PLACEHOLDER
from quizzes.management.commands.loadsets import CONTENT
from quizzes.models import Question
from quizzes.record_path import look_up
from scheduler_lab import examples, runs
from scheduler_lab.engine import load, run
from scheduler_lab.engine.cluster.kubelet import QUARANTINE_SECONDS
from scheduler_lab.engine.cluster.termination import DEFAULT_GRACE_SECONDS
from scheduler_lab.engine.framework.resources import DEFAULT_MEMORY, DEFAULT_MILLI_CPU
from scheduler_lab.engine.framework.runtime import MAX_PERMIT_TIMEOUT_SECONDS
from scheduler_lab.engine.objects.lab import Options
from scheduler_lab.help.schema import Text
from scheduler_lab.systems import cost
from scheduler_lab.systems.sections import FOLDER, System, all_systems, find, of_question
from scheduler_lab.systems.sections import load as load_file

HANGUL = re.compile(r"[가-힣]")
NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?")
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
ROOT = Path(__file__).resolve().parents[2]

# What the API server refuses on purpose.
REFUSING = {"schedulers-resource-quota"}
WARNING = {"schedulers-same-pod-conflict", "schedulers-shared-lease-mistake", *REFUSING}

each_system = pytest.mark.parametrize("system", all_systems(), ids=lambda system: system.name)


@cache
def record(name: str) -> dict[str, Any]:
    example = examples.by_name(name)
    assert example is not None, f"write scheduler_lab/examples/{name}.yaml"
    manifest = load(example.text)
    assert name in WARNING or not manifest.problems, manifest.problems
    found: dict[str, Any] = json.loads(run(manifest).to_json())
    assert not {"error", "scenarioError", "maxCyclesHit"} & found.keys(), found
    assert ("x-problems" in found) == (name in REFUSING), found.get("x-problems")
    return found


def texts_of(value: Any) -> Iterator[Text]:
    """Every bilingual text inside a part of a section."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from texts_of(item)
    elif hasattr(value, "__struct_fields__"):
        for field in value.__struct_fields__:
            yield from texts_of(getattr(value, field))


def test_there_is_a_section_for_each_question_of_the_set() -> None:
    source = (Path(CONTENT) / "custom-schedulers.yaml").read_text(encoding="utf-8")
    names = re.findall(r"^  - name: ([\w-]+)$", source, re.MULTILINE)
    assert [system.content.question for system in all_systems()] == [f"custom-schedulers/{name}" for name in names]
    assert [system.number for system in all_systems()] == list(range(1, len(names) + 1))
    for system in all_systems():
        assert load_file(FOLDER / f"{system.name}.yaml").metadata.name == system.name
        assert of_question(system.content.question) == system


@each_system
def test_every_claim_is_what_the_engine_gives(system: System) -> None:
    for example in system.content.examples:
        found = {claim.name: look_up(record(example.name), claim.at) for claim in example.claims}
        assert found == {claim.name: claim.value for claim in example.claims}
        assert example.claims


@each_system
def test_the_texts_use_only_what_is_claimed(system: System) -> None:
    claimed = [claim.name for example in system.content.examples for claim in example.claims]
    assert len(set(claimed)) == len(claimed)
    for language in ("ko", "en"):
        used = {place for text in texts_of(system.content) for place in PLACEHOLDER.findall(getattr(text, language))}
        assert used <= set(claimed), used - set(claimed)
    for example in system.content.examples:
        ko, en = (set(PLACEHOLDER.findall(getattr(example.look, language))) for language in ("ko", "en"))
        assert ko == en


def known_numbers() -> set[str]:
    """Numbers that are no result of a run: the engine's constants, and what the formulas are made of."""
    options = Options()
    constants = {
        MAX_PERMIT_TIMEOUT_SECONDS / 60,
        QUARANTINE_SECONDS,
        DEFAULT_GRACE_SECONDS,
        DEFAULT_MILLI_CPU,
        DEFAULT_MEMORY / 2**20,
        options.max_error_attempts,
        600,  # VolumeBinding's bindTimeoutSeconds
        50,  # the least that two shares can give
        1.2,  # Volcano's overcommit factor
    }
    return {f"{number:g}" for number in constants} | {"0", "1", "2", "10", "100", "1.34", "1.35"}


@each_system
def test_no_other_number_stands_in_the_texts(system: System) -> None:
    """A number is a claim, or stands in an example, or is one that the engine works with."""
    inputs = " ".join(each.example.text for each in system.examples)
    known = set(re.findall(r"\d+(?:\.\d+)?", inputs)) | known_numbers()
    for text in texts_of(system.content):
        for said in (text.ko, text.en):
            plain = re.sub(r"^\d+\. ", "", CODE.sub("", PLACEHOLDER.sub("", said)), flags=re.MULTILINE)
            unknown = {number for number in NUMBER.findall(plain) if number not in known}
            assert not unknown, (unknown, said)


@each_system
def test_the_lab_opens_where_there_is_something_to_see(system: System) -> None:
    for example in system.content.examples:
        cycles = record(example.name)["cycles"]
        assert 0 <= example.at.cycle <= len(cycles), example.name


@each_system
def test_both_languages_are_written(system: System) -> None:
    for text in texts_of(system.content):
        assert text.ko.strip() and text.en.strip()
        assert not HANGUL.search(text.en), text.en
        if len(CODE.sub("", PLACEHOLDER.sub("", text.en)).split()) > 6:
            assert HANGUL.search(text.ko), text.ko


@each_system
def test_each_has_its_go_counterpart(system: System) -> None:
    assert system.content.go and len(system.go) == len(system.content.go)
    listed = {example.name for example in system.content.examples}
    for shown in system.go:
        assert shown.file.example in listed
        assert f"({shown.file.path})" in (ROOT / "docs/go/README.md").read_text(encoding="utf-8")


def test_every_example_of_a_system_belongs_to_one() -> None:
    listed = {example.name for system in all_systems() for example in system.content.examples}
    families = ("schedulers-", "extender-", "gang-", "plugin-", "preemption-", "volume-", "affinity-", "node-name-")
    for example in examples.all_examples():
        assert example.name in listed or not example.name.startswith(families) or example.name == "plugin-queue-sort"


def test_the_table_names_every_example_and_test() -> None:
    table = (ROOT / "docs/systems.md").read_text(encoding="utf-8")
    for system in all_systems():
        for example in system.content.examples:
            assert f"`{example.name}`" in table, example.name
    for path in re.findall(r"\(\.\./([^)#]+)\)", table):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"\((systems/[^)]+)\)", table):
        shot = ROOT / "docs" / path
        assert shot.stat().st_size < 60_000, path


# What the examples show beyond their claims.


def nodes_of(name: str) -> dict[str, str]:
    return {key.removeprefix("default/"): pod.get("nodeName", "") for key, pod in record(name)["pods"].items()}


def cycles_of(name: str, pod: str) -> list[dict[str, Any]]:
    return [cycle for cycle in record(name)["cycles"] if cycle["pod"] == f"default/{pod}"]


def test_a_wrong_annotation_is_no_gang() -> None:
    placed = nodes_of("gang-volcano-wrong-annotation")
    assert [bool(placed[f"right-{n}"]) for n in range(3)] == [False] * 3
    assert [bool(placed[f"wrong-{n}"]) for n in range(3)] == [True, True, False]


def test_a_nomination_is_no_reservation() -> None:
    placed = nodes_of("preemption-graceful-termination")
    assert (placed["alarm"], placed["payment"]) == ("node-2", "")
    assert cycles_of("preemption-graceful-termination", "alarm")[-1]["step"] == 4  # when 59 + 1 seconds are over


def test_unreserve_is_the_reverse_of_reserve() -> None:
    failed = cycles_of("prebind-unreserve-order", "second")[0]
    reserved = [entry["plugin"] for entry in failed["reserve"]]
    assert [entry["plugin"] for entry in failed["unreserve"]] == reserved[::-1]
    retried = cycles_of("prebind-unreserve-order", "second")[1]
    assert retried["x-time"] > failed["x-time"]


def test_a_claim_without_prebind_stays_pending_and_one_with_it_does_not() -> None:
    found = record("volume-without-prebind")
    assert [entry["pod"] for entry in found["x-kubelet"] if entry.get("claim")] == ["default/db-stuck"]
    assert all(nodes_of("volume-without-prebind").values())


def test_a_waiting_pod_and_a_rejected_nominated_one_hold_their_place() -> None:
    blocked, still, placed = cycles_of("plugin-permit-approval", "monitor")
    assert "node" not in blocked["result"] and "node" not in still["result"] and placed["result"]["node"] == "node-1"
    assert record("plugin-permit-approval")["queue"]["unschedulablePlugins"]["default/export"] == ["ApprovalPermit"]


def test_what_only_kubelets_check() -> None:
    told = {
        entry["pod"].removeprefix("default/"): entry["phase"]
        for entry in record("node-name-what-is-checked")["x-kubelet"]
    }
    assert told == {"guard": "Running", "guest": "Running"} | dict.fromkeys(
        ("wrong-label", "same-port", "too-large", "not-tolerant"), "Failed"
    )
    assert {cycle["pod"] for cycle in record("node-name-what-is-checked")["cycles"]} == {"default/guest-asked"}


def test_a_plugin_that_pins_checks_everything() -> None:
    assert nodes_of("plugin-pin-to-node") == {
        "pinned": "worker-1",
        "pinned-too": "",
        "early": "worker-3",
        "free": "worker-2",
    }


def test_affinity_costs_more_the_larger_the_cluster() -> None:
    assert [entry.nodes for entry in cost.KEPT] == list(cost.SIZES)
    ratios = [entry.ratio for entry in cost.KEPT]
    assert ratios == sorted(ratios)
    (small, larger) = cost.measure((10, 100))
    assert small.running == 50 and larger.affinity > small.affinity > 0 and larger.ratio > 1


def test_both_measured_clusters_place_every_pod() -> None:
    for affinity in (False, True):
        found = json.loads(run(load(cost.cluster(10, affinity))).to_json())
        assert "x-problems" not in found
        placed = [pod.get("nodeName") for key, pod in found["pods"].items() if key.startswith("default/new-")]
        assert len(placed) == cost.PENDING and all(placed)


@pytest.fixture
def shipped(db: None) -> None:
    call_command("loadsets", verbosity=0)


@pytest.mark.django_db
class TestPages:
    @each_system
    @pytest.mark.parametrize("language", ["en", "ko"])
    def test_it_shows_the_section(self, client: Client, system: System, language: str) -> None:
        response = client.get(f"/{language}/systems/{system.name}/")
        assert response.status_code == 200
        body = response.content.decode()
        main = body[body.index("<main") : body.index("</main>")]
        shown = html.unescape(re.sub(r"<[^>]+>", "", main))
        prose = re.sub(r"<pre.*?</pre>", "", main, flags=re.DOTALL)
        assert "{{" not in prose and "{%" not in main and "style=" not in main
        assert f"/{language}/sets/{system.content.question}/" in main
        for each in system.examples:
            assert each.example.title in shown or language == "ko"
            assert f'id="{each.example.name}"' in main
        if language == "en":
            assert not HANGUL.search(shown)

    @pytest.mark.parametrize("language", ["en", "ko"])
    def test_the_index_links_every_section(self, client: Client, language: str) -> None:
        body = client.get(f"/{language}/systems/").content.decode()
        for system in all_systems():
            assert f'href="/{language}/systems/{system.name}/"' in body
        assert f'href="/{language}/systems/" aria-current="page"' in body

    def test_other_names_are_not_found(self, client: Client) -> None:
        assert client.get("/en/systems/nothing/").status_code == 404

    @each_system
    def test_each_example_runs_from_the_page(self, client: Client, system: System) -> None:
        body = client.get(f"/en/systems/{system.name}/").content.decode()
        form = body[body.index('<section class="panel example"') :]
        fields = {
            name: html.unescape(value)
            for name, value in re.findall(
                r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[: form.index("</form>")]
            )
        }
        response = client.post("/en/lab/run/", fields)
        assert response.status_code == 200
        assert re.search(r"/en/lab/run/[\w-]{8,}/", response.content.decode())

    def test_a_question_leads_to_its_system_only_once_it_is_answered(self, client: Client, shipped: None) -> None:
        question = Question.objects.get(name="permit")
        address = f"/en/sets/custom-schedulers/{question.name}/"
        before = client.get(address).content.decode()
        assert "Build it in the lab" not in before and "/systems/permit/" not in before
        client.post(f"{address}answer/", {"choice": question.choices.get(correct=True).name})
        after = client.get(address).content.decode()
        assert "Build it in the lab" in after and "/en/systems/permit/#plugin-permit-approval" in after

    def test_it_measures_the_cost_when_asked(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = "/en/systems/inter-pod-affinity/"
        assert "Measured here" not in client.get(asked).content.decode()
        runs.cache().set("systems-cost", b'[{"nodes":10,"without":1.0,"affinity":3.0}]', 60)
        shown = client.post(asked).content.decode()
        assert "Measured here, just now" in shown and "× 3.0" in shown
        assert "Measured here" not in client.post("/en/systems/permit/").content.decode()

    def test_it_says_so_when_it_cannot_measure(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scheduler_lab.systems.measuring.SECONDS", 0.0001)
        assert "This machine is busy" in client.post("/en/systems/inter-pod-affinity/").content.decode()


def test_a_section_that_is_not_there() -> None:
    assert find("nothing") is None and of_question("custom-schedulers/nothing") is None
