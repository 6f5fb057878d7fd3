"""The site as an HTTP extender of a real scheduler: addresses, wire format, bounds, the same verdicts as runs."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from scheduler_lab import share
from scheduler_lab.engine import ALL, run_text
from scheduler_lab.extender import bounds, publishing
from scheduler_lab.models import PublishedExtender

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted((ROOT / "tests" / "data" / "conformance" / "extender").glob("*.yaml"))
EXAMPLES = sorted((ROOT / "scheduler_lab" / "examples").glob("extender-*.yaml"))
POD = {"metadata": {"name": "web", "namespace": "default", "uid": "u"}, "spec": {}, "status": {}}
RULES = """
apiVersion: lab/v1
kind: Extender
name: shelf
filter: {failed: {n1: too hot}, failedAndUnresolvable: {n2: no rack}}
prioritize: {n1: 1, n3: 10}
preempt: {drop: [n1]}
bind: {error: not today}
"""

pytestmark = pytest.mark.django_db


def post(address: str, body: Any, **more: Any) -> Any:
    """POST as kube-scheduler does: without cookies, any token or a language."""
    data = body if isinstance(body, bytes) else json.dumps(body)
    return Client(enforce_csrf_checks=True).post(address, data, content_type="application/json", **more)


@pytest.fixture
def shelf() -> str:
    return f"/extender/{publishing.publish(RULES, 'me')[0].full}"


# -- wire format ---------------------------------------------------------------------------------------------------


def node(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": {"a": "b"}}, "spec": {"unknownToUs": 1}, "status": {"x": [1.50]}}


def test_filter_by_names(shelf: str) -> None:
    response = post(f"{shelf}/filter", {"Pod": POD, "Nodes": None, "NodeNames": ["n1", "n2", "n3"]})
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert response.json() == {
        "Nodes": None,
        "NodeNames": ["n3"],
        "FailedNodes": {"n1": "too hot"},
        "FailedAndUnresolvableNodes": {"n2": "no rack"},
        "Error": "",
    }


def test_filter_with_whole_nodes_hands_them_back_as_they_came(shelf: str) -> None:
    nodes = {"metadata": {}, "items": [node("n1"), node("n3")]}
    found = post(f"{shelf}/filter", {"Pod": POD, "Nodes": nodes, "NodeNames": None}).json()
    assert found["Nodes"] == {"metadata": {}, "items": [node("n3")]}
    assert found["NodeNames"] is None


def test_prioritize_is_a_bare_list(shelf: str) -> None:
    found = post(f"{shelf}/prioritize", {"Pod": POD, "Nodes": None, "NodeNames": ["n1", "n2", "n3"]}).json()
    assert found == [{"Host": "n1", "Score": 1}, {"Host": "n3", "Score": 10}]
    nodes = {"metadata": {}, "items": [node("n3")]}
    assert post(f"{shelf}/prioritize", {"Pod": POD, "Nodes": nodes}).json() == [{"Host": "n3", "Score": 10}]


def test_preemption_answers_by_uid_whatever_it_was_sent(shelf: str) -> None:
    whole = {n: {"Pods": [{"metadata": {"uid": f"{n}-low"}}], "NumPDBViolations": 2} for n in ("n1", "n2")}
    brief = {n: {"Pods": [{"UID": f"{n}-low"}], "NumPDBViolations": 2} for n in ("n1", "n2")}
    expected = {"NodeNameToMetaVictims": {"n2": brief["n2"]}}
    sent: dict[str, Any] = {"Pod": POD, "NodeNameToVictims": whole, "NodeNameToMetaVictims": None}
    assert post(f"{shelf}/preemption", sent).json() == expected
    assert post(f"{shelf}/preemption", {"Pod": POD, "NodeNameToMetaVictims": brief}).json() == expected


def test_bind_is_answered_by_the_rules_alone(shelf: str) -> None:
    sent = {"PodName": "web", "PodNamespace": "default", "PodUID": "u", "Node": "n1"}
    assert post(f"{shelf}/bind", sent).json() == {"Error": "not today"}
    agreeing = publishing.publish("apiVersion: lab/v1\nkind: Extender\nname: yes-man\n", "me")[0]
    assert post(f"/extender/{agreeing.full}/bind", sent).json() == {"Error": ""}


def test_members_are_found_regardless_of_case_as_go_does(shelf: str) -> None:
    found = post(f"{shelf}/filter", {"pod": POD, "nodenames": ["n1", "n3"]}).json()
    assert found["NodeNames"] == ["n3"]
    nodes = {"Items": [{"Metadata": {"NAME": "n3"}}], "kind": "NodeList"}
    assert len(post(f"{shelf}/filter", {"pod": POD, "nodes": nodes}).json()["Nodes"]["items"]) == 1


@pytest.mark.parametrize(
    ("verb", "body", "says"),
    [
        ("filter", b"", "the body"),
        ("filter", b"{", "the body"),
        ("filter", b"[1]", "the body"),
        ("filter", b"\xff{}", "UTF-8"),
        ("filter", b"[" * 100_000, "the body"),
        ("filter", b'{"Pod":' + b"[" * 100_000, "nested too deeply"),
        ("filter", {"NodeNames": ["n1"]}, "there is no Pod"),
        ("filter", {"Pod": [], "NodeNames": ["n1"]}, "Pod"),
        ("filter", {"Pod": POD}, "neither Nodes nor NodeNames"),
        ("filter", {"Pod": POD, "NodeNames": "n1"}, "NodeNames"),
        ("prioritize", {"Pod": POD, "NodeNames": [1]}, "NodeNames"),
        ("prioritize", {"Pod": POD, "Nodes": {"items": [{}]}}, "Nodes.items[0] has no metadata.name"),
        ("preemption", {"Pod": POD}, "neither NodeNameToVictims"),
        ("preemption", {"Pod": POD, "NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": 1}]}}}, "Pods[0].UID"),
        ("bind", {"PodName": 1}, "PodName"),
    ],
)
def test_what_is_not_the_wire_format(shelf: str, verb: str, body: Any, says: str) -> None:
    response = post(f"{shelf}/{verb}", body)
    assert response.status_code == 400, response.content
    assert says in response.json()["error"]


def test_scripted_failures_have_their_status(shelf: str) -> None:
    text = """
apiVersion: lab/v1
kind: Extender
name: {name}
{rules}
"""
    args = {"Pod": POD, "NodeNames": ["n1"]}
    down = publishing.publish(text.format(name="down", rules="httpStatus: 503"), "me")[0].full
    for verb in ("filter", "prioritize"):
        response = post(f"/extender/{down}/{verb}", args)
        assert (response.status_code, list(response.json())) == (503, ["error"])
    broken = publishing.publish(text.format(name="broken", rules="filter: {error: out of order}"), "me")[0].full
    response = post(f"/extender/{broken}/filter", args)
    assert (response.status_code, response.json()["Error"]) == (200, "out of order")
    stubborn = publishing.publish(text.format(name="stubborn", rules="preempt: {error: never}"), "me")[0].full
    response = post(f"/extender/{stubborn}/preemption", {"Pod": POD, "NodeNameToMetaVictims": {}})
    assert (response.status_code, response.json()) == (500, {"error": "never"})
    empty = publishing.publish(text.format(name="empty", rules="httpStatus: 204"), "me")[0].full
    assert post(f"/extender/{empty}/filter", args).content == b""


# -- one source of truth -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [*CASES, *EXAMPLES], ids=lambda path: path.stem)
def test_the_endpoint_answers_as_the_run_did(source: Path) -> None:
    text = source.read_text(encoding="utf-8").split("\n---\n", 1)[1] if source in EXAMPLES else source.read_text()
    published = {each.extender: each.full for each in publishing.publish(text, "me")}
    record = run_text(text, ALL).to_builtins()
    calls = [call for cycle in record.get("cycles", []) for call in cycle.get("x-calls", [])]
    recorded = sum(len(cycle.get("extenders", [])) for cycle in record.get("cycles", []))
    assert recorded == sum("entry" in call for call in calls)
    for call in calls:
        if "status" not in call:
            continue
        response = post(f"/extender/{published[call['extender']]}/{call['role']}", call["request"])
        assert response.status_code == call["status"]
        assert response.json() == call["response"]


def test_cases_and_calls_are_there() -> None:
    roles = set()
    for source in CASES:
        for cycle in run_text(source.read_text(), ALL).to_builtins().get("cycles", []):
            roles |= {(call["role"], bool(call.get("error"))) for call in cycle.get("x-calls", [])}
    assert {role for role, _ in roles} == {"filter", "prioritize", "preemption", "bind"}


# -- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["validate", "preempt", "FILTER", "filter/", "filter/x", ""], ids=lambda path: path or "no verb"
)
def test_other_verbs_are_not_there(shelf: str, path: str) -> None:
    response = post(f"{shelf}/{path}", {})
    assert (response.status_code, response["Content-Type"]) == (404, "application/json")


def test_other_names_are_not_there() -> None:
    unknown = f"/extender/shelf.{'x' * 22}/filter"
    for address in ("/extender/", "/extender/nobody", "/extender/nobody/filter", unknown):
        response = post(address, {})
        assert (response.status_code, "error" in response.json()) == (404, True), address


def test_only_post(shelf: str) -> None:
    for method in ("get", "head", "put", "delete", "options"):
        response = getattr(Client(), method)(f"{shelf}/filter")
        assert (response.status_code, response["Allow"]) == (405, "POST")


def test_short_names_of_shipped_examples_work_at_once() -> None:
    found = post("/extender/racks/filter", {"Pod": POD, "NodeNames": ["node-2", "node-3"]}).json()
    assert (found["NodeNames"], found["FailedNodes"]) == (["node-2"], {"node-3": "rack is being serviced"})
    taken = publishing.publish("apiVersion: lab/v1\nkind: Extender\nname: racks\n", "me")[0]
    assert taken.short == ""
    assert post("/extender/racks/filter", {"Pod": POD, "NodeNames": ["node-3"]}).json()["NodeNames"] == []
    assert post(f"/extender/{taken.full}/filter", {"Pod": POD, "NodeNames": ["node-3"]}).json()["NodeNames"] == [
        "node-3"
    ]


def test_a_short_name_follows_its_owner_and_nobody_else() -> None:
    def text(reason: str) -> str:
        return f"apiVersion: lab/v1\nkind: Extender\nname: mine\nfilter: {{failed: {{n1: {reason}}}}}\n"

    def reason(name: str) -> str:
        found = post(f"/extender/{name}/filter", {"Pod": POD, "NodeNames": ["n1"]}).json()
        return str(found["FailedNodes"]["n1"])

    first = publishing.publish(text("one"), "me")[0]
    assert (first.short, reason("mine")) == ("mine", "one")
    theirs = publishing.publish(text("two"), "somebody else")[0]
    assert (theirs.short, reason("mine"), reason(theirs.full)) == ("", "one", "two")
    second = publishing.publish(text("three"), "me")[0]
    assert (second.short, reason("mine"), reason(first.full)) == ("mine", "three", "one")
    assert publishing.publish(text("one"), "me")[0].short == "mine"
    assert reason("mine") == "one"
    assert PublishedExtender.objects.filter(name="mine").count() == 1


def test_names_that_no_address_can_have_are_left_out() -> None:
    text = "---\n".join(
        f"apiVersion: lab/v1\nkind: Extender\nname: {name}\n" for name in ("''", "Up", "a/b", "'a b'", "a.b", "x" * 64)
    )
    assert [(each.extender, each.short) for each in publishing.publish(text, "me")] == [("a.b", "")]


# -- the button ----------------------------------------------------------------------------------------------------


def test_the_button_publishes_and_shows_the_addresses(client: Client) -> None:
    digest = share.save(RULES)
    for headers in ({}, {"HX-Request": "true"}):
        response = client.post("/en/lab/publish/", {"digest": digest}, headers=headers)
        assert response.status_code == 200
        assert f"http://testserver/extender/shelf.{digest}" in response.text
        assert ("<html" in response.text) is not headers
    assert post("/extender/shelf/bind", {}).json() == {"Error": "not today"}


def test_the_button_says_why_there_is_nothing_to_publish(client: Client) -> None:
    response = client.post("/ko/lab/publish/", {"digest": share.save("apiVersion: v1\nkind: Node\n")})
    assert "lab/v1 Extender" in response.text
    assert client.post("/en/lab/publish/", {"digest": "x" * 22}).status_code == 404
    assert not PublishedExtender.objects.exists()


# -- bounds --------------------------------------------------------------------------------------------------------


def test_large_bodies_are_refused(shelf: str, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = post(f"{shelf}/filter", {"Pod": POD, "NodeNames": ["n1"] * 1000})
    assert (response.status_code, "too large" in response.json()["error"]) == (413, True)


def test_too_many_calls_in_a_second(shelf: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EXTENDER_CALLS_PER_SECOND = 2
    monkeypatch.setattr(bounds, "rate", bounds.Rate())
    monkeypatch.setattr("time.monotonic", lambda: 5.0)
    assert [post(f"{shelf}/bind", {}).status_code for _ in range(3)] == [200, 200, 429]
    assert post(f"{shelf}/bind", {}, REMOTE_ADDR="10.0.0.9").status_code == 200


def test_calls_wait_for_their_turn(shelf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "WAIT_SECONDS", 0.01)
    for _ in range(bounds.AT_ONCE):
        bounds._turns.acquire()
    try:
        assert post(f"{shelf}/bind", {}).status_code == 503
    finally:
        for _ in range(bounds.AT_ONCE):
            bounds._turns.release()
    assert post(f"{shelf}/bind", {}).status_code == 200


# -- nobody is called ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "lab-extender-nobody:{port}", "[::1]:{port}"])
def test_the_engine_calls_no_host(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_more: Any) -> Any:
        raise AssertionError("the engine used the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    prefix = f"http://{host.format(port=9)}/v1"
    text = f"""
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {{urlPrefix: "{prefix}", filterVerb: filter, prioritizeVerb: p, preemptVerb: x, bindVerb: bind, weight: 1}}
---
apiVersion: lab/v1
kind: Options
maxErrorAttempts: 1
---
apiVersion: v1
kind: Node
metadata: {{name: n1}}
status: {{allocatable: {{cpu: "1"}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: web}}
spec: {{containers: [{{name: c, image: x}}]}}
"""
    cycle = run_text(text, ALL).to_builtins()["cycles"][0]
    assert cycle["result"]["message"].startswith(f'Post "{prefix}/filter": dial tcp')
    assert cycle["x-calls"][0]["unscripted"] is True
    assert "request" not in cycle["x-calls"][0]


def test_no_module_of_the_engine_can_open_a_connection() -> None:
    network = re.compile(
        r"^\s*(?:import|from)\s+(socket|ssl|http|urllib\.request|urllib3|requests|httpx|aiohttp|asyncio|subprocess|"
        r"ftplib|smtplib|telnetlib|xmlrpc|multiprocessing)\b",
        re.MULTILINE,
    )
    engine = ROOT / "scheduler_lab" / "engine"
    found = [path.name for path in engine.rglob("*.py") if network.search(path.read_text(encoding="utf-8"))]
    assert found == []


# -- the README ----------------------------------------------------------------------------------------------------


def section() -> str:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return readme.split("## A real kube-scheduler can call the lab\n", 1)[1].split("\n## ", 1)[0]


def test_the_readmes_commands_print_what_it_shows() -> None:
    console = re.findall(r"\$ curl [^\n]* http://127\.0\.0\.1:8000(\S+) \\\n\s+--data '([^']+)'\n([^\n]+)\n", section())
    assert len(console) == 2
    for address, sent, printed in console:
        assert post(address, sent.encode()).content.decode() == printed + "\n"


def test_the_readmes_configuration_is_one_that_the_scheduler_takes() -> None:
    (configuration,) = re.findall(r"```yaml\n(.*?)```", section(), re.DOTALL)
    assert run_text(configuration).to_builtins().get("error") is None
    everything = re.sub(r"^(\s*)# (bindVerb|managedResources|- \{name)", r"\1\2", configuration, flags=re.MULTILINE)
    record = run_text(everything).to_builtins()
    assert "scenarioError" not in record and "error" not in record
    verbs = dict(re.findall(r"(\w+)Verb: (\w+)", everything))
    assert verbs == {"filter": "filter", "prioritize": "prioritize", "preempt": "preemption", "bind": "bind"}
    prefix = re.search(r"urlPrefix: http://lab\.example\.com:8000(\S+)", everything)
    assert prefix is not None
    for verb in verbs.values():
        assert post(f"{prefix[1]}/{verb}", {}).status_code in (200, 400)


def test_a_scheduler_elsewhere_needs_its_host_allowed_and_no_redirect(settings: Any) -> None:
    sent = {"Pod": POD, "NodeNames": ["node-1"]}
    assert post("/extender/racks/filter", sent, HTTP_HOST="lab.example.com").status_code == 400
    settings.ALLOWED_HOSTS = ["lab.example.com"]
    assert post("/extender/racks/filter", sent, HTTP_HOST="lab.example.com").status_code == 200
    settings.SECURE_SSL_REDIRECT = True
    assert post("/extender/racks/filter", sent, HTTP_HOST="lab.example.com").status_code == 301
    assert post("/extender/racks/filter", sent, HTTP_HOST="lab.example.com", secure=True).status_code == 200


# -- the admin -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_admin_lists_published_extenders_and_moves_short_names(admin_client: Client, language: str) -> None:
    publishing.publish(RULES, "me")
    published = PublishedExtender.objects.get()
    place = f"/{language}/admin/scheduler_lab/publishedextender/"
    assert f"/{language}/lab/s/{published.text_id}/" in admin_client.get(place).text
    address = f"{place}{published.pk}/change/"
    assert "too hot" in admin_client.get(address).text
    assert admin_client.post(address, {"name": "rack.one"}).status_code == 200
    assert admin_client.post(address, {"name": "rack-one"}).status_code == 302
    assert post("/extender/rack-one/bind", {}).json() == {"Error": "not today"}
    assert post("/extender/shelf/bind", {}).status_code == 404
    assert admin_client.post(address, {"name": ""}).status_code == 302
    assert PublishedExtender.objects.get().name is None
    assert admin_client.get(f"{place}add/").status_code == 403
