"""The lab's pages over HTTP."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from django.test import Client

from scheduler_lab import examples, runs, share
from scheduler_lab.outcome import RunOutcome

SMALL = (Path(__file__).resolve().parent.parent / "data/cases/76-toleration-does-not-attract.yaml").read_text()
PENDING = (Path(__file__).resolve().parent.parent / "data/cases/16-many-pools-one-line.yaml").read_text()
HTMX = {"HX-Request": "true"}

pytestmark = pytest.mark.django_db


def post(client: Client, text: str, language: str = "en", **headers: str) -> str:
    response = client.post(f"/{language}/lab/run/", {"text": text}, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def editor_text(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\r?\n?(.*?)</textarea>", page, re.DOTALL)
    assert found
    return html.unescape(found.group(1))


def test_the_empty_lab_teaches(client: Client) -> None:
    page = client.get("/en/lab/").content.decode()
    assert "Paste your nodes and pods" in page
    assert page.count("?example=") >= 12


def test_an_example_is_loaded_and_not_yet_run(client: Client) -> None:
    example = examples.all_examples()[0]
    page = client.get(f"/ko/lab/?example={example.name}").content.decode()
    assert editor_text(page) == example.text
    assert example.titles["ko"] in page
    assert 'id="filter"' not in page


def test_a_run_keeps_the_text_and_shows_the_verdicts(client: Client) -> None:
    page = post(client, SMALL)
    assert editor_text(page) == SMALL
    assert "1 pod: 1 running" in page
    assert "web-1 won by 12 points over ml-1." in page
    assert "style=" not in page


def test_htmx_gets_the_result_alone(client: Client) -> None:
    response = client.post("/en/lab/run/", {"text": SMALL}, headers=HTMX)
    page = response.content.decode()
    assert "<html" not in page
    assert response["HX-Push-Url"] == f"/en/lab/run/{share.digest(SMALL)}/"


def test_walking_runs_nothing_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    post(client, SMALL)

    def refuse(*_args: object, **_options: object) -> RunOutcome:
        raise AssertionError("the text was run again")

    monkeypatch.setattr(runs, "run_text", refuse)
    page = client.get(f"/en/lab/run/{share.digest(SMALL)}/?cycle=1").content.decode()
    assert editor_text(page) == SMALL
    assert "web-1 won by 12 points" in page


def test_evidence_opens_in_the_table(client: Client) -> None:
    post(client, PENDING)
    address = f"/en/lab/run/{share.digest(PENDING)}/?cycle=1&node=worker-1&plugin=NodeResourcesFit"
    page = client.get(address).content.decode()
    assert 'id="evidence"' in page
    assert "NodeResourcesFit rejects worker-1." in page
    assert 'class="ln hll"' in page


def test_the_message_is_shown_word_for_word(client: Client) -> None:
    page = post(client, PENDING)
    found = re.search(r'<p class="msg" lang="en">(.*?)</p>', page, re.DOTALL)
    assert found
    said = html.unescape(re.sub(r"<[^>]+>", "", found.group(1)))
    record = runs.perform(PENDING).outcome.record
    assert record is not None
    assert said == record["cycles"][0]["result"]["message"]


def test_a_run_that_nobody_knows(client: Client) -> None:
    assert client.get(f"/en/lab/run/{'a' * 22}/").status_code == 404
    assert "not kept any more" in client.get(f"/en/lab/run/{'a' * 22}/", headers=HTMX).content.decode()


def test_sharing_is_by_content(client: Client) -> None:
    post(client, SMALL)
    digest = share.digest(SMALL)
    for _time in range(2):
        response = client.post("/en/lab/share/", {"digest": digest})
        assert response.headers["Location"] == f"/en/lab/s/{digest}/"
    page = client.get(f"/ko/lab/s/{digest}/").content.decode()
    assert editor_text(page) == SMALL
    assert client.get(f"/en/lab/s/{'b' * 22}/").status_code == 404


def test_sharing_by_htmx_shows_the_link(client: Client) -> None:
    post(client, SMALL)
    page = client.post("/en/lab/share/", {"digest": share.digest(SMALL)}, headers=HTMX).content.decode()
    assert f"http://testserver/en/lab/s/{share.digest(SMALL)}/" in page


@pytest.mark.parametrize(("kind", "begins"), [("yaml", "# title"), ("json", "{"), ("markdown", "# 1 pod: 1 running")])
def test_downloads(client: Client, kind: str, begins: str) -> None:
    post(client, SMALL)
    response = client.get(f"/en/lab/run/{share.digest(SMALL)}/{kind}")
    assert "attachment" in response["Content-Disposition"]
    assert response.content.decode().startswith(begins)
    if kind == "json":
        assert json.loads(response.content)["kubernetes"] == "v1.35.4"


def test_a_file_replaces_the_text(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(SMALL.replace("\n", "\r\n").encode())
    with path.open("rb") as file:
        page = client.post("/en/lab/run/", {"text": "old", "file": file}).content.decode()
    assert editor_text(page) == SMALL


def test_run_rejects_get(client: Client) -> None:
    assert client.get("/en/lab/run/").headers["Location"] == "/en/lab/"


def test_the_policy_stays_strict(client: Client) -> None:
    response = client.post("/en/lab/run/", {"text": PENDING})
    assert "unsafe" not in response["Content-Security-Policy"]
    assert not re.search(r"<script(?![^>]*(src=|application/json))", response.content.decode())


@pytest.mark.parametrize("stop", ["time", "memory", "size", "crashed", "busy"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_stopped_run_says_so(client: Client, monkeypatch: pytest.MonkeyPatch, stop: str, language: str) -> None:
    monkeypatch.setattr(runs, "run_text", lambda _text, **_options: RunOutcome(stopped=stop))  # type: ignore[arg-type]
    page = post(client, "a: 1", language)
    assert editor_text(page) == "a: 1"
    assert ("The run was stopped" in page) == (language == "en")
    assert 'class="problem sum"' in page


def test_every_example_runs(client: Client) -> None:
    for example in examples.all_examples():
        outcome = runs.perform(example.text).outcome
        assert outcome.stopped is None, example.name
        assert outcome.record and outcome.record.get("cycles"), (example.name, outcome.problems)


def test_every_example_file_is_readable() -> None:
    files = sorted(examples.FOLDER.glob("*.yaml"))
    assert len(files) >= 12
    for path in files:
        example = examples.parse(path.read_text(encoding="utf-8"))
        assert example.name == path.stem
        assert example.text.strip()


def test_the_cluster_is_drawn_before_and_after(client: Client) -> None:
    page = post(client, SMALL)
    assert page.count('class="node"') == 4
    assert "placed" in page
