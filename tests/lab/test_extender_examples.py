"""Each shipped example of an extender shows what its description says, in the record and on the page."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from scheduler_lab import examples
from scheduler_lab.engine import ALL, load, run_text
from scheduler_lab.simulation import suggestions

TIMEOUT = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"


def text_of(name: str) -> str:
    example = examples.by_name(name)
    assert example is not None
    return example.text


def record_of(name: str, **changes: str) -> dict[str, Any]:
    """The record of an example, after changes of its text given as old=new pairs."""
    text = text_of(name)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return run_text(text, ALL).to_builtins()


def calls(record: dict[str, Any]) -> list[tuple[str, str, int | None]]:
    """(extender, role, status) of every call."""
    return [
        (call["extender"], call["role"], call.get("status"))
        for cycle in record["cycles"]
        for call in cycle.get("x-calls", [])
    ]


def test_filter_and_prioritize() -> None:
    record = record_of("extender-filter-and-prioritize")
    assert calls(record) == [("racks", "filter", 200), ("racks", "prioritize", 200)]
    cycle = record["cycles"][0]
    sent = cycle["x-calls"][0]["request"]
    assert list(sent) == ["Pod", "Nodes", "NodeNames"]
    assert (sent["Nodes"], sent["NodeNames"]) == (None, ["node-1", "node-2", "node-3"])
    assert "kind" not in sent["Pod"] and sent["Pod"]["metadata"]["name"] == "web"
    assert cycle["x-calls"][1]["response"] == [{"Host": "node-1", "Score": 2}, {"Host": "node-2", "Score": 9}]
    assert cycle["result"] == {"node": "node-2"}


def test_scores_beyond_ten_drown_the_plugins() -> None:
    assert record_of("extender-prioritize-drowns")["cycles"][0]["result"] == {"node": "busy"}
    meant = record_of("extender-prioritize-drowns", **{"busy: 100, empty: 60": "busy: 10, empty: 6"})
    assert meant["cycles"][0]["result"] == {"node": "empty"}


def test_bind() -> None:
    record = record_of("extender-bind")
    by_pod = {cycle["pod"]: cycle for cycle in record["cycles"]}
    assert "bind" not in by_pod["default/codec"]
    assert by_pod["default/codec"]["x-calls"][0]["request"] == {
        "PodName": "codec",
        "PodNamespace": "default",
        "PodUID": "default/codec",
        "Node": "node-1",
    }
    assert by_pod["default/web"]["bind"][0]["plugin"] == "DefaultBinder"
    busy = record_of("extender-bind", **{"bind: {} ": "bind: {error: device fpga0 is busy} "})
    assert busy["cycles"][0]["result"] == {"code": "Error", "message": "device fpga0 is busy"}


def test_preemption() -> None:
    record = record_of("extender-preemption")
    assert record["deleted"] == ["default/web"]
    call = record["cycles"][0]["x-calls"][0]
    assert call["url"] == "http://lab-extender-guard/preemption"
    assert set(call["request"]["NodeNameToMetaVictims"]) == {"node-1", "node-2"}
    assert call["response"] == {
        "NodeNameToMetaVictims": {"node-2": {"Pods": [{"UID": "default/web"}], "NumPDBViolations": 0}}
    }
    whole = record_of("extender-preemption", **{"nodeCacheCapable: true ": "nodeCacheCapable: false "})
    sent = whole["cycles"][0]["x-calls"][0]["request"]
    assert sent["NodeNameToMetaVictims"] is None
    assert sent["NodeNameToVictims"]["node-1"]["Pods"][0]["metadata"]["name"] == "report"
    assert record_of("extender-preemption", **{"drop: [node-1]": "drop: []"})["deleted"] == ["default/report"]


def test_failing() -> None:
    record = record_of("extender-fails")
    message = "failed filter with extender at URL http://lab-extender-broken/filter, code 503"
    assert {cycle["result"]["message"] for cycle in record["cycles"]} == {message}
    assert record["pods"]["default/web"]["scheduled"]["reason"] == "SchedulerError"
    ignorable = record_of("extender-fails", **{"# ignorable: true": "ignorable: true"})
    assert ignorable["cycles"][0]["result"] == {"node": "node-1"}
    assert ignorable["cycles"][0]["x-calls"][0]["ignored"] is True


def test_ignorable_and_too_slow() -> None:
    record = record_of("extender-ignorable-timeout")
    assert calls(record) == [("zones", "filter", 200), ("audit", "filter", None)]
    late = record["cycles"][0]["x-calls"][1]
    assert late["error"] == f'Post "http://lab-extender-audit/filter": {TIMEOUT}'
    assert (late["ignored"], late["seconds"]) == (True, 2)
    assert record["cycles"][0]["result"] == {"node": "node-2"}
    strict = record_of("extender-ignorable-timeout", **{"ignorable: true ": "ignorable: false "})
    assert strict["cycles"][0]["result"] == {"code": "Error", "message": late["error"]}
    patient = record_of("extender-ignorable-timeout", **{"httpTimeout: 2s": "httpTimeout: 8s"})
    assert patient["cycles"][0]["result"]["message"].startswith("0/2 nodes are available: 1 not audited")


def test_managed_resources() -> None:
    record = record_of("extender-managed-resources")
    assert calls(record) == [("licenses", "filter", 200)]
    assert record["pods"]["default/simulation"]["nodeName"] == "node-2"
    counted = record_of("extender-managed-resources", **{", ignoredByScheduler: true": ""})
    assert "2 Insufficient example.com/license" in counted["cycles"][0]["result"]["message"]


@pytest.mark.parametrize("verb", ["filter", "prioritize", "preemption", "bind"])
@pytest.mark.parametrize("failure", ["httpStatus: 500", "latencySeconds: 5"])
def test_every_verb_can_fail(verb: str, failure: str) -> None:
    name = {"bind": "extender-bind", "preemption": "extender-preemption"}.get(verb, "extender-filter-and-prioritize")
    text = re.sub(r"(kind: Extender\nname: \w+\n)", rf"\1{failure}\n", text_of(name))
    if verb == "prioritize":
        text = text.replace("  filterVerb: filter\n", "")
    found = [c for cycle in run_text(text, ALL).to_builtins()["cycles"] for c in cycle.get("x-calls", [])]
    call = next(call for call in found if call["role"] == verb)
    status = call.get("status")
    assert call["error"].endswith("code 500" if status else TIMEOUT)
    assert call.get("ignored", False) is (verb == "prioritize")


def test_whole_nodes_are_sent_without_node_cache_and_long_lists_are_cut() -> None:
    text = text_of("extender-filter-and-prioritize").replace("nodeCacheCapable: true", "nodeCacheCapable: false")
    call = run_text(text, ALL).to_builtins()["cycles"][0]["x-calls"][0]
    assert [node["metadata"]["name"] for node in call["request"]["Nodes"]["items"]] == ["node-1", "node-2", "node-3"]
    assert call["request"]["NodeNames"] is None and call["response"]["NodeNames"] is None
    for number in range(40):
        text += f"\n---\napiVersion: v1\nkind: Node\nmetadata: {{name: more-{number}}}\n"
        text += "status: {allocatable: {cpu: 4, memory: 8Gi}}"
    call = run_text(text, ALL).to_builtins()["cycles"][0]["x-calls"][0]
    assert (call["asked"], len(call["request"]["Nodes"]["items"]), call["omitted"]) == (43, 25, 18)


def test_runs_without_evidence_record_no_json() -> None:
    call = run_text(text_of("extender-filter-and-prioritize")).to_builtins()["cycles"][0]["x-calls"][0]
    assert "request" not in call and "response" not in call


def test_the_documentation_shows_a_document_that_loads() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "lab-documents.md").read_text(encoding="utf-8")
    shown = page.split("\n## Extender\n", 1)[1].split("```yaml\n", 1)[1].split("```", 1)[0]
    manifest = load(shown)
    assert manifest.problems == [] and [item.kind for item in manifest.objects] == ["Extender"]
    assert set(re.findall(r"^(\w+):", shown, re.MULTILINE)) >= {"filter", "prioritize", "preempt", "bind"}


# -- the page ------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["Extender calls", "Publish as extender", "Copy as curl", "leaves 2 of 3 nodes"]),
        ("ko", ["익스텐더 호출", "익스텐더로 공개", "curl 명령 복사", "노드 3개 가운데 2개를 남김"]),
    ],
)
def test_the_page_shows_calls_with_their_json(client: Client, language: str, words: list[str]) -> None:
    response = client.post(f"/{language}/lab/run/", {"text": text_of("extender-filter-and-prioritize")})
    page = response.text
    for word in words:
        assert word in page
    shown = html.unescape(re.sub(r"<[^>]+>", "", page))
    assert "POST http://lab-extender-racks/filter" in shown
    assert '"FailedNodes": {' in shown and '"node-3": "rack is being serviced"' in shown
    assert "http://testserver/extender/racks." in page


@pytest.mark.django_db
def test_the_page_explains_a_timeout_in_gos_words(client: Client) -> None:
    page = html.unescape(client.post("/en/lab/run/", {"text": text_of("extender-ignorable-timeout")}).text)
    assert f'Post "http://lab-extender-audit/filter": {TIMEOUT}' in page
    assert "The text is that of Go's HTTP client" in page
    assert "failed, ignored" in page


@pytest.mark.django_db
def test_the_command_is_safe_in_a_shell(client: Client) -> None:
    text = text_of("extender-filter-and-prioritize") + "\n# it's"
    text = text.replace("metadata: {name: web}", 'metadata: {name: web, annotations: {a: "it\'s $HOME `id`"}}')
    page = client.post("/en/lab/run/", {"text": text}).text
    command = html.unescape(re.search(r'data-copy="(curl [^"]*)"', page)[1])  # type: ignore[index]
    assert "'\"'\"'" in command and command.count("curl") == 1


@pytest.mark.django_db
def test_sharing_offers_to_publish_only_texts_with_extenders(client: Client) -> None:
    for text, offered in ((text_of("extender-bind"), True), (text_of("plain-fit"), False)):
        digest = re.search(r'data-digest="([^"]+)"', client.post("/en/lab/run/", {"text": text}).text)[1]  # type: ignore[index]
        shared = client.post("/en/lab/share/", {"digest": digest}, headers={"HX-Request": "true"})
        assert ("Publish as extender" in shared.text) is offered


@pytest.mark.parametrize(
    ("name", "old", "new", "fixed"),
    [
        ("extender-fails", "", "", "broken"),
        ("extender-ignorable-timeout", "ignorable: true ", "ignorable: false ", "audit"),
    ],
)
def test_an_extender_that_fails_is_what_would_have_to_answer(name: str, old: str, new: str, fixed: str) -> None:
    text = text_of(name).replace(old, new).replace("failed: {node-2: not audited}", "failed: {}")
    fixes = suggestions(text, "default/web", 10.0)["fixes"]
    assert [(fix["title"]["template"], fix["title"]["params"]) for fix in fixes] == [
        ("Let the extender %(name)s answer", {"name": fixed})
    ]
