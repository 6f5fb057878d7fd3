"""Whatever is pasted: an answer of 200 in time, the text kept, a sentence at its line, in both languages."""

from __future__ import annotations

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

pytestmark = pytest.mark.django_db

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: c, image: x}]\n"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 4}}\n---\n"

CASES = {
    "empty": ("", None),
    "blank": ("\n\n  \n", None),
    "broken yaml": ("a: b\nc: [1, 2\nd: e: f\n", r"[23]"),
    "tab": ("spec:\n\tcontainers: []\n", "2"),
    "alias bomb": (
        "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"a{n}: &a{n} [" + ",".join([f"*a{n - 1}"] * 10) + "]\n" for n in range(1, 10)),
        r"\d+",
    ),
    "deep nesting": ("[" * 20_000, r"\d+"),
    "deep nesting in lines": ("".join(" " * n + "a:\n" for n in range(900)), r"\d+"),
    "long number": (POD.replace("spec:", f"spec:\n  priority: {'9' * 100_000}"), "5"),
    "binary": ("\x7fELF\x00\x01\x02\ufffd" * 50, r"\d+"),
    "unknown kind": ("apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: x}\n", r"\d+"),
    "duplicate name": (NODE + POD + "---\n" + POD, r"\d+"),
    "negative quantity": (POD.replace("image: x", "image: x, resources: {requests: {cpu: -1}}"), "5"),
    "absurd quantity": (POD.replace("image: x", "image: x, resources: {requests: {cpu: lots}}"), "5"),
    "unknown field": (POD.replace("containers:", "nodeSelectr: {a: b}\n  containers:"), "5"),
    "no containers": ("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: []}\n", "4"),
    "bad operator": (
        POD + "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
        "        nodeSelectorTerms:\n        - matchExpressions: [{key: a, operator: Like, values: [b]}]\n",
        "10",
    ),
    "a list of nothing": ("- 1\n- 2\n", r"\d+"),
    "scalar": ("hello", r"\d+"),
}


def editor_text(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\r?\n?(.*?)</textarea>", page, re.DOTALL)
    assert found
    return html.unescape(found.group(1))


def ask(client: Client, language: str, text: str) -> str:
    response = client.post(f"/{language}/lab/run/", {"text": text})
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture(autouse=True, scope="module")
def _warm_worker() -> None:
    from scheduler_lab.runner import run_text

    run_text(POD)


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("name", CASES)
def test_a_sentence_at_its_line(client: Client, name: str, language: str) -> None:
    text, line = CASES[name]
    page = ask(client, language, text)
    assert editor_text(page) == text.replace("\x00", "\x00")
    problems = re.findall(r'<li class="problem"[^>]*>(.*?)</li>', page, re.DOTALL)
    assert problems, name
    words = re.sub(r"<[^>]+>", " ", problems[0])
    assert len(words.split()) > 3
    if line is not None:
        assert re.search(rf'data-line="{line}"', problems[0]), problems[0]
    if language == "ko":
        assert re.search("[가-힣]", words), words


def test_five_megabytes(client: Client) -> None:
    text = (NODE + POD + "---\n") * (5_000_000 // len(NODE + POD + "---\n"))
    page = ask(client, "en", text)
    assert editor_text(page) == text
    assert "documents are accepted" in page


def test_a_file_that_is_too_large_is_refused_with_a_sentence(client: Client) -> None:
    file = SimpleUploadedFile("x.yaml", b"#" * 40_000_001)
    page = client.post("/en/lab/run/", {"text": "mine: 1", "file": file}).content.decode()
    assert editor_text(page) == "mine: 1"
    assert "This file has 41 MB; the lab reads up to 40 MB." in page


def test_a_lone_surrogate_and_other_oddities(client: Client) -> None:
    for text in (
        "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
        "\u2028",
        "a: \u0085",
        "\ufeff" + POD,
    ):
        ask(client, "en", text)


@pytest.mark.parametrize("name", ["absurd quantity", "unknown field", "bad label", "wrong type"])
def test_no_english_sentence_inside_a_korean_one(client: Client, name: str) -> None:
    more = {
        "bad label": POD.replace("name: web", 'name: web, labels: {a: "b c"}'),
        "wrong type": POD.replace("containers:", "hostNetwork: [1]\n  containers:"),
    }
    page = ask(client, "ko", more.get(name) or CASES[name][0])
    said = re.findall(r'<li class="problem"[^>]*>(.*?)</li>', page, re.DOTALL)[0]
    words = re.sub(r"<code.*?</code>|<[^>]+>", " ", said, flags=re.DOTALL)
    assert not re.search(r"\b(is not|write|expected|unknown|the text|a list|at most)\b", words), words
