"""Buttons that add a Timeline step: the rest of the text stays byte for byte, and the text runs."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from scheduler_lab import acting, share
from scheduler_lab.engine import load

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a} # mine\nstatus: {allocatable: {cpu: 4, memory: 4Gi}}\n"
WAITING = (
    NODE
    + """---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {permit: {enabled: [{name: LabPermit}]}}
---
apiVersion: lab/v1
kind: Permit
rules: [{action: wait, timeoutSeconds: 60}]
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x}]}
"""
)
TIMELINE = "---\napiVersion: lab/v1\nkind: Timeline\nsteps:\n- advanceSeconds: 30   # half a minute\n"
DO = [
    "cordon:a",
    "uncordon:a",
    "taint:a",
    "untaint:a|dedicated=gpu:NoSchedule",
    "another:a",
    "remove-node:a",
    "delete-pod:default/web",
    "allow:default/web",
    "reject:default/web",
    "advance:300",
]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("do", DO)
@pytest.mark.parametrize(
    "text",
    [
        NODE,
        NODE.rstrip("\n"),
        NODE + TIMELINE,
        TIMELINE.removeprefix("---\n") + "---\n" + NODE,
        NODE + "---\napiVersion: lab/v1\nkind: Timeline\nsteps: []\n",
        NODE + "---\napiVersion: lab/v1\nkind: Timeline\nsteps: [{cordon: a}]\n---\n" + NODE.replace("a}", "b}"),
        '{"apiVersion": "lab/v1", "kind": "Timeline", "steps": [{"cordon": "a"}]}',
        "",
    ],
)
def test_a_step_is_added_and_nothing_else_changes(text: str, do: str) -> None:
    step = acting.step_of(do, text)
    assert step is not None
    added = acting.append_step(text, step)
    assert not load(added).has_errors
    steps = [step for item in load(added).objects if item.kind == "Timeline" for step in item.steps]  # type: ignore[union-attr]
    assert len(steps) == len(re.findall("cordon|advanceSeconds", text)) + 1
    kept = text.replace("steps: []", "steps: [").replace("}]}", "}").replace("}]\n", "}")
    assert all(line in added for line in kept.splitlines()[:3])
    if "Timeline" not in text:
        assert added.startswith(text)


@pytest.mark.parametrize("do", ["", "cordon", "cordon:", "fly:a", "advance:soon", "untaint:a|", "delete-pod:/"])
def test_what_means_nothing_is_no_step(do: str) -> None:
    assert acting.step_of(do, NODE) is None


def test_a_further_node_gets_a_name_of_its_own() -> None:
    assert acting.step_of("another:a", "a-2") == {"addNode": {"name": "a-3", "like": "a"}}


def editor_text(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\r?\n?(.*?)</textarea>", page, re.DOTALL)
    assert found
    return html.unescape(found.group(1))


def test_allowing_a_waiting_pod_replays_the_text_with_a_step(client: Client) -> None:
    page = client.post("/en/lab/run/", {"text": WAITING}).content.decode()
    assert 'value="allow:default/web"' in page
    data = {"text": WAITING, "do": "allow:default/web", "against": share.digest(WAITING)}
    page = client.post("/en/lab/act/", data).content.decode()
    assert editor_text(page).startswith(WAITING)
    assert "allowWaiting: default/web" in editor_text(page)
    assert "1 pod: 1 running" in page
    assert "Against the run before" in page


def test_the_answer_to_a_script_brings_the_text(client: Client) -> None:
    page = client.post("/en/lab/act/", {"text": WAITING, "do": "cordon:a"}, headers={"HX-Request": "true"})
    assert 'id="lab-text"' in page.content.decode()
    assert "cordon: a" in page.content.decode()


def test_every_node_has_its_menu(client: Client) -> None:
    page = client.post("/en/lab/run/", {"text": WAITING}).content.decode()
    for do in ("cordon:a", "taint-box:a", "another:a", "remove-node:a", "delete-pod:default/web"):
        assert f'value="{do}"' in page


def test_acting_rejects_get(client: Client) -> None:
    assert client.get("/en/lab/act/").headers["Location"] == "/en/lab/"


@pytest.mark.parametrize(
    ("fields", "step"),
    [
        ({"do": "taint:a"}, {"node": "a", "key": "example.com/closed", "effect": "NoSchedule"}),
        (
            {"do": "taint-box:a", "taint-box:a": "gpu=yes", "effect-box:a": "NoExecute", "taint-row:a": "other"},
            {"node": "a", "key": "gpu", "value": "yes", "effect": "NoExecute"},
        ),
        ({"do": "taint-row:a", "taint-row:a": ""}, {"node": "a", "key": "example.com/closed", "effect": "NoSchedule"}),
        ({"do": "taint-row:a", "taint-row:a": "not a key"}, None),
        ({"do": "taint-row:a", "taint-row:a": "x", "effect-row:a": "Never"}, None),
    ],
)
def test_a_taint_is_written_beside_its_button(fields: dict[str, str], step: dict[str, str] | None) -> None:
    assert acting.step_of(acting.wish_of(fields), NODE) == (step and {"taint": step})
