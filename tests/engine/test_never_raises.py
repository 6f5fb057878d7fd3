"""Whatever is left out of a text or put into it, there is a record: nothing raises.

`HYPOTHESIS_PROFILE=thorough` tries thousands of texts; without it the same few are tried every time.
"""

from __future__ import annotations

import copy
import gzip
import json
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from scheduler_lab.engine import NONE, Record, run, run_text
from scheduler_lab.engine.manifests import load

DATA = Path(__file__).resolve().parents[1] / "data"
FIELD = Path(__file__).parent / "data" / "field"
THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
PROFILE = settings(
    max_examples=1500 if THOROUGH else 150,
    derandomize=not THOROUGH,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LIMIT = {"apiVersion": "lab/v1", "kind": "Options", "maxCycles": 25}
ODD: list[Any] = [
    None, "", "x", "no-such-thing", "default", "kube-system", 0, -1, 1, 2**31 - 1, -(2**63), 1.5, True, [], {}, "0",
    "1e9", "-1", "100%", "9999999Ei", "1n", "2030-01-01T00:00:00Z", "Always", "In", "Exists", "a/b", "*", [{}], [None],
    {"": ""}, {"matchLabels": {}}, "system-node-critical", "pods", "ü",
]  # fmt: skip
# Kinds that the recorded inputs lack.
EXTRA: list[Any] = [
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {
        "replicas": 3, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}}},
    {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "s"}, "spec": {
        "selector": {"matchLabels": {"app": "s"}},
        "template": {"metadata": {"labels": {"app": "s"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}}},
    {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
        "replicas": 2, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
        "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "no"}}],
        "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}}},
    {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {
        "parallelism": 2, "completions": 3, "completionMode": "Indexed",
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}}},
    {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "cj"}, "spec": {
        "schedule": "* * * * *", "jobTemplate": {"spec": {"template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}}}}},
    {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {
        "hard": {"pods": "2", "requests.cpu": "1", "count/jobs.batch": "1"}}},
    {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [
        {"type": "Container", "max": {"cpu": "2"}, "maxLimitRequestRatio": {"memory": "2"}}]}},
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}, "status": {"phase": "Terminating"}},
    {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {
        "minAvailable": "50%", "selector": {}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "dangling", "uid": "u", "ownerReferences": [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone", "uid": "r", "controller": True}]}, "spec": {
        "serviceAccountName": "gone", "runtimeClassName": "gone",
        "resourceClaims": [{"name": "dev", "resourceClaimTemplateName": "gone"}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "gone"}},
                    {"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "gone"}}}}],
        "containers": [{"name": "c", "image": "x"}]}},
    {"apiVersion": "lab/v1", "kind": "Timeline", "steps": [
        {"delete": {"kind": "Deployment", "name": "d"}}, {"delete": {"kind": "Node", "name": "worker-1"}},
        {"delete": {"kind": "Namespace", "name": "default"}}, {"advanceSeconds": 400},
        {"delete": {"kind": "Nothing", "name": "x"}}, {"allowWaiting": "default/none"}]},
]  # fmt: skip


@lru_cache(maxsize=1)
def texts() -> list[str]:
    """The recorded inputs that are quick to run, and the dumps."""
    found = [path.read_text() for path in sorted(FIELD.iterdir())]
    for folder in sorted(path for path in DATA.glob("*/*") if path.is_dir() and path.name != "bench"):
        found += [path.read_text() for path in sorted(folder.glob("*.yaml"))]
    for path in sorted(DATA.rglob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found += [json.loads(line)["input"] for line in lines]
    return [text for text in found if len(text) < 150_000]


@lru_cache(maxsize=256)
def _objects(text: str) -> str:
    flat: list[Any] = []
    for document in yaml.load_all(text, _LOADER):
        flat += (document or {}).get("items", []) if (document or {}).get("kind") == "List" else [document]
    return json.dumps(flat, default=str)


def leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything inside a value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from leaves(value[key])


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A recorded text with objects left out, doubled, mixed with others, and a few fields changed or removed."""
    objects: list[Any] = json.loads(_objects(draw(st.sampled_from(texts()))))
    if draw(st.booleans()):
        objects += json.loads(_objects(draw(st.sampled_from(texts()))))
    keep = draw(st.lists(st.booleans(), min_size=len(objects), max_size=len(objects)))
    if draw(st.booleans()):
        objects = [item for item, kept in zip(objects, keep, strict=True) if kept]
    objects += copy.deepcopy(draw(st.lists(st.sampled_from(EXTRA), max_size=4)))
    objects = draw(st.permutations(objects)) if len(objects) < 40 else objects
    places = list(leaves(objects))
    for _ in range(draw(st.integers(0, 4)) if places else 0):
        container, key = draw(st.sampled_from(places))
        if isinstance(container, dict) and key in container and draw(st.booleans()):
            del container[key]
        elif isinstance(container, dict) or key < len(container):
            container[key] = draw(st.sampled_from(ODD))
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [LIMIT, *objects]})


@PROFILE
@given(mutations())
def test_any_text_gives_a_record(text: str) -> None:
    record = run_text(text)
    assert isinstance(record, Record)
    assert record.to_json()


@PROFILE
@given(mutations())
def test_even_what_the_loader_refuses_can_be_run(text: str) -> None:
    assert run(load(text), NONE).to_json()
