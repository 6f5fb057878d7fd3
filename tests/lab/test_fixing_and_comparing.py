"""What would fix it, two runs side by side, and from a line to its verdicts, over HTTP."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from django.test import Client

from scheduler_lab import runs, share

CASES = Path(__file__).resolve().parent.parent / "data/cases"
POOLS = (CASES / "16-many-pools-one-line.yaml").read_text()
CORDONED = (CASES / "10-selector-and-cordon.yaml").read_text()
HTMX = {"HX-Request": "true"}

pytestmark = pytest.mark.django_db


def pending(text: str) -> str:
    record = runs.perform(text).outcome.record
    assert record is not None
    return next(pod for pod, state in record["pods"].items() if not state.get("nodeName"))


def test_fixes_are_verified_and_one_can_be_applied(client: Client) -> None:
    pod, digest = pending(POOLS), share.digest(POOLS)
    page = client.get(f"/en/lab/run/{digest}/fixes/", {"pod": pod}, headers=HTMX).content.decode()
    assert "<html" not in page
    assert 'data-v="chosen"' in page
    found = re.findall(r'name="fix" value="([^"]+)"', page)
    assert found
    done = client.post("/en/lab/apply/", {"fix": html.unescape(found[0]), "text": "x"}).content.decode()
    assert "1 pod: 1 running" in done
    assert "Against the run before" in done


def test_the_fixes_have_a_page_of_their_own(client: Client) -> None:
    pod, digest = pending(POOLS), share.digest(POOLS)
    page = client.get(f"/ko/lab/run/{digest}/fixes/", {"pod": pod}).content.decode()
    assert "<textarea" in page
    assert 'class="fixes"' in page
    assert client.get(f"/en/lab/run/{digest}/fixes/", {"pod": "default/nobody"}).status_code == 404


def test_a_fix_that_nobody_knows(client: Client) -> None:
    assert client.post("/en/lab/apply/", {"fix": "x:default/y:z"}).status_code == 404


def test_two_runs_side_by_side(client: Client) -> None:
    other = CORDONED.replace("unschedulable: true", "unschedulable: false")
    for text in (CORDONED, other):
        client.post("/en/lab/run/", {"text": text})
    before, after = share.digest(CORDONED), share.digest(other)
    page = client.get(f"/en/lab/compare/{before}/{after}/").content.decode()
    assert "Pods that end elsewhere" in page
    assert "unschedulable: <" in page or "unschedulable" in page
    assert 'class="ln del"' in page
    response = client.get("/en/lab/compare/", {"digest": after, "other": f"http://x/en/lab/s/{before}/"})
    assert response.headers["Location"] == f"/en/lab/compare/{before}/{after}/"
    nothing = client.get("/en/lab/compare/", {"digest": after, "other": "nothing"}).content.decode()
    assert "There is no run behind that." in nothing


def test_a_run_is_compared_with_the_one_before(client: Client) -> None:
    other = CORDONED.replace("unschedulable: true", "unschedulable: false")
    client.post("/en/lab/run/", {"text": CORDONED})
    page = client.post("/en/lab/run/", {"text": other, "against": share.digest(CORDONED)}).content.decode()
    assert "Against the run before" in page
    same = client.post("/en/lab/run/", {"text": other, "against": share.digest(other)}).content.decode()
    assert "Against the run before" not in same


def test_from_a_line_to_the_verdicts_it_decided(client: Client) -> None:
    client.post("/en/lab/run/", {"text": POOLS})
    page = client.get(f"/en/lab/run/{share.digest(POOLS)}/lines/?cycle=1").content.decode()
    lines = re.findall(r'id="line-(\d+)"', page)
    assert lines
    assert "TaintToleration" in page
    assert "NodeResourcesFit" in page


def test_large_clusters_are_searched(client: Client) -> None:
    node = (
        "apiVersion: v1\nkind: Node\nmetadata: {{name: node-{0}}}\nstatus: {{allocatable: {{cpu: {1}, memory: 4Gi}}}}\n"
    )
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: x}]}\n"
    many = "---\n".join([node.format(n, 1) for n in range(60)] + [pod])
    client.post("/en/lab/run/", {"text": many})
    address = f"/en/lab/run/{share.digest(many)}/"
    assert 'id="find-node"' in client.get(address).content.decode()
    page = client.get(address, {"cycle": "1", "find": "node-1"}).content.decode()
    assert "node-17<" in page
    assert "node-27<" not in page.split("The cluster")[0]
    assert "No node is like that." in client.get(address, {"cycle": "1", "find": "zzz"}).content.decode()


@pytest.mark.parametrize(("query", "count"), [({"q": "zzzz"}, 0), ({"q": "PodTopologySpread"}, None)])
def test_examples_are_searched(client: Client, query: dict[str, str], count: int | None) -> None:
    page = client.get("/en/lab/examples/", query).content.decode()
    links = page.count("?example=")
    assert links == count if count is not None else links >= 0


def test_a_pod_that_no_scheduler_tries_is_told_and_fixed(client: Client) -> None:
    text = (CASES / "35-unserved-scheduler-name.yaml").read_text()
    page = client.post("/en/lab/run/", {"text": text}).content.decode()
    assert "1 pod: 1 Pending" in page
    assert "No scheduler of this run has tried it" in page
    fixes = client.get(f"/en/lab/run/{share.digest(text)}/fixes/", {"pod": "default/web"}, headers=HTMX)
    assert 'data-v="chosen"' in fixes.content.decode()
